import { expectError } from '../rest/support/operations';
import { createTestDatabase, describeOnPostgres, ONE_ENGINE } from '../support/engines';
import { TcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { World } from '../support/world';

describe.each(ONE_ENGINE)('/livez and /readyz on %s', (engine) => {
  const at = useWorld(engine);

  it('answer everybody in plain text', async () => {
    expect(await at.world.fetch('/livez')).toMatchObject({ status: 200, text: 'live' });
    const { status, text, headers } = await at.world.fetch('/readyz');
    expect([status, text]).toEqual([200, 'ready']);
    expect(headers.get('Content-Type')).toMatch(/^text\/plain\b/);
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

  it.each(['POST', 'OPTIONS', 'DELETE'])('refuse the method %s', async (method) => {
    for (const path of ['/livez', '/readyz']) {
      const answer = await at.world.fetch(path, { method });
      expectError(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('Allow')).toBe('GET, HEAD');
    }
  });
});

describeOnPostgres('without its database', () => {
  it.each(['cut', 'silence'] as const)(
    '(%s) a service is live but not ready until its database is back',
    async (lose) => {
      const database = await createTestDatabase('postgresql');
      const proxy = await TcpProxy.to(database.databaseUrl);
      const world = await World.on({ ...database, databaseUrl: proxy.url });
      proxy[lose]();
      // Many probes at once share one query to the database.
      const probes = await Promise.all(Array.from({ length: 50 }, () => world.fetch('/readyz')));
      expect(new Set(probes.map(({ status, text }) => `${status} ${text}`))).toEqual(
        new Set(['503 not ready']),
      );
      expect(await world.fetch('/livez')).toMatchObject({ status: 200 });
      proxy.mend();
      await until(
        () => world.fetch('/readyz'),
        ({ status }) => status === 200,
      );
      await world.close();
      await proxy.close();
    },
  );
});
