import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { accessLog } from '../support/access-log';
import { runCli } from '../support/cli';
import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

interface Rule {
  readonly ruleId: string;
  readonly kind: string;
  readonly title: string;
  readonly severity: string | null;
  readonly enabled: boolean;
  readonly version: number;
  readonly narrows: readonly string[];
  readonly narrowedBy: readonly string[];
}

interface Finding {
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly group: Readonly<Record<string, string>>;
}

const LOG = 'logsource:\n  product: sqlserver\n';
const rule = (title: string, table: string) =>
  `title: ${title}\n${LOG}detection:\n  s:\n    objectName: ${table}\n  condition: s\nx-audit-activity:\n  dedup-minutes: 1\n`;
const filter = (title: string, rules: string, login: string, log = LOG) =>
  `title: ${title}\n${log}filter:\n  rules: ${rules}\n  s:\n    serverPrincipalName: ${login}\n  condition: not s\n`;

describe('a filter of a tenant', () => {
  const open = useWorld(ANY_ENGINE);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'filters-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let tenant: TestTenant;
  let other: TestTenant;
  const keys = new Map<TestTenant, string>();

  async function run(...args: string[]) {
    const { service, operatorKey } = open.world;
    const done = await runCli([...args, '--service', service.url, '--operator-key', operatorKey, '--json']);
    if (done.error !== null) throw new Error(done.error);
    return JSON.parse(done.lines[0] ?? '');
  }
  const of = (one = tenant) => ['--tenant', one.tenantId];
  const importFile = (text: string, one = tenant): Promise<Rule[]> => {
    const file = path.join(folder, 'file.yml');
    writeFileSync(file, text);
    return run('rule', 'import', file, ...of(one));
  };
  const show = (name: string, one = tenant): Promise<Rule> => run('rule', 'show', name, ...of(one));
  const read = (login: string, table: string) =>
    anEvent({ actionId: 'SL', serverPrincipalName: login, objectName: table });
  let marks = 0;
  /** Waits until everything sent so far is evaluated. @returns login and rule version of each finding of a rule */
  async function found(ruleId: string, one = tenant): Promise<readonly string[]> {
    marks += 1;
    const mark = `mark${marks}`;
    await one.ingest([anEvent({ actionId: 'EX', objectName: 'xp_cmdshell', serverPrincipalName: mark })]);
    const findings = await until(
      async (): Promise<readonly Finding[]> =>
        (await open.world.get('/findings', keys.get(one) ?? '', { query: { pageSize: 100 } })).body.data,
      (some) => some.some(({ group }) => group.serverPrincipalName === mark),
    );
    return findings
      .filter((finding) => finding.ruleId === ruleId)
      .map((finding) => `${finding.group.serverPrincipalName} ${finding.ruleVersion}`)
      .reverse();
  }

  beforeAll(async () => {
    tenant = await open.world.tenant();
    other = await open.world.tenant();
    for (const one of [tenant, other])
      keys.set(one, (await open.world.key({ tenantIds: [one.tenantId], scopes: ['read:findings'] })).key);
  });

  it('excludes events from the rules that it names, until it is disabled or removed', async () => {
    const [own] = (await importFile(rule('Payroll read', 'payroll'))) as [Rule];
    const [twin] = (await importFile(rule('Payroll read', 'payroll'), other)) as [Rule];
    const [made] = (await importFile(filter('Batch', `[${own.ruleId.toUpperCase()}]`, 'batch'))) as [Rule];
    expect(made).toMatchObject({
      kind: 'filter',
      title: 'Batch',
      severity: null,
      enabled: true,
      version: 1,
      narrows: [own.ruleId],
    });
    expect(await show('Payroll read')).toMatchObject({ version: 2, narrowedBy: [made.ruleId] });
    await tenant.ingest([read('batch', 'payroll'), read('eve', 'payroll')]);
    await other.ingest([read('batch', 'payroll')]);
    expect(await found(own.ruleId)).toEqual(['eve 2']);
    // Another tenant's rules stay unchanged.
    expect(await found(twin.ruleId, other)).toEqual(['batch 1']);
    await run('rule', 'disable', 'Batch', ...of());
    expect((await show('Batch')).narrows).toEqual([]);
    await tenant.ingest([read('batch', 'payroll')]);
    expect(await found(own.ruleId)).toEqual(['eve 2', 'batch 3']);
    await run('rule', 'enable', 'Batch', ...of());
    await tenant.ingest([read('BATCH', 'payroll'), read('max', 'payroll')]);
    expect(await found(own.ruleId)).toEqual(['eve 2', 'batch 3', 'max 4']);
    await run('rule', 'remove', 'Batch', ...of());
    await expect(show('Batch')).rejects.toThrow('There is no rule Batch');
    await tenant.ingest([read('batch', 'payroll')]);
    expect((await found(own.ruleId)).at(-1)).toBe('batch 5');
    expect(await accessLog(open.world)).toContainEqual(
      expect.objectContaining({ operation: 'removeRule', subject: made.ruleId, outcome: 'ok' }),
    );
  });

  it('narrows shipped rules by their title, and narrows what their correlations count', async () => {
    const [made] = (await importFile(
      filter(
        'Drill',
        "['sa used: someone logged in as sa', 'Many denials: one login is refused again and again']",
        "'*drill'",
      ),
    )) as [Rule];
    expect(made.narrows).toHaveLength(2);
    const many = await show('Many denials');
    expect(many.narrowedBy).toEqual([made.ruleId]);
    const denied = (login: string) =>
      Array.from({ length: 12 }, () =>
        anEvent({ actionId: 'SL', succeeded: false, serverPrincipalName: login }),
      );
    await tenant.ingest([...denied('drill'), ...denied('eve')]);
    expect(await found(many.ruleId)).toEqual([`eve ${many.version}`]);
  });

  it('narrows every rule of its log source with "any": later rules and backtests too', async () => {
    await importFile(filter('All', 'any', 'robot'));
    const shipped: Rule[] = await run('rule', 'list', ...of());
    const rules = shipped.filter(({ kind }) => kind === 'rule');
    expect((await show('All')).narrows).toHaveLength(rules.length);
    const [own] = (await importFile(rule('Bonus read', 'bonus'))) as [Rule];
    expect(own).toMatchObject({ version: 1, narrowedBy: [(await show('All')).ruleId] });
    await tenant.ingest([read('robot', 'bonus'), read('eve', 'bonus')]);
    expect(await found(own.ruleId)).toEqual(['eve 1']);
    expect(await run('rule', 'test', 'Bonus', ...of())).toMatchObject({ findingCount: 1 });
    const file = path.join(folder, 'test.yml');
    writeFileSync(file, rule('x', 'bonus'));
    expect(await run('rule', 'test', file, ...of())).toMatchObject({ findingCount: 1 });
    await expect(run('rule', 'test', 'All', ...of())).rejects.toThrow('A filter finds nothing by itself');
    await expect(run('rule', 'tune', 'All', ...of(), '--severity', 'low')).rejects.toThrow('has no settings');
    await run('rule', 'remove', 'All', ...of());
  });

  it('may name rules that do not exist yet, and narrows no rule of another log source', async () => {
    const [early] = (await importFile(filter('Early', '[Later, nothing]', 'robot'))) as [Rule];
    expect(early.narrows).toEqual([]);
    const [own] = (await importFile(rule('Later', 'later'))) as [Rule];
    expect((await show('Early')).narrows).toEqual([own.ruleId]);
    const [linux] = (await importFile(
      filter('Linux', '[Later]', 'robot', 'logsource:\n  product: linux\n'),
    )) as [Rule];
    expect(linux.narrows).toEqual([]);
  });

  it('in a file with rules belongs to these rules, unless it names rules of other files', async () => {
    const done = await importFile(
      [rule('Inner', 'inner'), filter('In', 'any', 'robot'), filter('Out', '[Inner, Later]', 'max')].join(
        '---\n',
      ),
    );
    expect(done.map(({ title, kind }) => `${kind} ${title}`)).toEqual(['rule Inner', 'filter Out']);
    expect(done[1]?.narrows).toHaveLength(2);
  });

  it('rules that are removed and imported again continue their version, and shipped rules cannot be removed', async () => {
    const [before] = (await importFile(rule('Again', 'again'))) as [Rule];
    await run('rule', 'remove', 'Again', ...of());
    const [after] = (await importFile(rule('Again', 'again'))) as [Rule];
    expect([before.version, after.version]).toEqual([1, 2]);
    expect(after.ruleId).toBe(before.ruleId);
    await expect(run('rule', 'remove', 'sa used', ...of())).rejects.toThrow(
      'it can be disabled, not removed',
    );
  });

  it.each([
    [
      'logsource:\n  product: sqlserver\nfilter:\n  rules: any\n  s:\n    objectName: x\n  condition: not s\n',
      'Line 1: a filter of rules of other files must have a title',
    ],
    [filter('a', 'any', 'x').replace('not s', 'not t'), 'Line 8: condition: there is no selection t'],
    [filter('a', 'any', 'x').replace('serverPrincipalName', 'Image'), 'Line 7: events have no field Image'],
    [`${filter('a', 'any', 'x')}---\n${filter('a', 'any', 'y')}`, 'two filters of the file have the same id'],
    [`id: nothing\n${filter('a', 'any', 'x')}`, 'Line 1: id must be a UUID'],
  ])('is refused with the reason: %#', async (text, reason) => {
    await expect(importFile(text)).rejects.toThrow(reason);
  });
});
