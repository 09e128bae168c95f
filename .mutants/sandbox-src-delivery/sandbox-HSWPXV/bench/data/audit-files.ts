import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { AuditFileWriter, type Row } from '../../test/agent/sqlaudit/support/sqlaudit-writer';
import { Calendar } from './calendar';
import { EventSource } from './event-source';

const EVENTS_PER_BLOCK = 120;
/** The filetime of 2025-09-02: names of audit files hold a filetime. */
const CREATED = 134_012_448_000_000_000n;

export interface AuditFiles {
  readonly paths: readonly string[];
  readonly events: number;
  readonly bytes: number;
}

/** Writes made events in the form of SQL Server 2022, with the metadata of a fixture. */
export function writeAuditFiles(
  root: string,
  folder: string,
  files: number,
  eventsPerFile: number,
): AuditFiles {
  const [model] = globSync('test/fixtures/sqlaudit/schema-2022/*.sqlaudit', { cwd: root });
  if (!model) throw new Error('no fixture to take the metadata from');
  const writer = AuditFileWriter.from(readFileSync(join(root, model)));
  const source = new EventSource(0, files * eventsPerFile, Calendar.denseFor(files * eventsPerFile));
  const rows = rowsOf(source);
  let bytes = 0;
  const paths = Array.from({ length: files }, (_, n) => {
    const path = join(folder, `Bench_${guid(n, 'audit')}_0_${CREATED + BigInt(n) * 10_000_000n}.sqlaudit`);
    const parts = [writer.prologue(guid(n, 'file'))];
    for (let written = 0, sequence = 1; written < eventsPerFile; sequence++) {
      const block = take(rows, Math.min(EVENTS_PER_BLOCK, eventsPerFile - written));
      written += block.length;
      parts.push(writer.block(block, { sequence }));
    }
    writeFileSync(path, '');
    for (const part of parts) appendFileSync(path, part);
    bytes += parts.reduce((sum, part) => sum + part.length, 0);
    return path;
  });
  return { paths, events: source.count, bytes };
}

function* rowsOf(source: EventSource): Generator<Row> {
  for (let batch = 0; batch < source.batches; batch++) {
    for (const event of JSON.parse(source.batch(batch)) as Record<string, unknown>[]) yield toRow(event);
  }
}

let sequence = 0;
function toRow(event: Record<string, unknown>): Row {
  const text = (name: string) => String(event[name] ?? '');
  const { sessionId, classType, transactionId } = event.additional as Record<string, string | number>;
  sequence += 1;
  return {
    event_time: text('eventTime'),
    sequence_number: 1,
    action_id: text('actionId'),
    succeeded: event.succeeded === true,
    session_id: Number(sessionId),
    class_type: String(classType),
    transaction_id: BigInt(transactionId ?? 0),
    object_id: 100_000 + (sequence % 5_000),
    server_instance_name: text('serverInstanceName'),
    database_name: text('databaseName'),
    schema_name: text('schemaName'),
    object_name: text('objectName'),
    server_principal_name: text('serverPrincipalName'),
    database_principal_name: text('databasePrincipalName'),
    session_server_principal_name: text('serverPrincipalName'),
    application_name: text('applicationName'),
    host_name: text('hostName'),
    client_ip: text('clientIp'),
    statement: text('statement'),
  };
}

function take(rows: Generator<Row>, count: number): Row[] {
  const taken: Row[] = [];
  while (taken.length < count) {
    const next = rows.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

/** All files belong to one audit, and continue each other. */
function guid(n: number, kind: 'audit' | 'file'): string {
  const hex = createHash('sha256')
    .update(kind === 'audit' ? 'audit' : `file ${n}`)
    .digest('hex')
    .toUpperCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
