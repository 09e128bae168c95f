import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditFileWriter, type Row } from '../../agent/sqlaudit/support/sqlaudit-writer';
import { FILES_2022 } from '../../agent/support/agent-world';
import { auditFileName } from '../../agent/support/audit-files';

const START_MS = Date.parse('2026-03-02T08:00:00Z');
const EVENTS_PER_BLOCK = 40;
const FILE_GUID = '5A000000-0000-4000-8000-000000000001';

/** A deed: columns of its record, and `after`, the seconds since the deed before (default 1). */
export type Deed = Row & { readonly after?: number };

const USUAL: Row = {
  succeeded: true,
  sequence_number: 1,
  session_id: 61,
  class_type: 'U',
  object_id: 100,
  server_instance_name: 'SQL01',
  database_name: 'Sales',
  schema_name: 'dbo',
  object_name: 'Orders',
  server_principal_name: 'CORP\\alice',
  database_principal_name: 'dbo',
  application_name: 'SalesWeb',
  host_name: 'APP01',
  client_ip: '10.1.2.3',
  statement: '',
};

/** Writes one audit file as SQL Server 2022 does. @returns its number of records */
export function writeAudit(folder: string, deeds: readonly Deed[]): number {
  const [model = ''] = FILES_2022;
  const writer = AuditFileWriter.from(readFileSync(model));
  let at = START_MS;
  const rows = deeds.map(({ after = 1, ...row }, i): Row => {
    at += after * 1_000;
    return { ...USUAL, event_time: new Date(at).toISOString(), transaction_id: BigInt(i), ...row };
  });
  const blocks: Row[][] = [];
  for (let n = 0; n < rows.length; n += EVENTS_PER_BLOCK) blocks.push(rows.slice(n, n + EVENTS_PER_BLOCK));
  writeFileSync(join(folder, auditFileName(0)), writer.file(FILE_GUID, blocks));
  return rows.length;
}
