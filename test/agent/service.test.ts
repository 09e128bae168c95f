import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { AGENT_TIMES } from '../../agent/times';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { type AgentProcess, CompiledAgent } from './support/compiled-agent';
import { until } from './support/until';

/** Far shorter than the agent would wait for an answer. */
const GRACE_MS = AGENT_TIMES.requestTimeoutMs / 2;

describe('an agent under a service host', () => {
  const compiled = new CompiledAgent();
  let world: AgentWorld;
  let agents: AgentProcess[];
  beforeEach(async () => {
    world = await AgentWorld.create();
    world.copy(FILES_2022);
    agents = [];
  });
  afterEach(async () => {
    for (const { child } of agents) child.kill('SIGKILL');
    await Promise.all(agents.map(({ ended }) => ended));
    await world.close();
  });
  afterAll(() => compiled.remove());

  const start = (...args: string[]) => {
    const agent = compiled.start(['run', '--config', world.configPath, ...args]);
    agents.push(agent);
    return agent;
  };
  const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

  it('prints READY, ends when its input ends, and has bookmarks for everything that was acknowledged', async () => {
    const agent = start('--service');
    let stdout = '';
    agent.child.stdout?.on('data', (text: string) => {
      stdout += text;
    });
    await until('READY', () => stdout === 'READY\n');
    expect(getPriority(agent.child.pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL);
    expect(world.hasLock()).toBe(true);
    await until('all published', () => world.service.stored.size === 150);
    agent.child.stdin?.end();
    expect(await agent.ended).toMatchObject({ code: 0, stdout: 'READY\n', stderr: '' });
    expect(textOf(join(world.dataDir, 'logs/agent.log'))).toMatch(
      /end of input: stopping\n.*\n.* info {2}stopped/,
    );
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount).toBe(150);
  });

  it('ends in time even if the service does not answer', async () => {
    let asked = 0;
    world.service.fault = () => ++asked > 0;
    world.service.reportFault = () => true;
    const agent = start('--service');
    await until('a request in flight', () => asked > 0);
    const since = Date.now();
    agent.child.stdin?.end();
    expect(await agent.ended).toMatchObject({ code: 0 });
    expect(Date.now() - since).toBeLessThan(GRACE_MS);
  });

  it('does not print READY with a bad configuration, and explains why on stderr and in the log', async () => {
    writeFileSync(world.configPath, '{}');
    const { code, stdout, stderr } = await start('--service').ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const line = /^\d{4}-\d\d-\d\dT[\d:.]+Z error \S+agent\.json: CentralApi is missing$/m;
    expect(stderr).toMatch(line);
    expect(textOf(join(world.dataDir, 'logs/agent.log'))).toMatch(line);
  });

  it('writes warnings and errors to stderr as well, and every line if the log file cannot be written', async () => {
    const logFile = join(world.folder, 'a.log');
    world.configure({ ApiKey: 'aak_wrong' });
    const agent = start('--log-file', logFile);
    await until('the refusal', () => textOf(logFile).includes('refuses the agent key'));
    agent.child.kill('SIGTERM');
    const { stderr } = await agent.ended;
    expect(stderr).toMatch(/^\S+Z error Payroll: the service refuses the agent key/m);
    expect(stderr).not.toContain(' info ');
    expect(textOf(logFile)).toContain(' info ');
    expect(stderr + textOf(logFile)).not.toContain('aak_');

    world.configure();
    mkdirSync(join(world.folder, 'folder'));
    const other = start('--log-file', join(world.folder, 'folder'));
    await until('all published', () => world.service.stored.size === 150);
    other.child.kill('SIGTERM');
    expect(await other.ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/warn .*folder: cannot be written(.|\n)* info {2}stopped/),
    });
  });
});
