import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentWorld, FILES_2017, FILES_2022 } from './support/agent-world';
import { CompiledAgent } from './support/compiled-agent';
import { expectedRecords } from './support/expected-records';

const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('audit-agent decode', () => {
  let world: AgentWorld;
  let agent: CompiledAgent;
  beforeAll(async () => {
    world = await AgentWorld.create();
    agent = new CompiledAgent();
  });
  afterAll(async () => {
    agent.remove();
    await world.close();
  });

  it('prints every audit record as a line with the fields of the API and the whole statement', async () => {
    const { code, stdout, stderr } = await agent.run('decode', ...FILES_2022);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const records = jsonLines(stdout);
    expect(records).toEqual(expectedRecords('schema-2022').map((record) => expect.objectContaining(record)));
    expect(Math.max(...records.map((record) => record.statement?.length ?? 0))).toBeGreaterThan(4000);
  });

  it('prints every event with all its fields and actions with --raw', async () => {
    const { code, stdout } = await agent.run('decode', '--raw', ...FILES_2017);
    const events = jsonLines(stdout);
    expect(code).toBe(0);
    expect(events.length).toBeGreaterThan(80);
    for (const event of events)
      expect(Object.keys(event)).toEqual(['name', 'timestamp', 'fields', 'actions']);
    expect(events[0]).toMatchObject({ name: 'audit_event', timestamp: expect.stringMatching(/\.\d{7}Z$/) });
  });

  it('prints the sound records before damage, then the file, the offset and the reason', async () => {
    const [first = '', second = ''] = FILES_2022;
    const cut = join(world.folder, 'cut.sqlaudit');
    writeFileSync(cut, readFileSync(first));
    truncateSync(cut, 40_000);
    const foreign = join(world.folder, 'foreign.sqlaudit');
    writeFileSync(foreign, 'no audit file');
    const absent = join(world.folder, 'absent.sqlaudit');
    const { code, stdout, stderr } = await agent.run('decode', cut, foreign, absent, second);
    expect(code).toBe(1);
    const complaints = stderr.trim().split('\n');
    expect(complaints).toHaveLength(3);
    expect(complaints[0]).toMatch(/cut\.sqlaudit: byte \d+: truncated/);
    expect(complaints[1]).toMatch(/foreign\.sqlaudit: byte 0: not a SQL Server audit file/);
    expect(complaints[2]).toMatch(/absent\.sqlaudit: .*ENOENT/);
    const files = new Set(jsonLines(stdout).map((record) => record.file));
    expect(files).toEqual(new Set(['cut.sqlaudit', second.slice(second.lastIndexOf('/') + 1)]));
  });

  it('ends quietly when the reader of its output closes the pipe', async () => {
    const { child, ended } = agent.start(['decode', ...Array.from({ length: 40 }, () => FILES_2022).flat()]);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('explains its use with --help, and names a missing option', async () => {
    expect(await agent.run('run')).toMatchObject({ code: 1, stderr: expect.stringContaining('--config') });
    expect(await agent.run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('decode') });
  });
});
