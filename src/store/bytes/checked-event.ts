import { type AuditRecord, ENTRY_SALT, type RecordSource } from '../../event/audit-record';
import type { AuditEvent, INGEST_FIELDS } from '../../event/fields';

type Field = Exclude<(typeof INGEST_FIELDS)[number], 'recordId' | 'tenantId'>;

/**
 * A record that passed every check, as it was sent: a copy would cost more than the checks. Absent, null and empty
 * fields mean the same, because SQL Server does not tell them apart on disk.
 */
export type CheckedRecord = { readonly [N in Field]?: AuditEvent[N] | '' | null } & Pick<
  AuditEvent,
  'eventTime'
> &
  RecordSource &
  Partial<Pick<AuditRecord, 'parts' | 'additional'>>;

/** The stored parts of an ingested event. */
export interface CheckedEvent {
  readonly recordId: string;
  readonly record: CheckedRecord;
  /** JSON of what the record states beyond the public fields. */
  readonly stated: string;
  /** JSON of the salt of its entry (`entry-salt.ts`). Not given: the entry has none. */
  readonly salt?: string;
}

export const statedJsonOf = ({ additional }: CheckedRecord): string =>
  additional === undefined || additional === null ? NOTHING : JSON.stringify(additional);
const NOTHING = '{}';

/** The names of the place of a record and of the number of its parts. */
export const SOURCE_NAMES = ['file', 'fileGuid', 'blockOffset', 'index', 'parts'] as const;
/** The names in `additional` that the service writes itself. */
export const OWN_NAMES: readonly string[] = [...SOURCE_NAMES, ENTRY_SALT];

/** How many characters an additional value that is no text counts. */
export const VALUE_CHARS_MAX = 24;

/** The place of a record. The GUID is in lower case, so that every GUID has one text only. */
export function sourceOf({ file, fileGuid, blockOffset, index }: CheckedRecord): RecordSource {
  return { file, fileGuid: fileGuid.toLowerCase(), blockOffset, index };
}

/**
 * JSON of what a record states beyond the public fields, and of its place. It is put together as text: an object of
 * both would be made only to be written.
 */
export function additionalJsonOf(
  record: CheckedRecord,
  stated = statedJsonOf(record),
  salt: string | null = null,
): string {
  const { file, fileGuid, blockOffset, index } = sourceOf(record);
  const stood =
    `"file":${JSON.stringify(file)},"fileGuid":"${fileGuid}","blockOffset":${blockOffset},` +
    `"index":${index},"parts":${record.parts ?? 1}${salt === null ? '' : `,"${ENTRY_SALT}":${salt}`}}`;
  return stated === NOTHING ? `{${stood}` : `${stated.slice(0, -1)},${stood}`;
}
