import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';
import { unseenInLogins } from './support/sigma';

describe('a rule with a baseline that is imported or enabled later', () => {
  const open = useWorld(ANY_ENGINE);
  let tenant: TestTenant;
  let key: string;
  const operate = (field: string, answer: string) =>
    open.world
      .operate(`mutation { ${field}${answer} }`)
      .then((data) => data[field.slice(0, field.indexOf('('))]);
  /** A login on a day of January 2026, always at the same hour. */
  const login = (day: number, name: string) =>
    anEvent({
      actionId: 'LGIS',
      serverPrincipalName: name,
      eventTime: `2026-01-${String(day).padStart(2, '0')}T08:00:00.0000001Z`,
    });
  let marks = 0;
  /** Waits until the existing rules have evaluated everything sent so far. @returns the names that a rule has found */
  const foundBy = async (ruleId: string, enough: (found: readonly string[]) => boolean) => {
    marks += 1;
    await tenant.ingest([
      anEvent({ actionId: 'EX', objectName: 'xp_cmdshell', serverPrincipalName: `m${marks}` }),
    ]);
    const findings = await until(
      async () => (await open.world.get('/findings', key, { query: { pageSize: 100 } })).body.data,
      (all) =>
        all.some(
          ({ group }: { group: Record<string, string> }) => group.serverPrincipalName === `m${marks}`,
        ) && enough(namesOf(all, ruleId)),
    );
    return namesOf(findings, ruleId);
  };
  const namesOf = (
    all: readonly { ruleId: string; group: Record<string, string> }[],
    ruleId: string,
  ): readonly string[] =>
    all
      .filter((one) => one.ruleId === ruleId)
      .map(({ group }) => group.serverPrincipalName ?? group.hostName ?? '');
  const isTold = (name: string) => (found: readonly string[]) => found.includes(name);

  beforeAll(async () => {
    tenant = await open.world.tenant();
    key = (await open.world.key({ tenantIds: [tenant.tenantId], scopes: ['read:findings'] })).key;
    await tenant.ingest(Array.from({ length: 9 }, (_, i) => login(i + 1, i % 2 ? 'ada' : 'bob')));
    // Waits until these events are evaluated, so that a rule imported later cannot see them arrive.
    await foundBy('', () => true);
  });

  it('learns from the log when it is imported, and misses no event that arrives while it learns', async () => {
    const source = JSON.stringify(unseenInLogins('Who is that', 'serverPrincipalName'));
    const [{ ruleId }] = await operate(
      `importRules(tenantId: "${tenant.tenantId}", source: ${source})`,
      '{ ruleId }',
    );
    await tenant.ingest([login(10, 'ADA'), login(10, 'eve')]);
    expect(await foundBy(ruleId, isTold('eve'))).toEqual(['eve']);
    await tenant.ingest([login(11, 'bob'), login(11, 'eve'), login(11, 'max')]);
    expect(await foundBy(ruleId, isTold('max'))).toEqual(['max', 'eve']);
  });

  it('learns what arrived while it was disabled, and a new version keeps the baseline', async () => {
    const rules = (
      await open.world.operate(`{ detectionRules(tenantId: "${tenant.tenantId}") { ruleId title } }`)
    ).detectionRules as readonly { ruleId: string; title: string }[];
    const ruleId = rules.find(({ title }) => title.startsWith('New principal'))?.ruleId ?? '';
    const told = await foundBy(ruleId, isTold('max'));
    const switched = (enabled: boolean) =>
      operate(
        `setRuleEnabled(tenantId: "${tenant.tenantId}", ruleId: "${ruleId}", enabled: ${enabled})`,
        '{ enabled }',
      );
    await switched(false);
    await tenant.ingest([login(12, 'zoe')]);
    await foundBy(ruleId, () => true);
    await switched(true);
    await tenant.ingest([login(13, 'zoe'), login(13, 'new')]);
    expect(await foundBy(ruleId, isTold('new'))).toEqual(['new', ...told]);
    await operate(
      `tuneRule(tenantId: "${tenant.tenantId}", ruleId: "${ruleId}", severity: "low")`,
      '{ version }',
    );
    await tenant.ingest([login(14, 'zoe'), login(14, 'newer')]);
    expect(await foundBy(ruleId, isTold('newer'))).toEqual(['newer', 'new', ...told]);
  });
});
