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
describe('own rules of a tenant', () => {
  const open = useWorld('embedded');

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
