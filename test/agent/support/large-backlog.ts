import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { eventBlock } from '../sqlaudit/support/blocks';
import { AuditFileWriter, type Row } from '../sqlaudit/support/sqlaudit-writer';
import { FILES_2022 } from './agent-world';
import { auditFileName } from './audit-files';

const ROWS_PER_BLOCK = 40;

/**
 * Writes audit files of records with statements of 100 to 1,000 characters.
 * @returns how many records they hold
 */
export function writeBacklog(folder: string, files: number, bytesPerFile: number): number {
  const writer = AuditFileWriter.from(readFileSync(FILES_2022[0] ?? ''));
  const rows = Array.from({ length: ROWS_PER_BLOCK }, (_, n) => rowOf(n));
  const events = Buffer.concat(rows.map((row) => writer.event(row)));
  let records = 0;
  for (let n = 0; n < files; n++) {
    const handle = openSync(join(folder, auditFileName(n)), 'w');
    let bytes = writeSync(handle, writer.prologue(`5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e1${n}`));
    for (let sequence = 1; bytes < bytesPerFile; sequence++) {
      bytes += writeSync(handle, eventBlock(events, sequence));
      records += ROWS_PER_BLOCK;
    }
    closeSync(handle);
  }
  return records;
}

const rowOf = (n: number): Row => ({
  session_id: 51 + (n % 7),
  transaction_id: n,
  action_id: 'SL',
  object_id: n,
  sequence_number: 1,
  event_time: '2025-04-15T08:53:23.3337811Z',
  database_name: 'HumanResources',
  statement: `SELECT * FROM dbo.Employees WHERE Id = ${n} `.padEnd(100 + ((n * 137) % 900), 'x '),
});
