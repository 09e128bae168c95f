import { Client } from 'pg';
import { refusedText } from '../../src/modules/detection/detector/refused-rules';
import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';

describeOnPostgres('rules that this release cannot read', () => {
  const open = useWorld('postgresql');
  const alertsOf = async (t: string): Promise<readonly Record<string, unknown>[]> =>
    (await open.world.operate(`{ tenantAlerts(tenantId: "${t}") { items { title group status } } }`))
      .tenantAlerts.items;

  it('are told to the tenant, and the others go on', async () => {
    const [tenant, other] = [await open.world.tenant(), await open.world.tenant()];
    const [ruleId, shipped] = [...readShippedRules()].find(([, { number }]) => number === 7) ?? [];
    expect(shipped?.rule.title).toContain('sa');
    // Events of an earlier release had a field that those of this one have not.
    const client = new Client({ connectionString: open.world.database.databaseUrl ?? '' });
    await client.connect();
    try {
      await client.query(
        `INSERT INTO detection_rule (tenant_id, rule_id, kind, enabled, tuning, version, digest, created_at, updated_at)
         VALUES ($1, $2, 'rule', true, '{"exceptions":[{"formerField":"x"}]}', 1, 'x', now(), now())`,
        [Number(tenant.tenantId), ruleId],
      );
    } finally {
      await client.end();
    }
    const granted = anEvent({
      actionId: 'APRL',
      objectName: 'sysadmin',
      additional: { classType: 'SG', targetServerPrincipalName: 'eve' },
    });
    for (const one of [tenant, other]) await one.ingest([granted]);
    const titles = async (t: string) => (await alertsOf(t)).map(({ group }) => group);
    const problem = refusedText([shipped?.rule.title ?? '']);
    await until(
      () => alertsOf(tenant.tenantId),
      (found) => found.length >= 2,
    );
    expect(await titles(tenant.tenantId)).toEqual(expect.arrayContaining([{ problem }]));
    await until(
      () => alertsOf(other.tenantId),
      (found) => found.length >= 1,
    );
    expect(await titles(other.tenantId)).not.toEqual(expect.arrayContaining([{ problem }]));
  });

  it('are named up to a number', () => {
    const rules = Array.from({ length: 7 }, (_, i) => `rule ${i}`);
    expect(refusedText(rules)).toMatch(/: rule 0; rule 1; rule 2; rule 3; rule 4; and 2 more$/);
    expect(refusedText(rules.slice(0, 5))).toMatch(/; rule 4$/);
  });
});
