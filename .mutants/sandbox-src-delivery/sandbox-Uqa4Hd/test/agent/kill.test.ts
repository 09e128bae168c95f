import { AGENT_TIMES } from '../../agent/times';
import { AgentWorld, FILES_2017, FILES_2022 } from './support/agent-world';
import { makeAuditFiles, recordsOf } from './support/audit-files';
import { CompiledAgent } from './support/compiled-agent';
import { until } from './support/until';

/** Far shorter than the agent would wait for an answer. */
const GRACE_MS = AGENT_TIMES.requestTimeoutMs / 2;

describe('an agent that is killed', () => {
  let world: AgentWorld;
  let compiled: CompiledAgent;
  beforeEach(async () => {
    world = await AgentWorld.create();
    compiled = new CompiledAgent();
  });
  afterEach(async () => {
    compiled.remove();
    await world.close();
  });

  it('loses no record and splits none, whenever it is killed', async () => {
    const files = makeAuditFiles(world.auditFolder, [...FILES_2022, ...FILES_2017], 24);
    world.configure({}, { BatchMaxEvents: 15 });
    const { service } = world;
    const killAfter = 12;
    for (let kills = 0; kills < 8; kills++) {
      const agent = compiled.start(['run', '--config', world.configPath]);
      const target = service.requests.length + 1 + Math.floor(Math.random() * killAfter);
      await until('some requests', () => service.requests.length >= target);
      // The kill comes at once, or during the request and the bookmarks that follow.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
      agent.child.kill('SIGKILL');
      await agent.ended;
    }
    const last = await compiled.run('run', '--config', world.configPath, '--once');
    expect(last).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Payroll: \d+ published/) });
    const stored = new Map([...service.stored].map(([key, { sourceType: _, ...record }]) => [key, record]));
    expect(stored).toEqual(await recordsOf(files));
    expect(service.mistakes).toEqual([]);
  });

  it('stops on SIGTERM within seconds, and its bookmarks hold everything that was acknowledged', async () => {
    world.copy(FILES_2022);
    const agent = compiled.start(['run', '--config', world.configPath]);
    await until('all published', () => world.service.stored.size === 150);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toMatchObject({ code: 0 });
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount).toBe(150);
  });

  it('stops on SIGTERM although the service does not answer', async () => {
    world.copy(FILES_2022);
    let asked = 0;
    world.service.fault = () => ++asked > 0;
    const agent = compiled.start(['run', '--config', world.configPath]);
    await until('a request in flight', () => asked > 0);
    const since = Date.now();
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toMatchObject({ code: 0 });
    expect(Date.now() - since).toBeLessThan(GRACE_MS);
  });

  it('lets no second agent work with the same data', async () => {
    const first = compiled.start(['run', '--config', world.configPath]);
    await until('the first to hold the lock', () => first.child.pid && world.hasLock());
    const second = await compiled.run('run', '--config', world.configPath, '--once');
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`another agent (process ${first.child.pid}) works with ${world.dataDir}`);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await world.once()).toBe(0);
  });
});
