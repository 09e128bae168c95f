import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { type Attacked, useScene } from '../support/hostile/under-attack';
import { until } from '../support/until';
import { INGEST } from '../support/world';

const API = '/api/v1/public/audit-activity';
/** 6.9 MB, with characters that JSON escapes and such of two bytes. */
const STATEMENT = 'INSERT INTO t VALUES (N\'größer\', "x")\r\n'.repeat(160_000);
const AT_ONCE = 5;

describeOnPostgres('three keys of one tenant that read an event of megabytes without a pause', () => {
  const at = useScene();
  const keys: string[] = [];
  let detail: string;
  beforeAll(async () => {
    const { service, hostile, url, operatorKey } = at.scene;
    await service.graphql(hostile.agentKey, INGEST, {
      batch: { events: [anEvent({ statement: STATEMENT })] },
    });
    const create = `mutation($tenantIds: [String!]!) { createApiKey(name: "reader", tenantIds: $tenantIds,
      scopes: ["read:audit-activity"], rateLimitPerMinute: 10000) { key } }`;
    for (let i = 0; i < 3; i++) {
      const { createApiKey } = await service.graphql<{ createApiKey: { key: string } }>(operatorKey, create, {
        tenantIds: [hostile.tenantId],
      });
      keys.push(createApiKey.key);
    }
    const [key = ''] = keys;
    const list = await fetch(url + API, { headers: { 'X-Api-Key': key } });
    const { data } = (await list.json()) as { data: { recordId: string }[] };
    detail = `${API}/${data[0]?.recordId}`;
    await until(
      async () => (await fetch(`${url}${API}/tail?from=beginning`, { headers: { 'X-Api-Key': key } })).text(),
      (text) => text.length > STATEMENT.length,
    );
  });

  const readAll = async ({ url, signal }: Attacked, path: string) => {
    const answers: { status: number; bytes: number }[] = [];
    // On a busy machine the attack goes on until it has the event several times.
    const hasEnough = () => answers.filter(({ bytes }) => bytes > STATEMENT.length).length > 3;
    const read = async (key: string) => {
      while (!signal.aborted || !hasEnough()) {
        const response = await fetch(url + path, { headers: { 'X-Api-Key': key } });
        answers.push({ status: response.status, bytes: (await response.arrayBuffer()).byteLength });
      }
    };
    await Promise.all(keys.flatMap((key) => Array.from({ length: AT_ONCE }, () => read(key))));
    return answers;
  };

  it.each([
    ['the tail', () => `${API}/tail?from=beginning`, [200, 503]],
    ['its detail', () => detail, [200, 503]],
    ['an export', () => `${API}/export`, [200, 429]],
  ])('take no time from another tenant, and get the event: %s', async (_, pathOf, statuses) => {
    await at.underAttack(
      async (attacked) => {
        const answers = await readAll(attacked, pathOf());
        expect(answers.filter(({ status }) => !statuses.includes(status))).toEqual([]);
      },
      { seconds: 4 },
    );
  });
});
