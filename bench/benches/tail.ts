import { Client } from 'pg';
import { toFeedItem } from '../../src/event/formats/feed-item';
import { DETAIL_COLUMNS, toStoredEvent } from '../../src/trail/event-rows';
import { idText } from '../../src/trail/evidence/batch-seal';
import { ID_BYTES, TILE_WIDTH } from '../../src/trail/evidence/tiles';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { compared, type Figure, reported } from '../figure';
import { createReadKey, startService } from '../processes/service';
import { short } from '../report';

const PATH = '/api/v1/public/audit-activity/tail';
const PAGE = 5_000;
const PATIENCE_MS = 600_000;
const HALF_OF_BY_HAND = { atLeast: 0.5 } as const;

/** Events a second that one key pulls from the beginning to the end, against the same lines written by hand. */
export async function tail(bench: Bench): Promise<Figure[]> {
  const dataset = await bench.dataset(bench.options.rows);
  const service = await startService(bench, dataset.url);
  const tenantId = Number(dataset.tenantIds[0]);
  const key = await createReadKey(service, [String(tenantId)]);
  const client = new Client({ connectionString: dataset.url });
  await client.connect();
  const size = await sequenced(client, tenantId);
  const rate = (work: () => Promise<number>) => async () => {
    const begun = performance.now();
    const count = await work();
    if (count !== size) throw new Error(`${count} events of ${size} were read`);
    return (count / (performance.now() - begun)) * 1_000;
  };
  const rates = await alternate(
    bench.options.rounds,
    {
      tail: rate(() => pull(service.server.url, key)),
      hand: rate(() => byHand(client, tenantId, size)),
    },
    (_, round) => bench.say(`  tail ${short(round.tail)}, by hand ${short(round.hand)} events/s`),
  );
  const peakMb = service.server.memory.read();
  await client.end();
  await bench.untrack(service.server);
  const note = `${size} events of one tenant, pages of ${PAGE}, one after the other`;
  return [
    compared(
      { bench: 'tail', name: 'pulling', unit: 'events/s', target: HALF_OF_BY_HAND, note },
      rates.tail,
      {
        name: 'tiles and events by pg, JSON.stringify, no HTTP',
        values: rates.hand,
      },
    ),
    reported('tail', 'memory of the service', 'MB', [peakMb ?? Number.NaN]),
  ];
}

/** Until the log holds all that was loaded. */
async function sequenced(client: Client, tenantId: number): Promise<number> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM audit_log_queue) AS waiting,
         coalesce((SELECT size::float8 FROM audit_log_head WHERE tenant_id = $1), 0) AS size`,
      [tenantId],
    );
    if (rows[0].waiting === 0 && rows[0].size > 0) return rows[0].size;
    if (performance.now() > end) throw new Error('the evidence log does not catch up');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function pull(url: string, key: string): Promise<number> {
  let [place, count] = ['from=beginning', 0];
  for (;;) {
    const headers = { 'X-Api-Key': key, Accept: 'application/x-ndjson' };
    const response = await fetch(`${url}${PATH}?limit=${PAGE}&${place}`, { headers });
    if (!response.ok) throw new Error(await response.text());
    const body = Buffer.from(await response.arrayBuffer());
    for (let at = body.indexOf(10); at >= 0; at = body.indexOf(10, at + 1)) count++;
    if (response.headers.get('X-Caught-Up') === 'true') return count;
    place = `cursor=${response.headers.get('X-Next-Cursor')}`;
  }
}

async function byHand(client: Client, tenantId: number, size: number): Promise<number> {
  let [count, bytes] = [0, 0];
  for (let from = 0; from < size; from += PAGE) {
    const tiles = await client.query({
      name: 'tiles',
      text: `SELECT tile, record_ids FROM audit_log_tile WHERE tenant_id = $1 AND level = 0 AND tile >= $2 AND tile <= $3 ORDER BY tile`,
      values: [tenantId, Math.floor(from / TILE_WIDTH), Math.floor((from + PAGE - 1) / TILE_WIDTH)],
    });
    const places = new Map<string, number>();
    for (const { tile, record_ids } of tiles.rows)
      for (let at = 0; at < record_ids.length / ID_BYTES; at++) {
        const position = tile * TILE_WIDTH + at;
        if (position >= from && position < from + PAGE)
          places.set(idText(record_ids.subarray(at * ID_BYTES, (at + 1) * ID_BYTES)), position);
      }
    const { rows } = await client.query({
      name: 'events',
      text: `SELECT ${DETAIL_COLUMNS.sql} FROM audit_event e WHERE e.tenant_id = $1 AND e.record_id = ANY($2::uuid[])`,
      values: [tenantId, [...places.keys()]],
    });
    const lines = rows
      .map((row) => ({
        event: toStoredEvent(row),
        position: places.get(row.record_id) ?? 0,
        receivedAt: null,
      }))
      .sort((a, b) => a.position - b.position)
      .map((item) => `${JSON.stringify(toFeedItem(item))}\n`);
    count += lines.length;
    bytes += Buffer.from(lines.join('')).length;
  }
  return bytes > 0 ? count : 0;
}
