import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../context';
import { type AuditFiles, writeAuditFiles } from '../data/audit-files';
import { type Figure, reported } from '../figure';
import { MemoryWatch } from '../processes/memory';
import { createReadKey, createTenant, startService } from '../processes/service';
import { short } from '../report';

const FILES = 4;
const EVENTS_PER_FILE = 40_000;
const QUERYABLE_MS = 60_000;

interface Run {
  readonly rate: number;
  readonly agentMb: number;
  readonly serviceMb: number;
}

/** Audit files on disk until the public API counts their events: agent, service and database on this machine. */
export async function endToEnd(bench: Bench): Promise<Figure[]> {
  const folder = bench.folder('end-to-end');
  const files = writeAuditFiles(bench.machine.root, folder, FILES, EVENTS_PER_FILE);
  const runs: Run[] = [];
  try {
    for (let round = 0; round < bench.options.rounds; round++) {
      const run = await publish(bench, folder, files);
      bench.say(
        `  ${short(run.rate)} events/s, agent ${short(run.agentMb)} MB, service ${short(run.serviceMb)} MB`,
      );
      runs.push(run);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await (await bench.databases()).drop('end_to_end');
  }
  const note = `${files.events.toLocaleString('en')} events, ${short(files.bytes / 1e6)} MB in ${FILES} files, from the start of the agent's process`;
  return [
    reported(
      'end-to-end',
      'files to queryable',
      'events/s',
      runs.map((run) => run.rate),
      { note },
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
  const service = await startService(bench, url);
  try {
    const { tenantId, agentKey } = await createTenant(service, 'End to end');
    const readKey = await createReadKey(service, [tenantId]);
    const config = join(folder, 'agent.json');
    writeFileSync(config, agentConfig(service.server.url, agentKey, tenantId, folder));
    rmSync(join(folder, 'agent-data'), { recursive: true, force: true });
    const started = performance.now();
    const agentMb = await runAgent(bench, config);
    await untilCounted(service.server.url, readKey, files.events);
    const seconds = (performance.now() - started) / 1000;
    return { rate: files.events / seconds, agentMb, serviceMb: service.server.memory.read() ?? Number.NaN };
  } finally {
    await bench.untrack(service.server);
  }
}

const agentConfig = (url: string, key: string, tenantId: string, folder: string) =>
  JSON.stringify({
    CentralApi: { BaseUrl: url, ApiKey: key, TenantId: tenantId },
    EventHubPublisher: {
      Enabled: true,
      Databases: [
        {
          Name: 'Bench',
          Enabled: true,
          AuditSource: { Type: 'DirectFile', DirectFile: { AuditFilePath: join(folder, '*.sqlaudit') } },
        },
      ],
    },
  });

/** Publishes what is there. @returns the agent's peak memory in MB */
async function runAgent({ machine }: Bench, config: string): Promise<number> {
  const main = join(machine.root, 'dist/agent/main.js');
  const child = spawn(process.execPath, [main, 'run', '--config', config, '--once'], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const memory = new MemoryWatch(child.pid);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-2_000);
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const peak = memory.stop();
  if (code !== 0) throw new Error(`the agent ended with ${code}: ${log}`);
  return peak ?? Number.NaN;
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
