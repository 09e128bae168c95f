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
const FIRST = `title: first
logsource:
  product: sqlserver
detection:
  s:
    objectName: TheFirst
  condition: s
`;
const IMPORT =
  'mutation($t: String!, $source: String!) { importRules(tenantId: $t, source: $source) { ruleId } }';
const LONG = 'an'.repeat(4_000);
const EVENTS = 900;
const BATCHES = 3;

describe('a tenant whose rules are slow', () => {
  const open = useWorld('embedded');

  it('does not hold up the findings of another', async () => {
    const { world } = open;
    const [slow, quick] = [await world.tenant(), await world.tenant()];
    for (const source of [SLOW, FIRST]) await world.operate(IMPORT, { t: slow.tenantId, source });
    const alerts = async ({ tenantId }: TestTenant) => {
      const { tenantAlerts } = await world.operate(
        `{ tenantAlerts(tenantId: "${tenantId}") { items { title createdAt } } }`,
      );
      return tenantAlerts.items as readonly { title: string; createdAt: string }[];
    };
    const toldAt = async (tenant: TestTenant, title: string) => {
      const of = (all: Awaited<ReturnType<typeof alerts>>) =>
        all.find((alert) => alert.title.startsWith(title));
      const all = await until(
        () => alerts(tenant),
        (some) => of(some) !== undefined,
        110_000,
      );
      return Date.parse(of(all)?.createdAt ?? '');
    };
    const many = () => Array.from({ length: EVENTS }, () => anEvent({ statement: LONG }));
    await slow.ingest([anEvent({ objectName: 'TheFirst' }), ...many()]);
    for (let n = 1; n < BATCHES; n++) await slow.ingest(many());
    await slow.ingest([anEvent({ objectName: 'TheLast' })]);
    await toldAt(slow, 'first');
    await quick.ingest([anEvent({ actionId: 'TASP' })]);
    // The slow one had begun before the quick one's event came, and had work left after that was found.
    expect(await toldAt(quick, 'Trace')).toBeLessThan(await toldAt(slow, 'slow'));
  }, 170_000);
});
