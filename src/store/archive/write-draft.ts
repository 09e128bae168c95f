import { open } from 'node:fs/promises';
import path from 'node:path';
import { type OwnerDoor, Prisma } from '../../database/clients';
import { LIFTED_NAMES } from '../../event/fields';
import { microsecondsOfRecordId } from '../../event/record-id';
import { selectedSql } from '../rows/lifted-sql';
import { floorOfWeek } from '../rows/partitions';
import { needRoom } from './full-disk';
import { ROW_COLUMNS } from './layout';
import { type LogEntry, LogPlaces } from './log-places';

const EVENTS_PER_READ = 2_000;
const BYTES_PER_READ = 4 * 1024 * 1024;

const COLUMNS = Prisma.raw(
  [...ROW_COLUMNS.map((column) => `e.${column}`), ...LIFTED_NAMES.map(selectedSql)].join(', '),
);

/**
 * Rows after a record id, as one text with a line of JSON for each; at most `EVENTS_PER_READ`, and as many as have
 * `BYTES_PER_READ` of texts, the last not counted. `digest` is over the set of their ids.
 */
const readStatement = (tenantId: number, after: string, floor: string, end: string) => Prisma.sql`
SELECT count(*)::int AS n, string_agg(r.record_id::text, ',' ORDER BY r.record_id) AS ids,
  string_agg(r.line, chr(10) ORDER BY r.record_id) AS lines, bit_xor(r.digest)::text AS digest FROM (
  SELECT u.record_id, row_to_json(u)::text AS line, uuid_hash_extended(u.record_id, 0) AS digest,
    sum(octet_length(u.statement) + octet_length(u.additional)) OVER (ORDER BY u.record_id)
      - octet_length(u.statement) - octet_length(u.additional) AS before
  FROM (
    SELECT ${COLUMNS}, e.additional::text AS additional FROM audit_event e
    WHERE e.tenant_id = ${tenantId}::int AND e.record_id > ${after}::uuid AND e.record_id >= ${floor}::uuid
      AND e.record_id < ${end}::uuid
    ORDER BY e.record_id LIMIT ${EVENTS_PER_READ}::int) u) r
WHERE r.before <= ${BYTES_PER_READ}::int`;

/** What was written for a file, to compare it with what is read from the file and with the rows at the end. */
export interface Draft {
  readonly events: number;
  readonly lineBytes: number;
  readonly firstId: string;
  readonly lastId: string;
  readonly digest: bigint;
}

interface Chunk {
  readonly n: number;
  readonly ids: string | null;
  readonly lines: string | null;
  readonly digest: string | null;
}

/** Writes the week's rows as lines. @returns null: there are no rows */
export async function writeDraft(
  owner: OwnerDoor,
  tenantId: number,
  week: number,
  target: string,
  roomBytes: number | undefined,
): Promise<Draft | { readonly because: string } | null> {
  const places = new LogPlaces(owner, tenantId);
  const [floor, end] = [floorOfWeek(week), floorOfWeek(week + 1)];
  const lines = await open(target, 'wx', 0o600);
  let draft = null as Draft | null;
  try {
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      needRoom(path.dirname(target), roomBytes);
      const [chunk] = await owner.ask<Chunk>(readStatement(tenantId, after, floor, end));
      if (!chunk?.ids || !chunk.lines) return draft;
      const ids = chunk.ids.split(',');
      const entries = await places.of(ids);
      const unknown = ids.find((id) => !entries.has(id));
      if (unknown) return { because: `the evidence log does not have the event ${unknown} yet` };
      const [text, lineBytes] = linesOf(chunk.lines.split('\n'), ids, entries);
      await lines.writeFile(text);
      after = ids.at(-1) ?? after;
      draft = {
        events: (draft?.events ?? 0) + chunk.n,
        lineBytes: Math.max(draft?.lineBytes ?? 0, lineBytes),
        firstId: draft?.firstId ?? ids[0] ?? '',
        lastId: after,
        digest: (draft?.digest ?? 0n) ^ BigInt(chunk.digest ?? 0),
      };
    }
  } finally {
    await lines.close();
  }
}

/** Adds to each line what the row does not have. */
function linesOf(
  lines: readonly string[],
  ids: readonly string[],
  entries: ReadonlyMap<string, LogEntry>,
): [string, number] {
  let longest = 0;
  const all = lines.map((line, i) => {
    const id = ids[i] as string;
    const { position, receivedMs } = entries.get(id) as LogEntry;
    const beside = `"event_us":${microsecondsOfRecordId(id)},"position":${position},"received_ms":${receivedMs}`;
    longest = Math.max(longest, Buffer.byteLength(line));
    return `${line.slice(0, -1)},${beside}}\n`;
  });
  return [all.join(''), longest + BESIDE_BYTES];
}
const BESIDE_BYTES = 128;
