import { AUDIT_EVENT } from '../../../../agent/sqlaudit/audit-columns';
import { type AuditPart, toAuditPart } from '../../../../agent/sqlaudit/audit-record';
import { decodeBlock } from '../../../../agent/sqlaudit/block';
import type { DecodedEvent } from '../../../../agent/sqlaudit/event';
import { Schema } from '../../../../agent/sqlaudit/schema';
import { fixtureFile } from './fixtures';
import { AuditFileWriter, type EventOptions, type Row } from './sqlaudit-writer';

export const FILE_GUID = '5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e11';
const writer = AuditFileWriter.from(fixtureFile('schema-2022'));

/** The events of rows, written as a block and decoded again. */
export function eventsOfRows(
  by: AuditFileWriter,
  rows: readonly Row[],
  options?: EventOptions,
): DecodedEvent[] {
  const schema = new Schema();
  for (let at = 0; at < by.metadata.length; ) {
    const block = decodeBlock(by.metadata.subarray(at), at, schema);
    if (block.kind !== 'metadata') throw new Error(block.kind);
    schema.add(block.packages);
    at += block.size;
  }
  const block = decodeBlock(by.block(rows, options), 0, schema);
  if (block.kind !== 'events') throw new Error(JSON.stringify(block));
  return [...block.events];
}

/** Parts of audit records as they come out of a file: `index` counts from 0. */
export function partsOf(
  rows: readonly Row[],
  by: AuditFileWriter = writer,
  options?: EventOptions,
): AuditPart[] {
  return eventsOfRows(by, rows, options).map((event, index) => {
    const part = toAuditPart(event, { file: 'x.sqlaudit', fileGuid: FILE_GUID, blockOffset: 6144, index });
    if (!part) throw new Error(`not an ${AUDIT_EVENT}`);
    return part;
  });
}

/** The rows SQL Server makes of one whose statement or additional information is longer than 4000 units. */
export function splitRow(row: Row, chars = 4000): Row[] {
  const cut = (value: Row[string] | undefined) => {
    const text = typeof value === 'string' ? value : '';
    return Array.from({ length: Math.ceil(text.length / chars) }, (_, i) =>
      text.slice(i * chars, (i + 1) * chars),
    );
  };
  const statements = cut(row.statement);
  const informations = cut(row.additional_information);
  const count = Math.max(statements.length, informations.length, 1);
  return Array.from({ length: count }, (_, i) => ({
    ...row,
    sequence_number: i + 1,
    statement: statements[i] ?? '',
    additional_information: informations[i] ?? '',
  }));
}
