import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Bench } from './context';
import { Calendar } from './data/calendar';
import { BATCH_EVENTS } from './data/event-source';
import { caughtUp } from './load/backlog';
import { Datasets } from './load/dataset';
import type { Machine } from './machine';
import { withClient } from './processes/databases';
import { createAgentKey, createReadKey, startService } from './processes/service';
import { machineOf, writeJson } from './report';
import { PacedLoad, type Rates } from './soak/paced-load';
import { flatnessOf, memoryMbOf, type Sample, sampleOf, soakTable } from './soak/samples';

const ROWS = 200_000;
const SAMPLE_SECONDS = 10;
const WARM_UP_SECONDS = 10;
/** The time at the paced rates before the first sample: PostgreSQL's vacuum begins only after a minute or two. */
const SETTLE_SECONDS = 120;
/** The share of the rate that each reaches alone at full speed: both together take about half of the machine. */
const SHARE = 0.25;
/** The factor of events made beyond those that are due, because the last batches of each tenant are small. */
const SPARE = 1.2;
const READ_KEYS = 32;
const USAGE = 'usage: npm run soak -- [--minutes N] [--reads N] [--batches N] [--json FILE]';

/** `npm run soak`: reads and ingest at once, for long. @returns 0 if all stayed flat and nothing failed or was lost */
export async function main(machine: Machine): Promise<number> {
  const { values } = parseArgs({
    args: [...machine.argv],
    options: {
      minutes: { type: 'string', default: '10' },
      reads: { type: 'string' },
      batches: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(USAGE);
  const options = { names: ['soak'], rows: ROWS, growthRows: ROWS, rounds: 1, json: values.json ?? null };
  const bench = new Bench(machine, { ...options, keep: false, fresh: true, profile: false });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void bench.close().finally(() => process.exit(130)));
  try {
    const asked =
      values.reads && values.batches
        ? { reads: Number(values.reads), batches: Number(values.batches) }
        : null;
    const result = await soak(bench, minutes * 60, asked);
    const content = { machine: machineOf(await bench.describeServer()), minutes, ...result };
    for (const file of [join(machine.work, 'results/soak.json'), ...(values.json ? [values.json] : [])])
      writeJson(file, content);
    process.stdout.write(`\n${soakTable(result.samples, result.flatness)}\n\n${result.verdict}\n`);
    return result.isSound ? 0 : 1;
  } finally {
    await bench.close();
  }
}

async function soak(bench: Bench, seconds: number, asked: Rates | null) {
  const dataset = await new Datasets(bench).of(bench.options.rows);
  const env = { REDIS_URL: await bench.redisUrl(0), LOG_LEVEL: 'warn' };
  const service = await startService(bench, dataset.url, env);
  const tenantIds = dataset.tenantIds.map(String);
  const [busiest = ''] = tenantIds;
  const readKeys = await Promise.all(
    Array.from({ length: READ_KEYS }, () => createReadKey(service, [busiest])),
  );
  const agentKeys = await Promise.all(tenantIds.map((tenantId) => createAgentKey(service, tenantId)));
  const loadOf = (name: number, count: number) =>
    new PacedLoad(service.server.url, readKeys, agentKeys, {
      // Another number of events gives other files, and so other events.
      count: count + name,
      calendar: Calendar.denseFor(count),
    });

  let accepted = 0;
  const finish = (load: PacedLoad) => {
    accepted += load.accepted;
    load.close();
  };
  const flatOut = loadOf(1, 2_000_000);
  await flatOut.run({ reads: Infinity, batches: 0 }, WARM_UP_SECONDS);
  await flatOut.run({ reads: 0, batches: Infinity }, WARM_UP_SECONDS);
  const { readMs, batchMs } = flatOut.look();
  finish(flatOut);
  const rates = asked ?? {
    reads: (SHARE * readMs.length) / WARM_UP_SECONDS,
    batches: (SHARE * batchMs.length) / WARM_UP_SECONDS,
  };
  bench.say(
    `paced: ${rates.reads.toFixed(0)} reads/s, ${(rates.batches * BATCH_EVENTS).toFixed(0)} events/s, ${seconds} s`,
  );

  const count = SPARE * (rates.batches * (seconds + SETTLE_SECONDS) + tenantIds.length) * BATCH_EVENTS;
  const load = loadOf(2, Math.ceil(count));
  await load.run(rates, SETTLE_SECONDS);
  load.look();
  return withClient(dataset.url, async (client) => {
    const samples: Sample[] = [];
    const startMs = performance.now();
    let lastMs = startMs;
    const look = async () => {
      const window = load.look();
      const nowMs = performance.now();
      const span = { seconds: (nowMs - startMs) / 1000, lengthSeconds: (nowMs - lastMs) / 1000 };
      lastMs = nowMs;
      const { rows } = await client.query(
        `SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())::int AS connections,
           (SELECT coalesce(sum(events), 0) FROM audit_log_queue)::int AS "evidenceWaiting"`,
      );
      samples.push(sampleOf(window, span, { memoryMb: memoryMbOf(service.server.pid), ...rows[0] }));
      const { readP99Ms, memoryMb, errors } = samples.at(-1) as Sample;
      bench.say(
        `  ${span.seconds.toFixed(0)} s: read p99 ${readP99Ms.toFixed(0)} ms, ${memoryMb.toFixed(0)} MB, ${errors} errors`,
      );
    };
    let looking = Promise.resolve();
    const timer = setInterval(() => {
      looking = look();
    }, SAMPLE_SECONDS * 1000);
    await load.run(rates, seconds);
    clearInterval(timer);
    await looking;
    finish(load);
    await caughtUp(client, false);
    const key = await createReadKey(service, tenantIds);
    const answer = await fetch(`${service.server.url}/api/v1/public/audit-activity/summary`, {
      headers: { 'X-Api-Key': key },
    });
    const { data } = (await answer.json()) as { data: { totalCount: number } };
    const { rows } = await client.query('SELECT count(*)::int AS n FROM audit_event');
    const expected = dataset.rows + accepted;
    const flatness = flatnessOf(samples);
    const errors = samples.reduce((sum, sample) => sum + sample.errors, 0);
    const isSound =
      flatness.every(({ isFlat }) => isFlat) &&
      errors === 0 &&
      rows[0].n === expected &&
      data.totalCount === expected;
    const verdict = `${isSound ? 'SOUND' : 'NOT SOUND'}: ${errors} errors; acknowledged ${expected}, stored ${rows[0].n}, counted ${data.totalCount}`;
    return {
      rates,
      samples,
      flatness,
      errors,
      expected,
      stored: rows[0].n,
      counted: data.totalCount,
      isSound,
      verdict,
    };
  });
}
