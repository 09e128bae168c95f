import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '../../agent/config/parse-config';
import { withSettings } from '../../agent/settings/apply-settings';
import { AgentWorld, databaseEntry, FILES_2022 } from './support/agent-world';
import { refuse, respond } from './support/fake-ingest-service';
import { until } from './support/until';

const NOTHING = {
  pollIntervalMs: null,
  batchMaxEvents: null,
  logLevel: null,
  databasesOn: null,
  databasesOff: null,
};
const ALL = ['PollInterval', 'BatchSize', 'LogLevel', 'Databases'];

describe('the settings that the service wants', () => {
  const configOf = (allowed: readonly string[] | undefined, publisher: object = {}) => {
    const text = JSON.stringify({
      CentralApi: { BaseUrl: 'http://x', ApiKey: 'k', TenantId: '7', AllowedSettings: allowed },
      EventHubPublisher: {
        PollIntervalMs: 1_500,
        Databases: [databaseEntry('Payroll', 'a'), { ...databaseEntry('Ledger', 'b'), Enabled: false }],
        ...publisher,
      },
    });
    const parsed = parseConfig(text, '/etc/agent.json');
    if (parsed.kind === 'invalid') throw new Error(parsed.problems.join('\n'));
    return parsed.config;
  };
  const applied = (allowed: readonly string[] | undefined, settings: object, tenantId = '7') => {
    const kept = JSON.stringify({ tenantId, wanted: { version: 5, settings: { ...NOTHING, ...settings } } });
    const config = withSettings(configOf(allowed), kept);
    return {
      ...config,
      databases: config.databases.map(({ name }) => name),
      switchedOff: config.switchedOff.map(({ name }) => name),
    };
  };

  it('are applied as far as the file allows, and the others are named', () => {
    const wanted = { pollIntervalMs: 20, batchMaxEvents: 3, logLevel: 'error', databasesOff: ['payroll'] };
    expect(applied(undefined, wanted)).toMatchObject({
      pollIntervalMs: 1_500,
      batchEventsMax: 1_000,
      logLevel: 'info',
      databases: ['Payroll'],
      switchedOff: [],
      wanted: {
        version: 5,
        refused: ALL.map((setting) => ({ setting, reason: 'NOT_ALLOWED' })),
      },
    });
    expect(applied(ALL, wanted)).toMatchObject({
      pollIntervalMs: 20,
      batchEventsMax: 3,
      logLevel: 'error',
      databases: [],
      switchedOff: ['Payroll'],
      wanted: { version: 5, refused: [] },
    });
  });

  it('leave a database off that they name in both lists, in any letter case', () => {
    const both = { databasesOn: ['PAYROLL', 'ledger'], databasesOff: ['payroll', 'LEDGER'] };
    expect(applied(ALL, both)).toMatchObject({ databases: [], switchedOff: ['Payroll'] });
  });

  it('are checked as values of the file are', () => {
    const names = Array.from({ length: 101 }, (_, i) => `d${i}`);
    for (const wanted of [
      { pollIntervalMs: 9, batchMaxEvents: 5_001, logLevel: 'off', databasesOff: names },
      { pollIntervalMs: '20', batchMaxEvents: 1.5, logLevel: {}, databasesOn: 'Payroll' },
    ]) {
      expect(applied(ALL, wanted)).toMatchObject({
        pollIntervalMs: 1_500,
        batchEventsMax: 1_000,
        logLevel: 'info',
        databases: ['Payroll'],
        wanted: { refused: ALL.map((setting) => ({ setting, reason: 'OUT_OF_BOUNDS' })) },
      });
    }
  });

  it('switch a database on that the file has off, and pass over names that it does not have', () => {
    const { databases, switchedOff, wanted } = applied(['Databases'], {
      databasesOn: ['LEDGER', 'Other'],
      databasesOff: ['Another'],
    });
    expect([databases, switchedOff, wanted.refused]).toEqual([['Payroll', 'Ledger'], [], []]);
  });

  it('are of one tenant', () => {
    expect(applied(ALL, { pollIntervalMs: 20 }, '8').pollIntervalMs).toBe(1_500);
  });

  it('are allowed by their names, and the file says all at once what is none', () => {
    expect(() => configOf(['Poll', 'Databases', 'x'], { LogLevel: 'debug' })).toThrow(
      [
        'CentralApi.AllowedSettings[0] must be one of PollInterval, BatchSize, LogLevel, Databases',
        'CentralApi.AllowedSettings[2] must be one of PollInterval, BatchSize, LogLevel, Databases',
        'EventHubPublisher.LogLevel must be one of info, warn, error',
      ].join('\n'),
    );
  });
});

