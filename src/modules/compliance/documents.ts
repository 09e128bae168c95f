import { type Cell, csvLines } from '../../csv';
import { DomainError } from '../../errors';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import { COMPLIANCE_CONTROL_ITEM, COMPLIANCE_FRAMEWORK } from './answers';
import type { Framework } from './frameworks';
import { assessmentResults } from './oscal';

type ControlItem = Answer<typeof COMPLIANCE_CONTROL_ITEM>;
type FrameworkItem = Answer<typeof COMPLIANCE_FRAMEWORK>;

/** The whole list of controls as CSV. @throws DomainError `invalid_parameter` where it would be too large */
export function controlsCsv(items: readonly ControlItem[]): string {
  refuseTooMany(items.length);
  return csvOf(COMPLIANCE_CONTROL_ITEM.fields, items);
}

/** The whole list of frameworks as CSV. */
export const frameworksCsv = (frameworks: readonly FrameworkItem[]): string =>
  csvOf(COMPLIANCE_FRAMEWORK.fields, frameworks);

/** The years that times of OSCAL may have. */
const YEARS = /^(?:19|2\d)\d\d-/;

/**
 * Controls as OSCAL assessment results.
 * @throws DomainError `invalid_parameter` where they would make too large a document, or the moment is in a year that OSCAL does not have
 */
export function oscalOf(
  frameworks: readonly Framework[],
  items: readonly ControlItem[],
  moment: { readonly asOf: string; readonly now: string },
): string {
  if (!YEARS.test(moment.asOf))
    throw new DomainError('invalid_parameter', {
      public: 'asOf must be in a year from 1900 to 2999: OSCAL has no other ones.',
    });
  refuseTooMany(items.length);
  return JSON.stringify(assessmentResults(frameworks, items, moment));
}

function refuseTooMany(items: number): void {
  if (items > LIMITS.complianceDocumentItemsMax)
    throw new DomainError('invalid_parameter', {
      public: `The document would have ${items} items, and may have ${LIMITS.complianceDocumentItemsMax}. Ask /compliance/controls by framework or serverInstanceName.`,
    });
}

type Value = string | number | null | readonly string[];

/** A column for each field. Several record ids of a cell have a space between them. */
function csvOf<T extends object>(fields: Readonly<Record<string, unknown>>, items: readonly T[]): string {
  const names = Object.keys(fields);
  const cellOf = (value: Value): Cell =>
    typeof value === 'object' && value !== null ? value.join(' ') : value;
  const cells = items.map((item) =>
    names.map((name) => cellOf((item as Readonly<Record<string, Value>>)[name] ?? null)),
  );
  return csvLines([names, ...cells]);
}
