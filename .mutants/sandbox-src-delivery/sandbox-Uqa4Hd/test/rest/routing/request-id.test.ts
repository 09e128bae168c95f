import { newKey } from '../../../src/caller/key-format';
import { accessLog } from '../../support/access-log';
import { ONE_ENGINE } from '../../support/engines';
import { until } from '../../support/until';
import { useWorld } from '../../support/use-world';
import { OPERATIONS, UNKNOWN_RECORD } from '../support/operations';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe.each(ONE_ENGINE)('X-Request-Id on %s', (engine) => {
  const at = useWorld(engine);
  const idOf = async (given: string | null, path = '/health') => {
    const answer = await at.world.fetch(path, { headers: given === null ? {} : { 'X-Request-Id': given } });
    return answer.headers.get('X-Request-Id');
  };

  it.each([
    'a',
    '42',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    'Root=1-67891233-abcdef012345678912345678',
    'a.b:c_d/e+f==',
    'x'.repeat(128),
  ])("is the caller's when it is sane: %s", async (given) => {
    expect(await idOf(given)).toBe(given);
  });

  it.each([
    '',
    ' ',
    'two words',
    'a,b',
    '<script>',
    '"quoted"',
    "'; --",
    '{jndi:ldap}',
    'é',
    'x'.repeat(129),
  ])("is made by the service when the caller's is invalid: %j", async (given) => {
    expect(await idOf(given)).toMatch(UUID);
  });

  it.each(['public', 'agent', 'operator'] as const)(
    "is made by the service when the caller's contains a %s key, so that no log keeps the key",
    async (kind) => {
      const acme = await at.world.tenant();
      const key = newKey(kind);
      for (const given of [key, `trace-${key}`, `${key}/2`, key.slice(0, 20), key.toUpperCase()]) {
        const answer = await acme.world.get('/audit-activity', acme.key, {
          headers: { 'X-Request-Id': given },
        });
        expect(answer.headers.get('X-Request-Id')).toMatch(UUID);
      }
      const entries = await until(
        () => accessLog(at.world, { keyId: acme.keyId }),
        ({ length }) => length === 5,
      );
      for (const { requestId } of entries) expect(requestId).toMatch(UUID);
    },
  );

  it('is made by the service for each call when the caller gives none', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => idOf(null)));
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(20);
  });

  it.each(['/health', '/swagger', '/nothing', '/api/v1/public/audit-activity', '/graphql'])(
    'is on every answer of %s',
    async (path) => {
      expect(await idOf('mine', path)).toBe('mine');
    },
  );

  it.each(OPERATIONS)(
    '$title: is on every answer, and errors repeat it as error.requestId',
    async (operation) => {
      const { key } = await at.world.tenant();
      const headers = { 'X-Request-Id': 'trace-1' };
      for (const [path, caller] of [
        [operation.path(UNKNOWN_RECORD), key],
        [operation.path(UNKNOWN_RECORD), null],
        [operation.mistaken[0], key],
      ] as const) {
        const answer = await at.world.get(path, caller, { headers });
        expect(answer.headers.get('X-Request-Id')).toBe('trace-1');
        if (answer.status !== 200) expect(answer.body.error.requestId).toBe('trace-1');
      }
    },
  );

  it('is in the log line of the call, which has neither the search text nor the key', async () => {
    const acme = await at.world.tenant();
    const query = { search: 'secretword' };
    await at.world.get('/audit-activity', acme.key, { query, headers: { 'X-Request-Id': 'logged-1' } });
    const line = await until(
      () => at.world.logLines.find((text) => text.includes('logged-1')),
      (found) => found !== undefined,
    );
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      requestId: 'logged-1',
      method: 'GET',
      path: '/api/v1/public/audit-activity',
      status: 200,
      keyId: acme.keyId,
    });
    expect(at.world.logLines.join()).not.toContain('secretword');
    expect(at.world.logLines.join()).not.toContain(acme.key);
  });
});
