import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from '../test/database/citus/support/worker';
import { Caller, Lane, type Stretch } from './cluster/lane';
import { Cluster } from './cluster/nodes';
import { Bench } from './context';
import { Calendar } from './data/calendar';
import { EventSource } from './data/event-source';
import { sharesOf } from './data/tenants';
import { bodyOf } from './load/sender';
import type { Machine } from './machine';
import { createReadKey, createTenant, type Service, startService } from './processes/service';
import { machineOf, short, writeJson } from './report';

const SHARDS = 24;
const LOAD_LANES = 3;
const PACED_BATCH = 200;
const API = '/api/v1/public/audit-activity';
const PATHS = [
  `${API}?pageSize=20`,
  `${API}?pageSize=20&actionId=UP`,
  `${API}?pageSize=20&filter=${encodeURIComponent('actionId:UP AND NOT principalName:sa')}`,
  `${API}/summary`,
];
/** The list again, at a page far from the newest, to see what such a page costs. */
const DEEP = `${API}?pageSize=20&page=200`;

/** `npm run bench -- --cluster`: the whole product on a Citus cluster, with a worker lost and another added under load. */
export async function main(machine: Machine): Promise<number> {
  const { values } = parseArgs({
    args: [...machine.argv],
    options: {
      rows: { type: 'string', default: '500000' },
      seconds: { type: 'string', default: '30' },
      keep: { type: 'boolean', default: false },
    },
  });
  const [rows, seconds] = [Number(values.rows), Number(values.seconds)];
  const bench = new Bench(machine, {
    names: ['cluster'],
    rows,
    growthRows: rows,
    rounds: 1,
    keep: true,
    fresh: true,
    profile: false,
    json: null,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void bench.close().finally(() => process.exit(130)));
  const cluster = await Cluster.make(machine.root, SHARDS);
  try {
    const result = await run(bench, cluster, { rows, seconds });
    writeJson(join(machine.work, 'results/cluster.json'), { machine: machineOf('Citus'), rows, ...result });
    return result.isSound ? 0 : 1;
  } finally {
    await bench.close();
    if (!values.keep) await cluster.drop();
  }
}

async function run(bench: Bench, cluster: Cluster, { rows, seconds }: { rows: number; seconds: number }) {
  const env = { ...cluster.settings, REDIS_URL: await bench.redisUrl(0), LOG_LEVEL: 'warn' };
  const service = await startService(bench, cluster.settings.DATABASE_URL, env);
  const caller = bench.track(new ClosingCaller(service.server.url));
  const lanes = await lanesOf(service, caller, rows);
  const tenantIds = lanes.map(({ tenant }) => tenant.tenantId);
  const figures: Record<string, unknown> = {};
  const note = (name: string, figure: unknown) => {
    figures[name] = figure;
    bench.say(`${name}: ${JSON.stringify(figure)}`);
  };

  const startMs = performance.now();
  const left = lanes.map((lane, i) => ({ lane, batches: Math.ceil((sharesOf(rows)[i] ?? 0) / BIG_BATCH) }));
  await Promise.all(
    Array.from({ length: LOAD_LANES }, async (_, of) => {
      // Each loader takes turns among its tenants, one batch at a time.
      const mine = left.filter((_each, i) => i % LOAD_LANES === of);
      while (mine.some(({ batches }) => batches > 0))
        for (const each of mine) if (each.batches-- > 0) await each.lane.send();
    }),
  );
  note('load', { ...figureOf(lanes, performance.now() - startMs) });
  const behindMs = performance.now();
  await caughtUp(cluster);
  note('caught up after', `${((performance.now() - behindMs) / 1000).toFixed(1)} s`);

  const all = await createReadKey(service, tenantIds);
  for (const path of [...PATHS, DEEP]) {
    note(
      `busiest tenant ${decodeURIComponent(path)}`,
      await timesOf(caller, path, lanes[0]?.tenant.readKey ?? ''),
    );
    note(`20 tenants ${decodeURIComponent(path)}`, await timesOf(caller, path, all));
  }

  const running = Promise.all(lanes.map((lane) => lane.run({ batch: 1, read: 1 })));
  const [first] = cluster.workers;
  const worker = await Worker.find(first as URL);
  if (!worker) throw new Error('the first worker does not run on this machine: it cannot be killed');
  const places = await cluster.placesOf(tenantIds);
  const isLost = ({ tenant }: Lane) => places.get(tenant.tenantId) === Number(worker.node.port);
  const [lost, others] = [lanes.filter(isLost), lanes.filter((lane) => !isLost(lane))];
  const stretch = async (name: string, work: Promise<unknown>) => {
    const fromMs = performance.now();
    await work;
    const ms = performance.now() - fromMs;
    note(name, { tenantsOfTheWorker: figureOf(lost, ms), others: figureOf(others, ms) });
  };
  for (const lane of lanes) lane.look();
  await stretch('at rest', sleep(seconds * 1000));
  worker.kill();
  await stretch('a worker lost', sleep(seconds * 1000));
  const backMs = performance.now();
  await worker.start();
  note('started again in', `${((performance.now() - backMs) / 1000).toFixed(1)} s`);
  await stretch('the worker back', sleep(seconds * 1000));
  await cluster.add(cluster.spare);
  let moves: unknown;
  await stretch(
    'a worker added, shards moving',
    cluster.rebalance().then((done) => {
      moves = done;
    }),
  );
  note('moves', moves);
  await stretch('after the moves', sleep(seconds * 1000));
  for (const lane of lanes) lane.stop();
  await running;

  await caughtUp(cluster);
  const acknowledged = lanes.reduce((sum, lane) => sum + lane.acknowledged, 0);
  const stored = Number((await cluster.ask<{ n: string }>('SELECT count(*) AS n FROM audit_event'))[0]?.n);
  const summary = await caller.ask('GET', `${API}/summary`, all);
  const counted = JSON.parse(summary.text).data?.totalCount;
  const logged = await loggedOf(caller, lanes, acknowledged);
  const isSound = [stored, counted, logged].every((n) => n === acknowledged);
  note('acknowledged, stored, counted, in the evidence log', [acknowledged, stored, counted, logged]);
  return { figures, isSound };
}

const BIG_BATCH = 5_000;

class ClosingCaller extends Caller {
  override async close(): Promise<void> {
    super.close();
  }
}

/** Waits until counts are folded and hours are indexed. Before that, a query by columns has to read events. */
async function caughtUp(cluster: Cluster): Promise<void> {
  for (;;) {
    const [left] = await cluster.ask<{ n: string }>(
      'SELECT (SELECT count(*) FROM audit_delta) + (SELECT count(*) FROM audit_unindexed) AS n',
    );
    if (left?.n === '0') return;
    await sleep(200);
  }
}

/** A lane for each of 20 tenants, the busiest first. It sends the large batches of the load, then small ones. */
async function lanesOf(service: Service, caller: Caller, rows: number): Promise<Lane[]> {
  const lanes: Lane[] = [];
  for (const [i, share] of sharesOf(rows).entries()) {
    const { tenantId, agentKey } = await createTenant(service, `Tenant ${i}`);
    const readKey = await createReadKey(service, [tenantId]);
    lanes.push(new Lane(caller, { tenantId, agentKey, readKey }, batchesOf(i, share), PATHS));
  }
  return lanes;
}

function* batchesOf(tenant: number, share: number) {
  const load = new EventSource(tenant, share, new Calendar());
  for (let n = 0; n < load.batches; n++) yield { body: bodyOf(load.batch(n)), events: load.sizeOf(n) };
  // Another number of events gives other files, and so other events.
  const paced = new EventSource(tenant, share + 1_000_000, new Calendar(1));
  for (let n = 0; n < paced.batches; n++) {
    const events = JSON.parse(paced.batch(n)) as object[];
    for (let from = 0; from < events.length; from += PACED_BATCH) {
      const some = events.slice(from, from + PACED_BATCH);
      yield { body: bodyOf(JSON.stringify(some)), events: some.length };
    }
  }
}

/** The figures of all lanes since the last look. Times are in ms. */
function figureOf(lanes: readonly Lane[], ms: number) {
  const stretches = lanes.map((lane) => lane.look());
  const of = (kind: 'batches' | 'reads') => ({
    ...spreadOf(stretches.flatMap((each: Stretch) => each[kind].ms)),
    refused: stretches.reduce((sum, each) => sum + each[kind].refused, 0),
  });
  const events = stretches.reduce((sum, each) => sum + each.events, 0);
  return {
    tenants: lanes.length,
    seconds: Number((ms / 1000).toFixed(1)),
    eventsPerSecond: short((events * 1000) / ms),
    batches: of('batches'),
    reads: of('reads'),
  };
}

async function timesOf(caller: Caller, path: string, key: string) {
  const times: number[] = [];
  for (let n = 0; n < READS; n++) {
    const startMs = performance.now();
    const { status, text } = await caller.ask('GET', path, key);
    if (status !== 200) return `${status} ${text.slice(0, 300)}`;
    times.push(performance.now() - startMs);
  }
  return spreadOf(times);
}
const READS = 60;

function spreadOf(times: readonly number[]) {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) =>
    short(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Waits for the evidence log, which follows the events. @returns the sum of the sizes of all tenants' logs */
async function loggedOf(caller: Caller, lanes: readonly Lane[], wanted: number): Promise<number> {
  const end = performance.now() + 600_000;
  for (;;) {
    let sum = 0;
    for (const { tenant } of lanes) {
      const query = `{ auditLog(tenantId: "${tenant.tenantId}") { size } }`;
      const body = Buffer.from(JSON.stringify({ query }));
      const { text } = await caller.ask('POST', '/graphql', tenant.readKey, body);
      sum += Number(JSON.parse(text).data?.auditLog?.size ?? 0);
    }
    if (sum >= wanted || performance.now() > end) return sum;
    await sleep(1_000);
  }
}
