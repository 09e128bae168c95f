import { AgentWorld } from './support/agent-world';
import { CompiledAgent } from './support/compiled-agent';
import { respond } from './support/fake-ingest-service';
import { writeBacklog } from './support/large-backlog';
import { onLinux, peakOf } from './support/peak-memory';
import { until } from './support/until';

const PEAK_BYTES_MAX = 120e6;
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
