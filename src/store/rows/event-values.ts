import { type AnyField, type AuditEvent, COLUMN_OF, isLifted } from '../../event/fields';
import type { Stating } from '../../event/lifted';
import { mapperOf } from './row-mapper';

/**
 * The values of some fields of events, in their stored form, as JSON: an array for each event. PostgreSQL writes it, and a
 * thread reads it, so that the thread of requests has one text to hand on instead of an object for each event.
 */
export interface EventValues {
  /** The number of events. */
  readonly length: number;
  readonly json: string;
}

/** An event of which only some fields are there. */
export type PartOfEvent = Partial<AuditEvent> & Stating;

const ADDITIONAL = 'additional';

/** The columns whose values stand for an event, in their order. The event time has none: the record id holds it. */
export const columnsFor = (fields: readonly AnyField[]): readonly string[] => {
  const own = fields.filter((field) => field !== 'eventTime' && !isLifted(field));
  return [
    ...new Set(['recordId' as const, 'actionId' as const, ...own].map((field) => COLUMN_OF[field])),
    ADDITIONAL,
  ];
};

/** The same of rows that were read with their columns. */
export function valuesOfRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  fields: readonly AnyField[],
): EventValues {
  const columns = columnsFor(fields);
  return {
    length: rows.length,
    json: JSON.stringify(rows.map((row) => columns.map((column) => row[column]))),
  };
}

/** Makes a function that reads events of their values. @param fields for which the values were taken */
export function readerOf(fields: readonly AnyField[]): (values: EventValues) => readonly PartOfEvent[] {
  const columns = columnsFor(fields);
  const names = [...new Set([...fields.filter((field) => !isLifted(field)), 'actionId' as const])];
  const at = (column: string) => `row[${columns.indexOf(column)}]`;
  const read = mapperOf<readonly unknown[], PartOfEvent>(
    names,
    { [ADDITIONAL]: `json(${at(ADDITIONAL)})` },
    {},
    at,
  );
  return ({ json }) => (JSON.parse(json) as readonly (readonly unknown[])[]).map(read);
}
