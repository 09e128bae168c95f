import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { toFeedItem } from '../../src/event/formats/feed-item';
import { ID_BYTES, idText } from '../../src/event/record-id';
import { TILE_WIDTH } from '../../src/store/log/evidence/tiles';
import { DETAIL_COLUMNS, toStoredEvent } from '../../src/store/rows/event-rows';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { compared, type Figure, percentile, reported } from '../figure';
import type { Datasets } from '../load/dataset';
import { bodyOf, Sender } from '../load/sender';
import { sequenced } from '../load/sequenced';
import { createReadKey, createTenant, type Service, startService } from '../processes/service';
import { short } from '../report';

const PATH = '/api/v1/public/audit-activity/tail';
const PAGE = 5_000;
const WAITS = 100;
const WAIT_SECONDS = 20;
/** The wait between batches, so that batches meet background tasks at any moment of their rounds. */
const PAUSE_MS = 700;
const LATE_MS = { under: 2_500 } as const;
const HALF_OF_BY_HAND = { atLeast: 0.5 } as const;

/** Events a second that one key pulls from the beginning to the end, against the same lines written by hand. */
export async function tail(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const dataset = await datasets.of(bench.options.rows);
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
  const everyone = await ofAll(bench, service, client, dataset.tenantIds.map(Number));
  const waited = await waits(service);
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
    everyone,
    reported(
      'tail',
      'wait: from the receipt of ingest to the answer, 99th percentile',
      'ms',
      [percentile(waited, 0.99)],
      {
        target: LATE_MS,
        note: `${WAITS} batches of one event; median ${short(percentile(waited, 0.5))} ms`,
      },
    ),
    reported('tail', 'memory of the service', 'MB', [peakMb ?? Number.NaN]),
  ];
}

/** The same, once, for a key of every tenant: all events of the run. */
async function ofAll(bench: Bench, service: Service, client: Client, tenantIds: readonly number[]) {
  const key = await createReadKey(service, tenantIds.map(String));
  const sizes: number[] = [];
  for (const tenantId of tenantIds) sizes.push(await sequenced(client, tenantId));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const rateOf = async (work: () => Promise<number>) => {
    const begun = performance.now();
    const count = await work();
    if (count !== all) throw new Error(`${count} events of ${all} were read`);
    return (count / (performance.now() - begun)) * 1_000;
  };
  const tailed = await rateOf(() => pull(service.server.url, key));
  const hand = await rateOf(async () => {
    let count = 0;
    for (const [i, tenantId] of tenantIds.entries()) count += await byHand(client, tenantId, sizes[i] ?? 0);
    return count;
  });
  bench.say(`  of all tenants: tail ${short(tailed)}, by hand ${short(hand)} events/s`);
  const note = `${all} events of ${tenantIds.length} tenants, once`;
  return compared(
    { bench: 'tail', name: 'pulling, a key of all tenants', unit: 'events/s', target: HALF_OF_BY_HAND, note },
    [tailed],
    { name: 'the same by hand, tenant after tenant', values: [hand] },
  );
}

/** Milliseconds from the receipt of an event to the answer of a call that waits for it. */
async function waits(service: Service): Promise<number[]> {
  const { tenantId, agentKey } = await createTenant(service, 'Waiting');
  const key = await createReadKey(service, [tenantId]);
  const sender = new Sender(service.server.url, 1);
  const times: number[] = [];
  let place = 'from=now';
  for (let n = 0; n < WAITS; n++) {
    const began = performance.now();
    const next = ask(service.server.url, key, `${place}&wait=0`);
    const cursor = (await next).meta.nextCursor;
    const waiting = ask(service.server.url, key, `cursor=${cursor}&wait=${WAIT_SECONDS}`);
    const answered = waiting.then((page) => ({ page, at: performance.now() }));
    await new Promise((resolve) => setTimeout(resolve, (n / WAITS) * PAUSE_MS));
    await sender.send(agentKey, bodyOf(JSON.stringify([anEvent(n)])));
    const receipt = performance.now();
    const { page, at } = await answered;
    if (page.data.length !== 1) {
      const after = `${short(at - began)} ms, ${short(at - receipt)} ms after the receipt of event ${n}`;
      const more = await ask(service.server.url, key, `cursor=${page.meta.nextCursor}&wait=${WAIT_SECONDS}`);
      const { caughtUp, removed } = page.meta;
      throw new Error(
        `a call answered ${page.data.length} events after ${after}; caughtUp ${caughtUp}, removed ${removed}; the next one has ${more.data.length}`,
      );
    }
    times.push(Math.max(0, at - receipt));
    place = `cursor=${page.meta.nextCursor}`;
  }
  sender.close();
  return times;
}

interface Page {
  readonly data: readonly object[];
  readonly meta: { readonly nextCursor: string; readonly caughtUp: boolean; readonly removed: number };
}

async function ask(url: string, key: string, query: string): Promise<Page> {
  const response = await fetch(`${url}${PATH}?${query}`, { headers: { 'X-Api-Key': key } });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Page;
}

const anEvent = (n: number) => ({
  eventTime: new Date().toISOString(),
  actionId: 'SL',
  succeeded: true,
  statement: `SELECT ${n}`,
  serverInstanceName: 'SQL01',
  serverPrincipalName: 'sa',
  sourceType: 'DirectFile',
  file: 'a.sqlaudit',
  fileGuid: randomUUID(),
  blockOffset: 512,
  index: 0,
  parts: 1,
});

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
