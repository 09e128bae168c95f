import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../../agent/cli/check';
import { checkFiles } from '../../agent/cli/check-files';
import { checkService } from '../../agent/cli/check-service';
import { OwnKey } from '../../agent/config/own-key';
import { type DatabaseConfig, parseConfig } from '../../agent/config/parse-config';
import { Secret } from '../../agent/config/secret';
import { FileBytes } from '../../agent/sqlaudit/bytes';
import { AgentWorld, databaseEntry, FILES_2022 } from './support/agent-world';
import { capturedOutput } from './support/captured-output';
import { AGENT_KEY } from './support/fake-ingest-service';

describe('audit-agent check', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
  });
  afterEach(() => world.close());

  async function run(dataDir: string | null = null) {
    const { out, text } = capturedOutput();
    const code = await check({
      configPath: world.configPath,
      dataDir,
      timeoutMs: 2_000,
      out,
      becomeServiceUser: async () => [],
    });
    expect(text()).not.toContain('aak_');
    return { code, text: text() };
  }

  it('finds no problem, shows what the agent would do, and changes nothing', async () => {
    world.copy(FILES_2022);
    const { code, text } = await run();
    expect(text).not.toContain('PROBLEM');
    expect(code).toBe(0);
    expect(text).toContain(`published to ${world.service.url} for tenant 7`);
    expect(text).toContain('OK      Payroll: 2 files match *.sqlaudit in');
    expect(text).toMatch(/OK {6}Payroll: the newest, .*sqlaudit \(\d+ bytes, .*first record is of 2025-/);
    expect(text).toContain(`OK      ${world.service.url}/health: Healthy`);
    expect(text).toContain('OK      the service takes events with this agent key for tenant 7');
    expect(text).toContain('The agent can publish.');
    expect(world.service).toMatchObject({ probes: 1, requests: [], reports: [], mistakes: [] });
    expect(world.hasLock()).toBe(false);
  });

  it('names the first older files that cannot be read, counts the others, and leaves out those that are gone', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `Audit_${i}.sqlaudit`);
    for (const [i, name] of names.entries()) {
      writeFileSync(join(world.auditFolder, name), '');
      utimesSync(join(world.auditFolder, name), i, i);
    }
    const actual = FileBytes.open.bind(FileBytes);
    const open = jest.spyOn(FileBytes, 'open').mockImplementation(async (path) => {
      if (path.endsWith(names[6] ?? '')) return actual(path);
      throw new Error(`${path.endsWith(names[5] ?? '') ? 'ENOENT' : 'EACCES'}: ${path}`);
    });
    try {
      const parsed = parseConfig(readFileSync(world.configPath, 'utf8'), world.configPath);
      const [database] = parsed.kind === 'config' ? parsed.config.databases : [];
      const texts = (await checkFiles(database as DatabaseConfig, {})).map(({ text }) => text);
      const said = texts.find((text) => text.includes('older files')) ?? '';
      expect(said).toContain('5 of the older files cannot be read');
      expect(said.match(/EACCES/g)).toHaveLength(3);
      expect(said).toMatch(/; and 2 more$/);
    } finally {
      open.mockRestore();
    }
  });

  it('says of a service without TLS that others may read the way to it, also where the service is Degraded', async () => {
    world.service.health = 'Degraded';
    const found = await checkService(world.service.url.replace('127.0.0.1', '0.0.0.0'), null, 2_000);
    expect(found.map(({ text }) => text)).toEqual([
      expect.stringContaining('is not https'),
      expect.stringContaining('Degraded; it takes events'),
    ]);
  });

  it('takes an empty folder that hosts share for one that another host has, as the agent does', async () => {
    const entry = databaseEntry('Payroll', 'audit/*.sqlaudit');
    const DirectFile = { ...entry.AuditSource.DirectFile, Shared: true };
    world.configure({}, { Databases: [{ ...entry, AuditSource: { ...entry.AuditSource, DirectFile } }] });
    const { code, text } = await run();
    expect(text).toMatch(/NOTE {4}Payroll: no file matches \*\.sqlaudit in .*: the agent stands by/);
    expect(code).toBe(0);
    world.configure();
    expect(await run()).toMatchObject({ code: 1, text: expect.stringMatching(/PROBLEM Payroll: no file/) });
  });

  it('names every problem at once', async () => {
    writeFileSync(
      join(world.auditFolder, 'x.sqlaudit'),
      'no audit file, but longer than a header'.repeat(50),
    );
    const databases = [
      databaseEntry('Bad', 'audit/*.sqlaudit'),
      databaseEntry('None', 'audit/*.xel'),
      databaseEntry('Gone', 'gone/*.sqlaudit'),
    ];
    world.configure({ ApiKey: 'aak_wrong' }, { Databases: databases });
    world.service.health = 'Unhealthy';
    const { code, text } = await run();
    expect(code).toBe(1);
    expect(text).toMatch(/PROBLEM Bad: the newest, .*cannot be decoded: byte 0: /);
    expect(text).toMatch(/PROBLEM None: no file matches \*\.xel in/);
    expect(text).toMatch(/PROBLEM Gone: .*gone cannot be read: ENOENT/);
    expect(text).toMatch(/PROBLEM .*health: Unhealthy/);
    expect(text).toMatch(/PROBLEM the service does not know CentralApi.ApiKey/);
    expect(text).toContain('Problems to solve: 5.');
  });

  it('distinguishes a key of another tenant from a missing tenant id', async () => {
    world.copy(FILES_2022);
    world.configure({ TenantId: '8' });
    expect((await run()).text).toMatch(/PROBLEM CentralApi.ApiKey is no agent key of tenant 8: forbidden/);
    world.configure({ TenantId: '' });
    expect(await run()).toMatchObject({
      code: 1,
      text: expect.stringMatching(/PROBLEM .*TenantId is not set/),
    });
  });

  it.each([
    ['beside the configuration', 'agent-data'],
    ['elsewhere', 'state'],
  ])('checks the key that the agent renewed, which lies in its data folder %s', async (_, folder) => {
    world.copy(FILES_2022);
    world.configure({ ApiKey: 'aak_ended' });
    const dataDir = join(world.folder, folder);
    await new OwnKey(dataDir).keep(new Secret('aak_ended'), AGENT_KEY, 'aak_ended');
    const { code, text } = await run(folder === 'agent-data' ? null : dataDir);
    expect(text).toContain('OK      the service takes events with this agent key for tenant 7');
    expect(code).toBe(0);
  });

  it('distinguishes an address where nothing listens from one where another program listens', async () => {
    world.copy(FILES_2022);
    world.configure({ BaseUrl: 'http://127.0.0.1:1' });
    expect((await run()).text).toMatch(/PROBLEM http:\/\/127\.0\.0\.1:1\/health: cannot be reached/);
    world.configure();
    world.service.health = '<html>It works!';
    expect((await run()).text).toMatch(/PROBLEM .*not the health check of the service.*BaseUrl/);
  });

  it.each([
    ['http://127.0.0.1:1', false],
    ['http://localhost:1', false],
    ['http://[::1]:1', false],
    ['http://0.0.0.0:1', true],
    ['https://0.0.0.0:1', false],
  ])('says of %s whether others can read what is sent: %s', async (BaseUrl, isSaid) => {
    world.copy(FILES_2022);
    world.configure({ BaseUrl });
    expect((await run()).text.includes('can be read on the way')).toBe(isSaid);
  });

  it('accepts a newest file without records, and mentions a disabled database', async () => {
    world.copy(FILES_2022.slice(0, 1));
    const off = { ...databaseEntry('Off', 'nowhere/*'), Enabled: false };
    world.configure({}, { Databases: [databaseEntry('A', 'audit/*.sqlaudit'), off] });
    const { code, text } = await run();
    expect(code).toBe(0);
    expect(text).toContain('NOTE    Off: is disabled');
  });

  it('checks the valid parts of an invalid configuration', async () => {
    world.copy(FILES_2022);
    const databases = [
      databaseEntry('Payroll', 'audit/*.sqlaudit'),
      databaseEntry('Gone', 'gone/*.sqlaudit'),
      { ...databaseEntry('Bad', ''), Name: 7 },
    ];
    world.configure({ ApiKey: 'aak_wrong', TenantId: '' }, { PollIntervalMs: 'often', Databases: databases });
    world.service.health = 'Unhealthy';
    const { code, text } = await run();
    expect(code).toBe(1);
    expect(text).toMatch(/PROBLEM .*PollIntervalMs expected number/);
    expect(text).toMatch(/PROBLEM .*Databases\[2\]\.Name/);
    expect(text).toMatch(/OK {6}Payroll: 2 files match/);
    expect(text).toMatch(/PROBLEM Gone: .*gone cannot be read: ENOENT/);
    expect(text).toMatch(/PROBLEM .*health: Unhealthy/);
    expect(text).toMatch(/PROBLEM the service does not know CentralApi.ApiKey/);
  });

  it('checks the key of a configuration that names no tenant', async () => {
    world.copy(FILES_2022);
    world.configure({ TenantId: '' });
    const { text } = await run();
    expect(text).toMatch(/PROBLEM CentralApi.TenantId is not set/);
    expect(text).toContain('OK      the service takes events with this agent key\n');
    expect(text).toContain('Problems to solve: 1.');
  });

  it('names every problem of a bad configuration, and an unknown setting', async () => {
    writeFileSync(world.configPath, '{}');
    expect(await run()).toMatchObject({
      code: 1,
      text: expect.stringMatching(/PROBLEM .*CentralApi is missing\nPROBLEM .*EventHubPublisher is missing/),
    });
    world.configure({ Apikey: 'x' });
    world.copy(FILES_2022);
    expect(await run()).toMatchObject({ code: 0, text: expect.stringMatching(/NOTE .*CentralApi\.Apikey/) });
  });
});
