import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { agentConfig } from '../data/agent-config';
import { type AuditFiles, writeAuditFiles } from '../data/audit-files';
import { compared, type Figure, reported } from '../figure';
import { IngestSink } from '../http/ingest-sink';
import { runMeasured, type Usage } from '../processes/usage';
import { short } from '../report';

/** The release that the agent's processor time is compared with. */
const BEFORE = '62fc9b1';
const FILES = 4;
const EVENTS_PER_FILE = 25_000;
const MICROSECONDS = { bench: 'agent', unit: 'µs/event' } as const;

/** Processor time of the agent's process, from audit files to the last receipt, beside the agent of a release before. */
export async function agent(bench: Bench): Promise<Figure[]> {
  const folder = bench.folder('agent');
  const files = writeAuditFiles(bench.machine.root, folder, FILES, EVENTS_PER_FILE);
  const { root } = bench.machine;
  const packed = join(root, `test/fixtures/releases/release-${BEFORE}.tar.gz`);
  execFileSync('tar', ['-xzf', packed, '-C', folder]);
  const sink = await IngestSink.start();
  const usages: Record<'now' | 'before', Usage[]> = { now: [], before: [] };
  const run = async (which: 'now' | 'before') => {
    const main = join(which === 'now' ? root : folder, 'dist/agent/main.js');
    const usage = await publish(sink, folder, main, files);
    usages[which].push(usage);
    return (usage.processorMs * 1000) / files.events;
  };
  try {
    const subjects = { now: () => run('now'), before: () => run('before') };
    const { now, before } = await alternate(bench.options.rounds, subjects, (_, round) =>
      bench.say(`  ${short(round.now)} µs, before ${short(round.before)} µs an event`),
    );
    const megabytes = (which: 'now' | 'before') => usages[which].map(({ peakMb }) => peakMb);
    const note = `${files.events.toLocaleString('en')} events, ${Math.round(files.bytes / files.events)} B an event, its start included`;
    return [
      compared(
        { ...MICROSECONDS, name: 'processor time of the agent', target: { atMost: 1 / 3 }, note },
        now,
        { name: `agent of ${BEFORE}`, values: before },
      ),
      reported('agent', 'memory of the agent', 'MB', megabytes('now'), {
        target: { medianAtMost: 100 },
        note: `agent of ${BEFORE}: ${short(Math.max(...megabytes('before')))}`,
      }),
    ];
  } finally {
    await sink.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function publish(sink: IngestSink, folder: string, main: string, files: AuditFiles): Promise<Usage> {
  const config = join(folder, 'agent.json');
  writeFileSync(config, agentConfig(sink.url, 'aak_bench', '1', folder));
  rmSync(join(folder, 'agent-data'), { recursive: true, force: true });
  const before = sink.events;
  const usage = await runMeasured(folder, [main, 'run', '--config', config, '--once']);
  const sent = sink.events - before;
  if (sent !== files.events) throw new Error(`${sent} of ${files.events} events were sent`);
  return usage;
}
