import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '../../agent/cli/status';
import { FileBytes } from '../../agent/sqlaudit/bytes';
import { statusPath } from '../../agent/status/status-file';
import { AgentWorld, databaseEntry, FILES_2017, FILES_2022 } from './support/agent-world';
import { capturedOutput } from './support/captured-output';
import { CompiledAgent } from './support/compiled-agent';
import { type Fault, refuse } from './support/fake-ingest-service';
import { until } from './support/until';
import { signedOf } from './update/signed';

const actualOpen = FileBytes.open.bind(FileBytes);
const unavailable: Fault = (_, response) => {
  refuse(response, 503, 'service_unavailable');
  return true;
};
const unauthorized: Fault = (_, response) => {
  refuse(response, 401, 'unauthorized');
  return true;
};

describe('the status of an agent', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
  });
  afterEach(() => world.close());

  async function ask({ json = false, now = Date.now } = {}) {
    const { out, text } = capturedOutput();
    const complaints: string[] = [];
    const complain = (line: string) => void complaints.push(line);
    const given = { configPath: world.configPath, dataDir: null, json, out, complain, now };
    const code = await status(given);
    return { code, text: text(), complaints };
  }
  const untilState = (state: string) => until(state, () => world.statusOf()?.state === state);

  it('shows which package runs, and which were taken back and why', async () => {
    world.copy(FILES_2022);
    await world.once();
    const over = { version: '0.1.0', build: null };
    const kept = { ...signedOf('new', { version: '9.0.1' }), over };
    const ended = [{ sha256: '0'.repeat(64), version: '9.0.2', reason: 'it did not start' }];
    const state = { trial: kept, installed: null, before: null, starts: 1, ended };
    mkdirSync(join(world.dataDir, 'updates'));
    writeFileSync(join(world.dataDir, 'updates/state.json'), JSON.stringify(state));
    const { text } = await ask();
    expect(text).toContain('package: 9.0.1, on trial\n');
    expect(text).toContain('taken back: package 9.0.2: it did not start\n');
    expect(JSON.parse((await ask({ json: true })).text).packages).toMatchObject({ ended, starts: 1 });
  });

  it('shows how far the agent is, with exit code 0 if nothing is wrong', async () => {
    world.copy(FILES_2022);
    world.follow();
    await until('all acknowledged', () => world.statusOf()?.tally.accepted === 150);
    await until('idle', () => world.statusOf()?.state === 'idle' && world.statusOf()?.caughtUpAt);
    const last = FILES_2022.at(-1) ?? '';
    const { size } = statSync(last);
    const newest = world.service.events
      .map(({ eventTime }) => eventTime)
      .toSorted()
      .at(-1);
    expect(world.statusOf()).toMatchObject({
      file: { name: last.slice(last.lastIndexOf('/') + 1), offset: size, size },
      fileCount: 2,
      waitingBytes: 0,
      waitingRecords: 0,
      lastEventTime: newest,
      problem: null,
      lastError: null,
      gaps: { reported: 0, pending: 0 },
    });
    const { code, text } = await ask();
    expect(code).toBe(0);
    expect(text).toContain(`running since ${world.status()?.startedAt} (process ${process.pid})`);
    expect(text).toContain('Payroll: idle');
    expect(text).toMatch(/published +150 \(0 duplicates, 0 rejected\)/);
    expect(text).toMatch(/lag +\d s/);
  });

  it('names a file that cannot be read and counts its bytes as waiting, until it can be read', async () => {
    world.copy(FILES_2022);
    const path = join(world.auditFolder, (FILES_2022[0] ?? '').replace(/.*\//, ''));
    const open = jest.spyOn(FileBytes, 'open').mockImplementation(async (wanted) => {
      if (wanted === path) throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
      return actualOpen(wanted);
    });
    world.follow();
    await until('the other file', () => world.statusOf()?.fileCount === 1 && world.statusOf()?.lastEventTime);
    expect(world.statusOf()).toMatchObject({
      state: 'publishing',
      caughtUpAt: null,
      waitingBytes: statSync(path).size,
      problem: `${path}: cannot be read: EACCES: permission denied`,
    });
    expect((await ask()).code).toBe(1);
    open.mockRestore();
    await until('all of it', () => world.statusOf()?.tally.accepted === 150);
    await until('the end of the problem', () => world.statusOf()?.problem === null);
    expect((await ask()).code).toBe(0);
  });

  it('has exit code 1 while a file with refused events is there, and names it', async () => {
    world.service.judge = ({ actionId }) => (actionId === 'LGIF' ? { code: 'x', message: 'y' } : null);
    world.copy(FILES_2022);
    world.follow();
    await until('idle', () => world.statusOf()?.state === 'idle' && world.statusOf()?.caughtUpAt);
    const path = join(world.dataDir, 'rejected/Payroll.ndjson');
    const { code, text } = await ask();
    expect(code).toBe(1);
    expect(text).toContain(`${path}: look at these events, and move the file away`);
    expect(text).not.toContain('everything is acknowledged');
    expect(JSON.parse((await ask({ json: true })).text).databases[0].rejectedPath).toBe(path);
    rmSync(path);
    const after = await ask();
    expect([after.code, after.text.includes('look at these')]).toEqual([0, false]);
    expect(JSON.parse((await ask({ json: true })).text).databases[0].rejectedPath).toBeNull();
  });

  it.each([
    ['waiting', unavailable, 'waiting for the service'],
    ['keyRefused', unauthorized, 'key refused'],
  ])(
    'shows the state %s, its reason and how much waits, and later that the state ended',
    async (state, fault, shown) => {
      world.service.fault = fault;
      world.copy(FILES_2022);
      world.follow();
      await untilState(state);
      const bytes = FILES_2022.reduce((sum, path) => sum + statSync(path).size, 0);
      const waiting = await until('the second batch', () => {
        const one = world.statusOf();
        return one && one.waitingRecords > 0 ? one : null;
      });
      expect(waiting).toMatchObject({ waitingBytes: bytes, lastAcknowledgedAt: null, caughtUpAt: null });
      const { code, text } = await ask();
      expect(code).toBe(1);
      expect(text).toContain(`Payroll: ${shown}`);
      expect(text).toMatch(/problem .*(service_unavailable|unauthorized)/);
      world.service.fault = () => false;
      await untilState('idle');
      expect(world.statusOf()).toMatchObject({ problem: null, waitingBytes: 0, waitingRecords: 0 });
      expect((await ask()).code).toBe(0);
    },
  );

  it('shows folders that cannot be read, and missing files', async () => {
    const databases = [databaseEntry('None', 'audit/*.sqlaudit'), databaseEntry('Gone', 'gone/*.sqlaudit')];
    world.configure({}, { Databases: databases });
    world.follow();
    await until('problems', () => world.statusOf('None')?.problem && world.statusOf('Gone')?.problem);
    const { code, text } = await ask();
    expect(code).toBe(1);
    expect(text).toMatch(/None: idle.*\n.*no audit file matches/);
    expect(text).toMatch(/Gone: idle.*\n.*gone: cannot be listed: ENOENT/);
  });

  it('shows the last status of a stopped agent, with a growing lag', async () => {
    expect(await ask()).toMatchObject({ code: 1, complaints: [expect.stringContaining('has not run yet')] });
    world.copy(FILES_2022);
    expect(await world.once()).toBe(0);
    const later = await ask({ now: () => Date.now() + 3_600_000 });
    expect(later.code).toBe(1);
    expect(later.text).toMatch(/not running; this is its last status, of .* \(60 min ago\)/);
    expect(later.text).toContain('Payroll: stopped');
    expect(later.text).toMatch(/lag +60 min/);
  });

  it('shows times in minutes, hours and days, and the lag of an agent that runs by its last status', async () => {
    world.copy(FILES_2022);
    expect(await world.once()).toBe(0);
    const { writtenAt } = JSON.parse(readFileSync(statusPath(world.dataDir), 'utf8'));
    const ago = async (minutes: number) => {
      const { text } = await ask({ now: () => Date.parse(writtenAt) + minutes * 60_000 });
      return /\((.*) ago\)/.exec(text)?.[1];
    };
    expect([await ago(1), await ago(119), await ago(185), await ago(47 * 60), await ago(52 * 60)]).toEqual([
      ...['60 s', '119 min', '3 h 5 min', '47 h 0 min', '2 d 4 h'],
    ]);
    const status = JSON.parse(readFileSync(statusPath(world.dataDir), 'utf8'));
    const caughtUpAt = new Date(Date.parse(writtenAt) - 100_000).toISOString();
    const databases = status.databases.map((one: object) => ({ ...one, caughtUpAt }));
    writeFileSync(
      statusPath(world.dataDir),
      JSON.stringify({ ...status, running: true, pid: process.pid, databases }),
    );
    const now = () => Date.parse(writtenAt) + 50_000;
    expect((await ask({ now })).text).toMatch(/running since .*(.|\n)*lag +100 s/);
    // A service runs under another account, whose processes nobody may send a signal.
    const kill = jest.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    const other = await ask({ now });
    kill.mockRestore();
    expect(other.text).toContain('running since');
  });

  it('is that of the agent that runs: a second one ends with 1', async () => {
    world.follow();
    await until('a status', () => world.statusOf() !== null && world.hasLock());
    expect(await world.once()).toBe(1);
  });

  it('shows that a killed agent is not running', async () => {
    const compiled = new CompiledAgent();
    try {
      world.copy(FILES_2022);
      const agent = compiled.start(['run', '--config', world.configPath]);
      await until('all acknowledged', () => world.statusOf()?.tally.accepted === 150);
      const alive = await compiled.run('status', '--config', world.configPath);
      expect(alive.stdout).toContain(`(process ${agent.child.pid})`);
      agent.child.kill('SIGKILL');
      await agent.ended;
      const { code, stdout } = await compiled.run('status', '--config', world.configPath);
      expect(code).toBe(1);
      expect(stdout).toContain('not running');
    } finally {
      compiled.remove();
    }
  });

  it('keeps what an earlier run knew about the same tenant', async () => {
    world.copy(FILES_2022);
    expect(await world.once()).toBe(0);
    const before = world.statusOf();
    expect(await world.once()).toBe(0);
    const { lastAcknowledgedAt, lastEventTime } = before ?? {};
    expect(world.statusOf()).toMatchObject({ lastAcknowledgedAt, lastEventTime, tally: { accepted: 0 } });
    world.configure({ TenantId: '8' });
    expect(await world.once()).toBe(1);
    expect(world.statusOf()).toMatchObject({ lastAcknowledgedAt: null, lastEventTime: null });
  });

  it('is JSON with --json, and includes disabled databases', async () => {
    world.copy(FILES_2022);
    const off = { ...databaseEntry('Old', 'audit/*.sqlaudit'), Enabled: false };
    world.configure({}, { Databases: [databaseEntry('Payroll', 'audit/*.sqlaudit'), off] });
    world.follow();
    await until('all acknowledged', () => world.statusOf()?.tally.accepted === 150);
    await until('caught up', () => world.statusOf()?.state === 'idle' && world.statusOf()?.caughtUpAt);
    const { code, text } = await ask({ json: true });
    expect(code).toBe(0);
    expect(JSON.parse(text)).toMatchObject({
      running: true,
      databases: [
        { name: 'Payroll', state: 'idle', lag: expect.any(Number), tally: { accepted: 150 } },
        { name: 'Old', state: 'disabled' },
      ],
    });
    expect(text).not.toContain('aak_');
  });

  it('shows why nothing is published at all', async () => {
    world.configure({ TenantId: null });
    world.follow();
    await until('the problem', () => world.status()?.obstacle);
    expect(await ask()).toMatchObject({ code: 1, text: expect.stringContaining('TenantId is not set') });
    world.configure({}, { Enabled: false });
    await until('the other problem', () => world.status()?.obstacle?.includes('Enabled'));
    expect(await ask()).toMatchObject({ code: 0, text: expect.stringContaining('Enabled is false') });
  });

  it('ends with 2 and every problem of a bad configuration', async () => {
    writeFileSync(world.configPath, '{}');
    const { code, complaints } = await ask();
    expect(code).toBe(2);
    expect(complaints.join('\n')).toMatch(/CentralApi is missing\n.*EventHubPublisher is missing/);
  });

  it('is still updated on a full disk, where no new file can be written', async () => {
    world.copy(FILES_2022);
    world.follow();
    await untilState('idle');
    // This imitates a full disk: the existing file can be overwritten, and a new one cannot be made.
    mkdirSync(join(`${statusPath(world.dataDir)}.new`, 'x'), { recursive: true });
    world.service.fault = unauthorized;
    world.copy(FILES_2017);
    await untilState('keyRefused');
    expect((await ask()).code).toBe(1);
  });

  it('is not written if the data folder cannot be used: the agent names the folder and ends', async () => {
    writeFileSync(world.dataDir, 'a file');
    expect(await world.once()).toBe(1);
    expect(world.log).toMatch(`error ${world.dataDir}: cannot be used as the agent's data folder: E`);
  });

  it('does not stop publishing if it cannot be written', async () => {
    world.copy(FILES_2022);
    expect(await world.once()).toBe(0);
    // A file cannot replace a folder of the same name.
    rmSync(statusPath(world.dataDir));
    mkdirSync(join(statusPath(world.dataDir), 'x'), { recursive: true });
    expect(await world.once()).toBe(0);
    expect(world.log.match(/status\.json: cannot be written/g)).toHaveLength(1);
  });
});
