import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { agentConfig } from '../data/agent-config';
import { type AuditFiles, writeAuditFiles } from '../data/audit-files';
import { compared, type Figure, reported } from '../figure';
import { IngestArena } from '../load/ingest-arena';
import { effortOf, familyMs, processMs } from '../processes/processor-time';
import { createReadKey, createTenant, startService } from '../processes/service';
import { runMeasured } from '../processes/usage';
import { short } from '../report';

const FILES = 4;
const EVENTS_PER_FILE = 40_000;
const QUERYABLE_MS = 60_000;

interface Run {
  readonly rate: number;
  /** Processor time, in milliseconds. */
  readonly agentMs: number;
  readonly serviceMs: number;
  readonly postgresMs: number;
  readonly agentMb: number;
  readonly serviceMb: number;
}

/** Audit files on disk until the public API counts their events: agent, service and database on this machine. */
export async function endToEnd(bench: Bench): Promise<Figure[]> {
  const folder = bench.folder('end-to-end');
  const files = writeAuditFiles(bench.machine.root, folder, FILES, EVENTS_PER_FILE);
  const runs: Run[] = [];
  const rates = { files: [] as number[], mutation: [] as number[] };
  try {
    const arena = await IngestArena.open(bench, files.events);
    const subjects = {
      files: async () => {
        const run = await publish(bench, folder, files);
        runs.push(run);
        return run.rate;
      },
      mutation: async () => (await arena.measure(false)).rate,
    };
    const results = await alternate(bench.options.rounds, subjects, (_, round) =>
      bench.say(`  files ${short(round.files)}, mutation ${short(round.mutation)} events/s`),
    );
    rates.files.push(...results.files);
    rates.mutation.push(...results.mutation);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await (await bench.databases()).drop('end_to_end');
    await (await bench.databases()).drop('ingest_template');
  }
  const note = `${files.events.toLocaleString('en')} events, ${short(files.bytes / 1e6)} MB in ${FILES} files, from the start of the agent's process`;
  return [
    compared(
      { bench: 'end-to-end', name: 'files to queryable', unit: 'events/s', target: { atLeast: 0.7 }, note },
      rates.files,
      { name: 'mutation, 5,000 events, 3 connections', values: rates.mutation },
    ),
    ...(['agentMs', 'serviceMs', 'postgresMs'] as const).map((name) =>
      reported(
        'end-to-end',
        `processor time, ${name === 'agentMs' ? 'agent' : name === 'serviceMs' ? 'service' : 'PostgreSQL'}`,
        'µs/event',
        runs.map((run) => (run[name] * 1000) / files.events),
      ),
    ),
    reported(
      'end-to-end',
      'memory of the agent',
      'MB',
      runs.map((run) => run.agentMb),
    ),
    reported(
      'end-to-end',
      'memory of the service',
      'MB',
      runs.map((run) => run.serviceMb),
    ),
  ];
}

async function publish(bench: Bench, folder: string, files: AuditFiles): Promise<Run> {
  const url = await (await bench.databases()).create('end_to_end');
  const service = await startService(bench, url, { LOG_LEVEL: 'warn', SEARCH_INDEX: 'off' });
  try {
    const { tenantId, agentKey } = await createTenant(service, 'End to end');
    const readKey = await createReadKey(service, [tenantId]);
    const config = join(folder, 'agent.json');
    writeFileSync(config, agentConfig(service.server.url, agentKey, tenantId, folder));
    rmSync(join(folder, 'agent-data'), { recursive: true, force: true });
    const clocks = {
      service: () => processMs(service.server.pid),
      postgres: () => familyMs(bench.postgresPid),
    };
    const { value: agent, effort } = await effortOf(clocks, async () => {
      const usage = await runMeasured(folder, [
        join(bench.machine.root, 'dist/agent/main.js'),
        ...['run', '--config', config, '--once'],
      ]);
      await untilCounted(service.server.url, readKey, files.events);
      return usage;
    });
    return {
      rate: files.events / (effort.wall / 1000),
      agentMs: agent.processorMs,
      serviceMs: effort.service,
      postgresMs: effort.postgres,
      agentMb: agent.peakMb,
      serviceMb: service.server.memory.read() ?? Number.NaN,
    };
  } finally {
    await bench.untrack(service.server);
  }
}

async function untilCounted(url: string, key: string, events: number): Promise<void> {
  const end = performance.now() + QUERYABLE_MS;
  let last = '';
  while (performance.now() < end) {
    const response = await fetch(`${url}/api/v1/public/audit-activity?pageSize=1`, {
      headers: { 'X-Api-Key': key },
    });
    last = await response.text();
    if ((JSON.parse(last) as { meta?: { totalCount?: number } }).meta?.totalCount === events) return;
    await sleep(20);
  }
  throw new Error(`not all events are counted: ${last.slice(0, 300)}`);
}
