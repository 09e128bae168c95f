import { existsSync, readFileSync } from 'node:fs';
import { AgentWorld } from './support/agent-world';
import { CompiledAgent } from './support/compiled-agent';
import { respond } from './support/fake-ingest-service';
import { writeBacklog } from './support/large-backlog';
import { until } from './support/until';

const PEAK_BYTES_MAX = 120e6;
// The kernel keeps a process' peak memory in /proc, which other systems lack.
const onLinux = existsSync('/proc/self/status') ? it : it.skip;

/** Peak memory of a process, in bytes. */
function peakOf(pid: number): number {
  const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

onLinux('an agent never takes more than 120 MB of memory, however much waits to be published', async () => {
  const world = await AgentWorld.create();
  const compiled = new CompiledAgent();
  // The default settings; the service of this test keeps no events.
  world.configure({}, { PollIntervalMs: 1_000, BatchMaxAgeMs: 500 });
  let published = 0;
  world.service.fault = ({ events }, response) => {
    published += events.length;
    const receipt = { accepted: events.length, duplicates: 0, rejected: [] };
    respond(response, 200, { data: { ingestAuditEvents: receipt } });
    return true;
  };
  const records = writeBacklog(world.auditFolder, 3, 25_000_000);
  const agent = compiled.start(['run', '--config', world.configPath]);
  try {
    await until('all published', () => published >= records, 50_000);
    expect(peakOf(agent.child.pid ?? 0)).toBeLessThan(PEAK_BYTES_MAX);
  } finally {
    agent.child.kill('SIGKILL');
    await agent.ended;
    compiled.remove();
    await world.close();
  }
});
