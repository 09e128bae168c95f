import { describeOnPostgres } from '../support/engines';
import { type Attacked, useScene } from '../support/hostile/under-attack';
import { until } from '../support/until';

const IMPORT =
  'mutation($t: String!, $source: String!) { importRules(tenantId: $t, source: $source) { ruleId } }';
const TEST =
  'mutation($t: String!, $source: String!) { testRule(tenantId: $t, source: $source) { backtestId } }';
const KEYS = 2;
/** As many calls as a key may make in a minute. */
const CALLS = 60;

/** A rule file of the largest permitted size. */
const rules = (file: number) =>
  Array.from(
    { length: 100 },
    (_, i) => `title: ${file} ${i}
logsource:
  product: sqlserver
detection:
  s:
    databaseName:
${Array.from({ length: 20 }, (_, n) => `      - 'value ${n}'`).join('\n')}
  condition: s
`,
  ).join('---\n');

async function call({ url, hostile: { tenantId: t } }: Attacked, key: string, query: string, source: string) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': key },
    body: JSON.stringify({ query, variables: { t, source } }),
  });
  return { retryAfter: response.headers.get('Retry-After'), text: await response.text() };
}

describeOnPostgres('rules that keys of a tenant change all at once', () => {
  const at = useScene();

  it('take no connections from other tenants, and a call that waited too long is told when to try again', async () => {
    const { hostile, service, operatorKey } = at.scene;
    const keys: string[] = [];
    for (let n = 0; n <= KEYS; n++) {
      const { createApiKey } = await service.graphql<{ createApiKey: { key: string } }>(
        operatorKey,
        `mutation($id: String!) { createApiKey(name: "work", tenantIds: [$id], scopes: ["work:alerts"]) { key } }`,
        { id: hostile.tenantId },
      );
      keys.push(createApiKey.key);
    }
    const patient = keys.pop() ?? '';
    let answers: readonly Awaited<ReturnType<typeof call>>[] = [];
    await at.underAttack(async (attacked) => {
      answers = await Promise.all(
        keys.flatMap((key) =>
          Array.from({ length: CALLS }, (_, n) => call(attacked, key, n % 3 ? IMPORT : TEST, rules(n % 3))),
        ),
      );
      // On a busy machine all of these may have waited too long.
      const again = () => call(attacked, patient, IMPORT, rules(1));
      await until(again, ({ text }) => text.includes('"importRules":[{'));
    });
    for (const { text, retryAfter } of answers)
      if (text.includes('"service_unavailable"')) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  });
});
