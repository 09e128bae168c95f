import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { type Attacked, useScene } from '../support/hostile/under-attack';
import { INGEST } from '../support/world';

/** Words in which each character begins an almost complete match of the phrase. */
const RUN = 254;
const WORD = `${'x'.repeat(RUN - 1)}y${'x'.repeat(RUN - 1)}`;
const PHRASE = `"${'x'.repeat(RUN)}y${'x'.repeat(RUN)}"`;
const STATEMENT = WORD.repeat(1_000);
const BATCHES = 6;
const EVENTS = 15;

/** A document with as many root fields as are allowed. */
const SEARCHES = `query($search: String!) {
  a: auditEvents(search: $search) { totalCount } b: auditEvents(search: $search) { totalCount }
  c: auditEvents(search: $search) { totalCount } d: auditEvents(search: $search) { totalCount }
  e: auditEvents(search: $search) { totalCount } }`;
const KEYS = 4;
const CALLS_AT_ONCE = 5;

async function call({ url }: Attacked, key: string, query: string, variables: object): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': key },
    body: JSON.stringify({ query, variables }),
  });
  return response.text();
}

describeOnPostgres('searches that take as long as a search may', () => {
  const at = useScene();

  it('take no connections from other tenants, when several keys of one tenant make them at once', async () => {
    const { hostile, service, operatorKey } = at.scene;
    for (let batch = 0; batch < BATCHES; batch++) {
      const events = Array.from({ length: EVENTS }, () => anEvent({ statement: STATEMENT }));
      await service.graphql(hostile.agentKey, INGEST, { batch: { events } });
    }
    const keys = [hostile.key];
    for (let n = 1; n < KEYS; n++) {
      const { createApiKey } = await service.graphql<{ createApiKey: { key: string } }>(
        operatorKey,
        `mutation($id: String!) { createApiKey(name: "one more", tenantIds: [$id], scopes: ["read:audit-activity"]) { key } }`,
        { id: hostile.tenantId },
      );
      keys.push(createApiKey.key);
    }
    const codes = new Set<string>();
    await at.underAttack(async (attacked) => {
      const ask = async (key: string) => {
        while (!attacked.signal.aborted) {
          const answer = await call(attacked, key, SEARCHES, { search: PHRASE });
          for (const [, code] of answer.matchAll(/"code":"(\w+)"/g)) codes.add(code ?? '');
          if (answer.includes('rate_limited')) return;
        }
      };
      await Promise.all(keys.flatMap((key) => Array.from({ length: CALLS_AT_ONCE }, () => ask(key))));
    });
    // The hostile tenant must have been refused for its share, else the attack was too weak.
    expect(codes).toContain('service_unavailable');
  });
});
