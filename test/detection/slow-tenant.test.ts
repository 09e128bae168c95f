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
const EVENTS = 200;
const BATCHES = 3;

describe('a tenant whose rules are slow', () => {
  const open = useWorld('embedded');

  it('does not hold up the findings of another', async () => {
    const { world } = open;
    const [slow, quick] = [await world.tenant(), await world.tenant()];
    await world.operate(IMPORT, { t: slow.tenantId, source: SLOW });
    const begun = async ({ tenantId }: TestTenant) => {
      const { tenantAlerts } = await world.operate(
        `{ tenantAlerts(tenantId: "${tenantId}") { items { createdAt } } }`,
      );
      return tenantAlerts.items as readonly { createdAt: string }[];
    };
    const untilBegun = (tenant: TestTenant) =>
      until(
        () => begun(tenant),
        ({ length }) => length > 0,
        110_000,
      );
    for (let n = 0; n < BATCHES; n++)
      await slow.ingest(Array.from({ length: EVENTS }, () => anEvent({ actionId: 'SL', statement: LONG })));
    await slow.ingest([anEvent({ actionId: 'SL', objectName: 'TheLast' })]);
    await quick.ingest([anEvent({ actionId: 'TASP' })]);
    const [[soon], [late]] = [await untilBegun(quick), await untilBegun(slow)];
    // The slow one still had work when the quick one's event was found, though it came last.
    expect(Date.parse(soon?.createdAt ?? '')).toBeLessThan(Date.parse(late?.createdAt ?? ''));
  }, 170_000);
});
