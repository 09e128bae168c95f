import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';

/** As slow as a rule may be: each character of a text keeps hundreds of states alive. */
const SLOW = '[a-m].{900}[n-z].{800}[#-%]';
const rules = (count: number, name = 'slow') =>
  Array.from(
    { length: count },
    (_, i) => `title: ${name} ${i}
logsource:
  product: sqlserver
detection:
  s:
    statement|re: '${SLOW}{${i + 1}}'
  last:
    objectName: TheLast
  condition: s or last
`,
  ).join('---\n');
const IMPORT =
  'mutation($t: String!, $source: String!) { importRules(tenantId: $t, source: $source) { ruleId } }';
const EVENTS = 300;
/** Letters in no order: nothing that was worked out for one text serves another. */
const textOf = (seed: number): string => {
  let state = seed;
  return Array.from({ length: 4_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 1;
    return String.fromCharCode(97 + ((state >>> 8) % 26));
  }).join('');
};

describe('the rules of one tenant', () => {
  const open = useWorld('embedded');
  const alertsOf = async (t: string): Promise<number> =>
    (await open.world.operate(`{ tenantAlerts(tenantId: "${t}") { totalCount } }`)).tenantAlerts.totalCount;

  it('as slow as they may be, keep nobody from the alerts of another', async () => {
    const { world } = open;
    const [slow, other] = [await world.tenant('Slow'), await world.tenant('Other')];
    await world.operate(IMPORT, { t: slow.tenantId, source: rules(2) });
    const events = Array.from({ length: EVENTS }, (_, n) =>
      anEvent({ actionId: 'SL', statement: textOf(n + 1) }),
    );
    await slow.ingest([...events, anEvent({ actionId: 'SL', objectName: 'TheLast' })]);
    await other.ingest([anEvent({ actionId: 'TASP' })]);
    await until(
      () => alertsOf(other.tenantId),
      (count) => count > 0,
      60_000,
    );
    expect(await alertsOf(slow.tenantId)).toBe(0);
  }, 120_000);

  it('are refused when all together cost too much', async () => {
    const { world } = open;
    const { tenantId: t } = await world.tenant();
    await world.operate(IMPORT, { t, source: rules(2) });
    await expect(world.operate(IMPORT, { t, source: rules(2, 'more') })).rejects.toThrow(
      /too large regular expressions.*may come to 100000/,
    );
    // Those of the same ids take the place of those before.
    await world.operate(IMPORT, { t, source: rules(2) });
  });
});