describe('an agent of a group', () => {
  let agent: AgentWorld;
  beforeEach(async () => {
    agent = await AgentWorld.create();
    agent.copy(FILES_2022.slice(0, 1));
  });
  afterEach(() => agent.close());
  const allow = (...AllowedSettings: string[]) => agent.configure({ AllowedSettings });
  const want = (settingsVersion: number | null, settings: object = {}) => {
    agent.service.wanted = {
      settingsVersion,
      settings: settingsVersion === null ? null : { ...NOTHING, ...settings },
    };
  };
  const running = () => agent.service.reports.at(-1)?.running;
  const runs = (version: number | null) =>
    until(`version ${version} runs`, () => running()?.version === version && running());

  it('runs its settings without a restart, reports them, and goes back to its file when they end', async () => {
    allow('PollInterval', 'BatchSize', 'LogLevel');
    agent.follow();
    expect(await runs(null)).toEqual({
      version: null,
      pollIntervalMs: 10,
      batchMaxEvents: 1_000,
      logLevel: 'info',
      isOn: true,
      refused: [],
    });
    want(3, { pollIntervalMs: 15, batchMaxEvents: 40, logLevel: 'warn', databasesOff: ['Payroll'] });
    expect(await runs(3)).toEqual({
      version: 3,
      pollIntervalMs: 15,
      batchMaxEvents: 40,
      logLevel: 'warn',
      isOn: true,
      refused: [{ setting: 'Databases', reason: 'NOT_ALLOWED' }],
    });
    expect(agent.log).toContain('the service wants another Databases, which is not applied');
    want(null);
    expect(await runs(null)).toMatchObject({ pollIntervalMs: 10, batchMaxEvents: 1_000, logLevel: 'info' });
  });

  it('runs them again after a restart without the service', async () => {
    allow('BatchSize');
    want(4, { batchMaxEvents: 40 });
    const first = agent.follow();
    await runs(4);
    await first.stop();
    agent.service.reports.length = 0;
    agent.service.wanted = {};
    agent.service.reportFault = (report, response) => {
      agent.service.reports.push(report);
      respond(response, 503, {});
      return true;
    };
    agent.follow();
    expect(await until('a report', () => running())).toMatchObject({ version: 4, batchMaxEvents: 40 });
  });

  it('publishes nothing of a database that is switched off, says so everywhere, and goes on where it was', async () => {
    allow('Databases', 'LogLevel');
    want(6, { databasesOff: ['payroll'], logLevel: 'error' });
    await agent.once();
    const before = agent.service.stored.size;
    const caughtUpAt = agent.statusOf()?.caughtUpAt;
    expect([before > 0, agent.statusOf()?.state]).toEqual([true, 'idle']);
    agent.copy(FILES_2022);
    agent.follow();
    const problem = 'switched off by the settings of the service (version 6): nothing of it is published';
    await until('off', () => agent.statusOf()?.state === 'off');
    await until('told', () => running()?.isOn === false);
    expect(agent.service.reports.at(-1)).toMatchObject({ problem, caughtUpAt });
    expect(agent.statusOf()).toMatchObject({ problem, caughtUpAt });
    expect(agent.log).toContain(`error Payroll: ${problem}`);
    expect(agent.service.stored.size).toBe(before);
    want(7);
    expect(await runs(7)).toMatchObject({ isOn: true });
    await until('all published', () => agent.service.stored.size === 150);
    expect(agent.service.mistakes).toEqual([]);
  });

  it('tells of a shared folder, while its database is switched off, which files it has published whole', async () => {
    const DirectFile = { AuditFilePath: 'audit/*.sqlaudit', Shared: true };
    agent.configure(
      { AllowedSettings: ['Databases'] },
      { Databases: [{ Name: 'Payroll', AuditSource: { Type: 'DirectFile', DirectFile } }] },
    );
    agent.copy(FILES_2022);
    await agent.once();
    const shared = agent.service.reports.at(-1)?.shared;
    expect(shared).toEqual({ isStandby: false, wholeFiles: [expect.any(String)] });
    want(6, { databasesOff: ['Payroll'] });
    await agent.once();
    expect(await agent.once()).toBe(1);
    expect(agent.service.reports.at(-1)).toMatchObject({ running: { isOn: false }, shared });
  });

  it('does not end a single run as done while a database is switched off', async () => {
    allow('Databases');
    want(6, { databasesOff: ['Payroll'] });
    expect(await agent.once()).toBe(0);
    expect(await agent.once()).toBe(1);
    expect(running()).toMatchObject({ isOn: false });
  });

  it('keeps what it was told while a service of an older build answers', async () => {
    allow('BatchSize');
    want(4, { batchMaxEvents: 40 });
    agent.follow();
    await runs(4);
    agent.service.reports.length = 0;
    let asked = 0;
    agent.service.reportFault = (report, response) => {
      if (report.running === undefined) return false;
      asked++;
      const message = 'Field "running" is not defined by type "AuditSourceReport".';
      respond(response, 400, { errors: [{ message, extensions: { code: 'invalid_parameter' } }] });
      return true;
    };
    agent.service.wanted = {};
    await until('two reports', () => agent.service.reports.length > 1);
    expect(asked).toBe(1);
    const kept = JSON.parse(readFileSync(join(agent.dataDir, 'settings.json'), 'utf8'));
    expect(kept.wanted.version).toBe(4);
  });

  it('is not filled by settings of any size', async () => {
    allow('Databases', 'BatchSize');
    want(8, { databasesOff: Array.from({ length: 10_000 }, () => 'x'.repeat(100)), batchMaxEvents: 40 });
    agent.follow();
    expect(await runs(8)).toMatchObject({
      batchMaxEvents: 40,
      isOn: true,
      refused: [{ setting: 'Databases', reason: 'OUT_OF_BOUNDS' }],
    });
    expect(readFileSync(join(agent.dataDir, 'settings.json')).length).toBeLessThan(1_000);
  });

  it('keeps its settings when the service refuses its key', async () => {
    allow('BatchSize');
    want(4, { batchMaxEvents: 40 });
    agent.follow();
    await runs(4);
    agent.service.reports.length = 0;
    agent.service.reportFault = (_, response) => {
      refuse(response, 401, 'unauthorized');
      return true;
    };
    const kept = () => JSON.parse(readFileSync(join(agent.dataDir, 'settings.json'), 'utf8')).wanted.version;
    await until('the failure is logged', () => agent.log.includes('could not be reported'));
    expect(kept()).toBe(4);
  });
});
