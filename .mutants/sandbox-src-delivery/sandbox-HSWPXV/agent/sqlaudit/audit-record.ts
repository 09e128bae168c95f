import type { AuditRecord, JsonScalar, RecordSource } from '../../src/event/audit-record';
import { type RecordFieldName, toCamelCase } from '../../src/event/fields';
import { AUDIT_EVENT, auditColumns, countOf } from './audit-columns';
import type { DecodedEvent } from './event';
import type { Values } from './object-series';
import { withoutPasswordHash } from './password-hash';

/** SQL Server cuts a column at this length. A shorter one does not continue in another record. UTF-16 units. */
export const PART_CHARS = 4000;

/**
 * One `audit_event` of a file: a whole audit record or a part of a split one. The two columns that SQL Server splits are
 * as in the file. Only `toAuditRecord` makes texts of them that may leave the agent.
 */
export interface AuditPart {
  readonly position: RecordSource;
  /** What the event states about the record, without the split texts. */
  readonly record: UnjoinedRecord;
  /** Counts the parts of a record from 1. */
  readonly sequenceNumber: number;
  /** The session that wrote the record. It writes one record after the other. */
  readonly session: string;
  /** Equal for the parts of one record; '' for a record with a single part. */
  readonly key: string;
  readonly texts: SplitTexts;
  readonly additional: Values;
  /** Whether the file is older than the column `client_ip`: then the additional information holds the address. */
  readonly lacksClientIp: boolean;
}
/** The columns SQL Server cuts at `PART_CHARS`; '' where absent. */
export interface SplitTexts {
  readonly statement: string;
  readonly additionalInformation: string;
}

type UnjoinedRecord = Pick<AuditRecord, Exclude<RecordFieldName, 'statement'>>;

/** @returns null for an event that is no audit record. */
export function toAuditPart(event: DecodedEvent, position: RecordSource): AuditPart | null {
  if (event.type.name !== AUDIT_EVENT) return null;
  const columns = auditColumns(event.type);
  const sequenceNumber = countOf(columns.sequenceNumber(event));
  const texts = {
    statement: columns.statement(event),
    additionalInformation: columns.additionalInformation(event),
  };
  const additional = columns.additional.next(event);
  return {
    position,
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
 * @param texts of all parts
 * @param parts how many parts were joined
 */
export function toAuditRecord(first: AuditPart, texts: SplitTexts, parts: number): AuditRecord {
  const { position, additional } = first;
  // Copying the object and then setting each property is many times faster than one literal with everything.
  const record = { ...first.record } as Draft;
  record.file = position.file;
  record.fileGuid = position.fileGuid;
  record.blockOffset = position.blockOffset;
  record.index = position.index;
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

function actionValues({ actions, block }: DecodedEvent): Values {
  const values: { [key: string]: JsonScalar } = {};
  for (const { type, start, end } of actions) {
    const value = type.read(block, start, end);
    if (value !== null && value !== '') values[toCamelCase(type.name)] = value;
  }
  return values;
}

/** Actions whose additional information describes the client's connection. */
const LOGIN_ACTIONS = new Set(['LGIS', 'LGIF', 'LGO', 'DBAS', 'DBAF', 'DBL']);
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The client's address in files from before SQL Server 2017, which have no column for it. */
function loginAddress(actionId: string, additionalInformation: string): string | null {
  if (!LOGIN_ACTIONS.has(actionId)) return null;
  const address = /<address>([^<]*)<\/address>/i.exec(additionalInformation)?.[1]?.trim();
  return address
    ? address.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')
    : null;
}
