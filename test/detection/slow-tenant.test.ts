import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

/** As slow as a rule may be: each character of a text keeps hundreds of states alive. */
const SLOW = `title: slow
logsource:
  product: sqlserver
detection:
  s:
    statement|re: '[a-m].{900}[n-z].{800}[#-%]'
  last:
    objectName: TheLast
  condition: s or last
`;
const IMPORT =
  'mutation($t: String!, $source: String!) { importRules(tenantId: $t, source: $source) { ruleId } }';
const LONG = 'an'.repeat(4_000);
const EVENTS = 150;

describe('a tenant whose rules are slow', () => {
  const open = useWorld('embedded');

  it('does not hold up the findings of another', async () => {
    const { world } = open;
    const [slow, quick] = [await world.tenant(), await world.tenant()];
    await world.operate(IMPORT, { t: slow.tenantId, source: SLOW });
    const findings = async ({ tenantId }: TestTenant) => {
      const { tenantAlerts } = await world.operate(
        `{ tenantAlerts(tenantId: "${tenantId}") { items { title } } }`,
      );
      return tenantAlerts.items.length as number;
    };
    await slow.ingest([
      ...Array.from({ length: EVENTS }, () => anEvent({ actionId: 'SL', statement: LONG })),
      anEvent({ actionId: 'SL', objectName: 'TheLast' }),
    ]);
    await quick.ingest([anEvent({ actionId: 'TASP' })]);
    await until(
      () => findings(quick),
      (count) => count > 0,
    );
    // The slow one still has work.
    expect(await findings(slow)).toBe(0);
    await until(
      () => findings(slow),
      (count) => count > 0,
      110_000,
    );
  }, 170_000);
});
