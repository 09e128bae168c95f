import { createTestDatabase, describeOnPostgres } from '../../support/engines';
import { TcpProxy } from '../../support/tcp-proxy';
import { until } from '../../support/until';
import { World } from '../../support/world';
import { expectError, newestRecord, type Operation } from './operations';

const ANSWERED_WITHIN_MS = 5_000;

export function refusesWhileTheDatabaseIsLost(operation: Operation): void {
  describeOnPostgres(`503 of ${operation.title}`, () => {
    let proxy: TcpProxy;
    let world: World;
    let path: string;
    let key: string;
    beforeAll(async () => {
      const database = await createTestDatabase('postgresql');
      proxy = await TcpProxy.to(database.databaseUrl);
      world = await World.on({ ...database, databaseUrl: proxy.url });
      const acme = await world.tenant();
      await acme.audited();
      path = operation.path(await newestRecord(acme));
      key = acme.key;
    });
    afterEach(() => proxy.mend());
    afterAll(async () => {
      await world.close();
      await proxy.close();
    });

    const call = () => world.get(path, key);
    const unavailable = async () => {
      const start = performance.now();
      const answer = await call();
      expectError(answer, 503, 'service_unavailable');
      expect(performance.now() - start).toBeLessThan(ANSWERED_WITHIN_MS);
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      // Nothing of the database's address or of the driver's words reaches the caller.
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|prisma|postgres|timeout/i);
    };
    const answersAgain = () => until(call, ({ status }) => status === 200);

    it('while the database refuses connections, within 5 seconds; then it answers again', async () => {
      proxy.cut();
      await unavailable();
      await unavailable();
      proxy.mend();
      await answersAgain();
    });

    it('while the database is silent, within 5 seconds; then it answers again', async () => {
      expect((await call()).status).toBe(200); // its connections and its key are at hand
      proxy.silence();
      await Promise.all([unavailable(), unavailable(), unavailable()]);
      await unavailable(); // with the key no longer at hand
      proxy.mend();
      await answersAgain();
    });

    it('not for a single lost connection: the next call has a new one', async () => {
      proxy.cut();
      proxy.mend();
      await answersAgain();
      expect((await call()).status).toBe(200);
    });
  });
}
