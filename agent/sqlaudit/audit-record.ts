import type { AuditRecord, JsonScalar, RecordSource } from '../../src/event/audit-record';
import { type RecordFieldName, toCamelCase } from '../../src/event/fields';
import { AUDIT_EVENT, auditColumns } from './audit-columns';
import type { DecodedEvent } from './event';
import { loginAddress } from './login-address';
import type { Values } from './object-series';
import { withoutPasswordHash } from './password-hash';

/** SQL Server cuts a column here; a shorter one does not go on in another record. UTF-16 units. */
export const PART_CHARS = 4000;

/**
 * One `audit_event` of a file: a whole audit record or a part of a split one. The two columns that are split are
 * kept apart and as they are in the file; only `toAuditRecord` makes something of them that may leave the agent.
 */
export interface AuditPart {
  readonly source: RecordSource;
  /** What the event states itself of the record, but for the split texts. */
  readonly record: UnjoinedRecord;
  /** From 1; the parts of a record count on. */
  readonly sequenceNumber: number;
  /** Session the record is of: a session writes one record after the other. */
  readonly session: string;
  /** Equal for the parts of one record; '' for a record that has one part only. */
  readonly key: string;
  readonly texts: SplitTexts;
  readonly additional: Values;
  /** The file is older than the column `client_ip`: the address stands in the additional information. */
  readonly lacksClientIp: boolean;
}
/** The columns SQL Server cuts at `PART_CHARS`; '' where absent. */
export interface SplitTexts {
  readonly statement: string;
  readonly additionalInformation: string;
}

type UnjoinedRecord = Pick<AuditRecord, Exclude<RecordFieldName, 'statement'>>;

/** @returns null for an event that is no audit record. */
export function toAuditPart(event: DecodedEvent, source: RecordSource): AuditPart | null {
  if (event.type.name !== AUDIT_EVENT) return null;
  const columns = auditColumns(event.type);
  const sequenceNumber = countOf(columns.sequenceNumber(event));
  const texts = {
    statement: columns.statement(event),
    additionalInformation: columns.additionalInformation(event),
  };
  const additional = columns.others.next(event);
  return {
    source,
    record: columns.record.next(event) as UnjoinedRecord,
    sequenceNumber,
    session: columns.session(event),
    key: sequenceNumber > 1 || mayContinue(texts) ? columns.key(event) : '',
    texts,
    additional: event.actions.length === 0 ? additional : { ...additional, ...actionValues(event) },
    lacksClientIp: columns.lacksClientIp,
  };
}

export const mayContinue = ({ statement, additionalInformation }: SplitTexts): boolean =>
  statement.length >= PART_CHARS || additionalInformation.length >= PART_CHARS;

type Draft = { -readonly [K in keyof AuditRecord]: AuditRecord[K] };

/**
 * The record of a part and the texts of all its parts.
 * @param parts how many were joined; `texts` are those of all of them
 */
export function toAuditRecord(first: AuditPart, texts: SplitTexts, parts: number): AuditRecord {
  const { source, additional } = first;
  // A copy, then each property by its name: a literal of everything is many times slower.
  const record = { ...first.record } as Draft;
  record.file = source.file;
  record.fileGuid = source.fileGuid;
  record.blockOffset = source.blockOffset;
  record.index = source.index;
  record.statement = texts.statement || null;
  record.parts = parts;
  record.additional = additional;
  if (texts.additionalInformation === '') return record;
  const isFragment = first.sequenceNumber > 1;
  const information = withoutPasswordHash(texts.additionalInformation, { isFragment });
  if (first.lacksClientIp) record.clientIp ??= loginAddress(record.actionId, information);
  if (information !== '') record.additional = { ...additional, additionalInformation: information };
  return record;
}

/** A file without the column, or with anything but a count in it, is taken to hold whole records. */
function countOf(value: JsonScalar): number {
  const number = Number(value ?? 1);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

function actionValues({ actions, source }: DecodedEvent): Values {
  const values: { [key: string]: JsonScalar } = {};
  for (const { type, start, end } of actions) {
    const value = type.read(source, start, end);
    if (value !== null && value !== '') values[toCamelCase(type.name)] = value;
  }
  return values;
}
