import { Prisma } from '../../database/clients';
import { type Expression, type FieldTerm } from '../../event/expression/expression';
import { type Dimension, type HourSpan, KEYS } from '../counts/dimensions';
import { countedSegments } from '../counts/segments';
import { toStored } from '../rows/stored-text';
import type { Ask } from './ask';
import type { ColumnField } from './column-fields';
import { type Holding, holdsOfOthers, numberedTerms } from './evaluate';
import { hoursWithoutStatement } from './statements';

/** With more such terms, the counts are not asked: the hours of many values are most hours. */
const TERMS_MAX = 4;

/** The hours that may have events of each part of an expression, as far as they are known. */
type Known = Map<Expression, ReadonlySet<number>>;

/**
 * The hours in which events may pass an expression, among those whose columns hold. Null: it may be any hour.
 *
 * A value that has no number is in no column, so its term holds only in hours without that column. Of other values, the
 * counts by hour and value know the hours.
 * @param holding of which values the terms hold
 */
export async function hoursThatMayHave(
  ask: Ask,
  tenantId: number,
  span: HourSpan,
  expression: Expression | null,
  holding: Holding,
): Promise<ReadonlySet<number> | null> {
  if (expression === null) return null;
  const known: Known = new Map();
  const all: ReadonlySet<FieldTerm> = new Set(openTerms(expression, known));
  const absent = numberedTerms(expression).filter((term) => all.has(term) && isAbsent(term, holding));
  const without = await hoursWithout(ask, tenantId, span, absent);
  for (const term of absent) known.set(term, without.get(term.field) ?? NO_HOURS);
  const counted = openTerms(expression, known).flatMap((term) => {
    const dimension = dimensionOf(term);
    return dimension ? [{ term, dimension, value: toStored(term.text) }] : [];
  });
  if (counted.length > 0 && counted.length <= TERMS_MAX) {
    const tenant = Prisma.sql`${tenantId}::int`;
    const pieces = { days: null, hours: [span], direct: [] };
    const parts = counted.map(({ dimension, value }, i) => {
      const asked = { filters: [{ dimension, value }], group: null, outcome: null };
      return Prisma.sql`SELECT ${i}::int AS term, string_agg(s.lo::text, ',') AS hours
        FROM (${countedSegments(asked, pieces, tenant)}) s WHERE s.n > 0`;
    });
    for (const { term, hours } of await ask<{ term: number; hours: string | null }>(
      Prisma.join(parts, ' UNION ALL '),
    ))
      known.set(counted[term]?.term as FieldTerm, setOf(hours));
  }
  return ofExpression(expression, known);
}

const NO_HOURS: ReadonlySet<number> = new Set();
const setOf = (hours: string | null): ReadonlySet<number> =>
  hours ? new Set(hours.split(',').map(Number)) : NO_HOURS;

/** Whether no value with a number passes a term, and no further one could. */
const isAbsent = (term: FieldTerm, holding: Holding): boolean =>
  holdsOfOthers(term) === 0 && holding.get(term)?.includes(1) !== true;

/** The hours without the column of a term, by its field. */
async function hoursWithout(
  ask: Ask,
  tenantId: number,
  span: HourSpan,
  terms: readonly FieldTerm[],
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const fields = [...new Set(terms.map(({ field }) => field))];
  if (fields.length === 0) return new Map();
  const rows = await ask<{ field: number; hours: string | null }>(
    hoursWithoutStatement(tenantId, span, fields as ColumnField[]),
  );
  return new Map(rows.map(({ field, hours }) => [fields[field] as string, setOf(hours)]));
}

/** The dimension that counts the events of a term by the hour. */
const dimensionOf = ({ field, how, isFolded }: FieldTerm): Dimension | null =>
  how === 'equals' && !isFolded ? (KEYS.find((dimension) => dimension.field === field) ?? null) : null;

/** The terms on which the hours still depend. */
function openTerms(expression: Expression, known: Known): FieldTerm[] {
  if (expression.kind === 'field') return known.has(expression) ? [] : [expression];
  if (expression.kind !== 'and' && expression.kind !== 'or') return [];
  const isNever = expression.kind === 'and' && ofExpression(expression, known)?.size === 0;
  return isNever ? [] : expression.of.flatMap((part) => openTerms(part, known));
}

function ofExpression(expression: Expression, known: Known): ReadonlySet<number> | null {
  if (expression.kind !== 'and' && expression.kind !== 'or') return known.get(expression) ?? null;
  const parts = expression.of.map((part) => ofExpression(part, known));
  const found = parts.filter((part) => part !== null);
  if (expression.kind === 'or')
    return found.length < parts.length ? null : new Set(found.flatMap((part) => [...part]));
  const [first, ...others] = found;
  return first ? new Set([...first].filter((hour) => others.every((part) => part.has(hour)))) : null;
}
