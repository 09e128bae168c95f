import { RECORD_FIELDS, toSnakeCase } from '../../../src/audit-event/fields';
import type { StoredAuditEvent } from '../../../src/search/audit-event-reader';
import type { Part } from './audit-file';

/** A record of the service, with where it stood. */
export type Stored = StoredAuditEvent & { readonly additional: { readonly parts: number } };

const INFORMATION = 'additional_information';

export interface Verdict {
  /** What should not be. */
  readonly problems: readonly string[];
  /** Rows that did not arrive, though they may be lost. */
  readonly lost: readonly Part[];
}

/**
 * Compares what was written with what was stored.
 * @param audits rows of each server audit, in the order in which they were written
 * @param mayBeLost rows that need not be stored
 */
export function judge(
  audits: readonly (readonly Part[])[],
  stored: readonly Stored[],
  mayBeLost: ReadonlySet<Part>,
): Verdict {
  const unexplained = new Map(stored.map((event) => [placeOf(event.additional), event]));
  const problems: string[] = [];
  if (unexplained.size < stored.length) problems.push('records are stored twice');
  const lost: Part[] = [];
  for (const record of audits.flatMap(recordsOf)) {
    const mayBeTorn = record.some((part) => mayBeLost.has(part));
    for (let i = 0; i < record.length; ) {
      const part = record[i] as Part;
      const place = placeOfPart(part);
      const event = unexplained.get(place);
      if (!event) {
        if (mayBeLost.has(part)) lost.push(part);
        else problems.push(`${nameOf(part)} is not stored`);
        i++;
        continue;
      }
      unexplained.delete(place);
      const joined = record.slice(i, i + event.additional.parts);
      // Killed between delivery and its note, an agent publishes what is left of the record once more, apart.
      if (mayBeTorn) for (const one of joined) unexplained.delete(placeOfPart(one));
      problems.push(...differences(joined, event).map((text) => `${nameOf(part)}: ${text}`));
      if (joined.length < record.length && !mayBeTorn) problems.push(`${nameOf(part)} is torn`);
      i += joined.length;
    }
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

/** @param rows the ones the event was joined from */
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
    ...{ fileGuid: first.file.guid, blockOffset: first.blockOffset, index: first.index, parts: rows.length },
    ...{ sessionId: first.row.session_id, objectId: first.row.object_id, classType: first.row.class_type },
    ...{ transactionId: String(first.row.transaction_id), affectedRows: String(first.row.affected_rows) },
    sequenceGroupId: first.row.sequence_group_id,
    sequenceNumber: first.row.sequence_number,
    // Of a record whose beginning is lost the agent cannot tell what of it is secret.
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
