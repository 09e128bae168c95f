import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { compared, type Figure, reported } from '../figure';
import type { LoadPlan, LoadResult } from '../http/load-generator';
import type { Datasets } from '../load/dataset';
import { ChildServer } from '../processes/child-server';
import { type Effort, effortOf, familyMs, processMs } from '../processes/processor-time';
import { createReadKey, startService } from '../processes/service';
import { short } from '../report';

const CONNECTIONS = 32;
/** V8 compiles what runs often in steps: a server that has just started answers more slowly. */
const COMPILED_MS = 12_000;
const WARM_UP_MS = 1_000;
const MEASURE_MS = 4_000;
const PATH = '/api/v1/public/audit-activity?page=1&pageSize=20';
const TARGET = { atLeast: 0.75 } as const;
const CALM_TARGET = { atMost: 1.5 } as const;
type Server = 'facade' | 'express' | 'unnamed';

/** List pages a second of the façade against the same answer written by hand. */
export async function read(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const dataset = await datasets.of(bench.options.rows);
  const service = await startService(bench, dataset.url, { REDIS_URL: await bench.redisUrl(0) });
  const byHand = async (database: number, statements: string) =>
    bench.track(
      await ChildServer.start(join(bench.machine.build, 'bench/http/express-server.js'), {
        env: { DATABASE_URL: dataset.url, REDIS_URL: await bench.redisUrl(database), STATEMENTS: statements },
        cwd: bench.machine.root,
      }),
    );
  const servers: Record<Server, ChildServer> = {
    facade: service.server,
    express: await byHand(1, 'named'),
    unnamed: await byHand(2, 'unnamed'),
  };
  const busiest = [String(dataset.tenantIds[0])];
  const keys = await Promise.all(Array.from({ length: CONNECTIONS }, () => createReadKey(service, busiest)));
  await assertSameAnswer(servers, keys[0] ?? '');

  const latencies: Record<Server, LoadResult[]> = { facade: [], express: [], unnamed: [] };
  const efforts: Record<Server, Effort<'server' | 'postgres'>[]> = { facade: [], express: [], unnamed: [] };
  const planFor = (name: Server, measureMs: number, perSecond: number | null = null): LoadPlan => ({
    port: Number(new URL(servers[name].url).port),
    path: PATH,
    keys,
    warmUpMs: WARM_UP_MS,
    measureMs,
    perSecond,
  });
  const measure = (name: Server) => async () => {
    const clocks = {
      server: () => processMs(servers[name].pid),
      postgres: () => familyMs(bench.postgresPid),
    };
    const { value: result, effort } = await effortOf(clocks, () =>
      generateLoad(bench, planFor(name, MEASURE_MS)),
    );
    latencies[name].push(result);
    efforts[name].push(effort);
    return result.requestsPerSecond;
  };
  /** The 99th percentile while requests come at half of the rate that the server reached in the same round. */
  const measureCalm = (name: Server) => async (round: number) => {
    const highest = latencies[name][round]?.requestsPerSecond ?? Number.NaN;
    return (await generateLoad(bench, planFor(name, MEASURE_MS, highest / 2))).p99Ms;
  };
  for (const name of Object.keys(servers) as Server[]) await generateLoad(bench, planFor(name, COMPILED_MS));
  const rates = await alternate(
    bench.options.rounds,
    { facade: measure('facade'), express: measure('express'), unnamed: measure('unnamed') },
    (_, round) =>
      bench.say(
        `  façade ${short(round.facade)}, by hand ${short(round.express)}, by hand without a named statement ${short(round.unnamed)} req/s`,
      ),
  );
  const calm = await alternate(
    bench.options.rounds,
    { facade: measureCalm('facade'), express: measureCalm('express') },
    (_, round) =>
      bench.say(`  p99 at half of that: façade ${short(round.facade)}, by hand ${short(round.express)} ms`),
  );
  const peakMb = service.server.memory.read();
  for (const server of Object.values(servers)) await bench.untrack(server);

  const about = { bench: 'read', unit: 'req/s' };
  const of = (name: Server, pick: (result: LoadResult) => number) => latencies[name].map(pick);
  const versus = (pick: (result: LoadResult) => number) => ({
    name: 'Express + pg',
    values: of('express', pick),
  });
  const plain = { name: 'Express + pg, statement not named', values: rates.unnamed };
  const [bytes] = of('facade', (result) => result.bytes);
  const note = `page 1, 20 rows, ${bytes} bytes, ${CONNECTIONS} connections; the hand-written server names its statement, so that PostgreSQL plans it once a connection`;
  return [
    compared(
      { ...about, name: 'list page', target: TARGET, note },
      rates.facade,
      versus((r) => r.requestsPerSecond),
    ),
    compared({ ...about, name: 'list page', target: null }, rates.facade, plain),
    ...(['p50Ms', 'p99Ms'] as const).map((key) =>
      compared(
        { bench: 'read', unit: 'ms', name: key.slice(0, 3), target: null },
        of('facade', (r) => r[key]),
        versus((r) => r[key]),
      ),
    ),
    compared(
      { bench: 'read', unit: 'ms', name: 'p99 at half of its highest rate', target: CALM_TARGET },
      calm.facade,
      { name: 'Express + pg', values: calm.express },
    ),
    ...(['server', 'postgres'] as const).map((clock) => processorFigure(clock, efforts, latencies)),
    reported('read', 'memory of the service', 'MB', [peakMb ?? Number.NaN]),
  ];
}

/** Of the façade's process, and of PostgreSQL while it asks, against the same for the server written by hand. */
function processorFigure(
  clock: 'server' | 'postgres',
  efforts: Readonly<Record<Server, readonly Effort<'server' | 'postgres'>[]>>,
  results: Readonly<Record<Server, readonly LoadResult[]>>,
): Figure {
  // The warm-up is answered too, at the same rate.
  const seconds = (WARM_UP_MS + MEASURE_MS) / 1000;
  const of = (server: Server) =>
    efforts[server].map(
      (effort, round) => effort[clock] / ((results[server][round]?.requestsPerSecond ?? 0) * seconds),
    );
  const name = `processor time an answer, ${clock === 'server' ? 'service' : 'PostgreSQL'}`;
  return compared({ bench: 'read', name, unit: 'ms', target: null }, of('facade'), {
    name: 'Express + pg',
    values: of('express'),
  });
}

async function generateLoad(bench: Bench, plan: LoadPlan): Promise<LoadResult> {
  const script = join(bench.machine.build, 'bench/http/load-generator.js');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(plan)]);
  return JSON.parse(stdout) as LoadResult;
}

/** A server that answers less is faster, so all answers must be the same, except for their timestamp. */
async function assertSameAnswer(servers: Readonly<Record<Server, ChildServer>>, key: string): Promise<void> {
  const answers = await Promise.all(
    Object.values(servers).map(async ({ url }) => {
      const response = await fetch(url + PATH, { headers: { 'X-Api-Key': key } });
      return (await response.text()).replace(/"timestamp":"[^"]*"/, '');
    }),
  );
  const [first = '', ...others] = answers;
  for (const other of others.filter((answer) => answer !== first)) {
    const at = [...first].findIndex((character, i) => character !== other[i]);
    const around = (text: string) => text.slice(Math.max(0, at - 100), at + 100);
    throw new Error(`the servers answer differently:\n${around(first)}\n${around(other)}`);
  }
}
