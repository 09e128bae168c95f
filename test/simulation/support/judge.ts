import { RECORD_FIELDS, toSnakeCase } from '../../../src/event/fields';
import type { StoredAuditEvent } from '../../../src/store/rows/audit-event-reader';
import type { Part } from './audit-file';

/** A stored record, with its position in the file. */
export type Stored = StoredAuditEvent & { readonly additional: { readonly parts: number } };

const INFORMATION = 'additional_information';

export interface Verdict {
  /** Differences that no loss explains. */
  readonly problems: readonly string[];
  /** Rows that did not arrive and that may be lost. */
  readonly lost: readonly Part[];
}

/** Rows that may be lost, or may be stored more than once. */
export interface Excuses {
  readonly atRisk: ReadonlySet<Part>;
  /** Rows whose file was gone when the agent was ended before it had noted their delivery. */
  readonly forgotten: ReadonlySet<Part>;
}

/**
 * Compares what was written with what was stored.
 * @param audits rows of each server audit, in the order in which they were written
 */
export function judge(
  audits: readonly (readonly Part[])[],
  stored: readonly Stored[],
  { atRisk, forgotten }: Excuses,
): Verdict {
  const unexplained = new Map(stored.map((event) => [placeOf(event.additional), event]));
  const problems: string[] = [];
  if (unexplained.size < stored.length) problems.push('records are stored twice');
  const lost: Part[] = [];
  const take = (part: Part): Stored | null => {
    const event = unexplained.get(placeOfPart(part)) ?? null;
    unexplained.delete(placeOfPart(part));
    return event;
  };
  const compare = (rows: readonly Part[], event: Stored) => {
    const [first] = rows;
    if (first) problems.push(...differences(rows, event).map((text) => `${nameOf(first)}: ${text}`));
  };
  for (const record of audits.flatMap(recordsOf)) {
    const lostBefore = lost.length;
    let pieces = 0;
    for (let i = 0; i < record.length; ) {
      const part = record[i] as Part;
      const event = take(part);
      if (!event) {
        if (atRisk.has(part)) lost.push(part);
        else problems.push(`${nameOf(part)} is not stored`);
        i++;
        continue;
      }
      pieces++;
      const joined = record.slice(i, i + event.additional.parts);
      compare(joined, event);
      for (const one of joined.slice(1)) {
        // An agent that was ended between a delivery and its bookmark, and finds the beginning gone, cannot know of it:
        // the agent publishes what is left of the record, row by row.
        const again = forgotten.has(part) && one.file !== part.file ? take(one) : null;
        if (again) compare([one], again);
      }
      i += joined.length;
    }
    if (pieces > 1 && lost.length === lostBefore) problems.push(`${nameOf(record[0] as Part)} is torn`);
  }
  for (const place of unexplained.keys()) problems.push(`${place} is stored and was never written`);
  return { problems, lost };
}

const placeOf = ({ fileGuid, blockOffset, index }: Readonly<Record<string, unknown>>): string =>
  `${fileGuid} ${blockOffset} ${index}`;
const placeOfPart = (part: Part): string => placeOf({ ...part, fileGuid: part.file.guid });
export const nameOf = ({ file, record, blockOffset, index }: Part): string =>
  `record ${record} (${file.names[0]} ${file.guid} ${blockOffset} ${index})`;

/** Rows of the same record, in the order in which the records began. */
function recordsOf(parts: readonly Part[]): Part[][] {
  const records = new Map<number, Part[]>();
  for (const part of parts) records.set(part.record, [...(records.get(part.record) ?? []), part]);
  return [...records.values()];
}

/** @param rows the rows from which the event was joined */
function differences(rows: readonly Part[], event: Stored): string[] {
  const [first] = rows;
  if (!first) return ['it is joined from no row'];
  const whole = (column: string) => rows.map(({ row }) => row[column] ?? '').join('') || null;
  const given: Record<string, unknown> = { sourceType: 'DirectFile' };
  for (const field of RECORD_FIELDS) given[field] = first.row[toSnakeCase(field)] || null;
  Object.assign(given, {
    statement: whole('statement'),
    succeeded: first.row.succeeded,
  });
  const additional = {
    fileGuid: first.file.guid,
    blockOffset: first.blockOffset,
    index: first.index,
    parts: rows.length,
    sessionId: first.row.session_id,
    objectId: first.row.object_id,
    classType: first.row.class_type,
    transactionId: String(first.row.transaction_id),
    affectedRows: String(first.row.affected_rows),
    sequenceGroupId: first.row.sequence_group_id,
    sequenceNumber: first.row.sequence_number,
    // If the beginning of a record is lost, the agent cannot tell which part of the text is secret.
    ...(first.row.sequence_number === 1 ? { additionalInformation: whole(INFORMATION) ?? undefined } : {}),
  };
  const found = [
    ...different(given, event as unknown as Record<string, unknown>),
    ...different(additional, event.additional as Record<string, unknown>),
  ];
  if (!first.file.names.includes(String((event.additional as Record<string, unknown>).file)))
    found.push(`file is ${JSON.stringify(event.additional)}`);
  return found;
}

const different = (
  expected: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
): string[] =>
  Object.keys(expected)
    .filter((name) => expected[name] !== found[name])
    .map((name) => `${name} is ${JSON.stringify(found[name])}, not ${JSON.stringify(expected[name])}`);
