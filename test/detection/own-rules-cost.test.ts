import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

/** A regular expression as slow as a rule may be: each character of a text keeps hundreds of states alive. */
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
describe('own rules of a tenant', () => {
  const open = useWorld(ANY_ENGINE);

  it('are refused when all of them together cost too much', async () => {
    const { world } = open;
    const { tenantId: t } = await world.tenant();
    await world.operate(IMPORT, { t, source: rules(2) });
    await expect(world.operate(IMPORT, { t, source: rules(2, 'more') })).rejects.toThrow(
      /too large regular expressions.*may come to 100000/,
    );
    // Rules with the same ids replace the earlier ones, so they add no cost.
    await world.operate(IMPORT, { t, source: rules(2) });
  });
});
