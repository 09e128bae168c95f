import { LIMITS } from '../../../src/limits';
import { createTestDatabase, describeOnPostgres } from '../../support/engines';
import { TcpProxy } from '../../support/tcp-proxy';
import { until } from '../../support/until';
import { World } from '../../support/world';
import { expectError, LIST, newestRecord, type Operation } from './operations';

/** Additional time for a busy machine. */
const BUSY_MS = 5_000;
/** The deadline for all routes but one. They wait in the same way, so the full time is tested once. */
const SHORT_DEADLINE_MS = 1_500;

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
    afterEach(() => {
      jest.restoreAllMocks();
      proxy.mend();
    });
    afterAll(async () => {
      await world.close();
      await proxy.close();
    });

    const call = () => world.get(path, key);
    const unavailable = async () => {
      const start = performance.now();
      const answer = await call();
      expectError(answer, 503, 'service_unavailable');
      expect(performance.now() - start).toBeLessThan(LIMITS.requestDeadlineMs + BUSY_MS);
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      // The answer must not reveal the database's address or the driver's messages.
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|prisma|postgres|timeout/i);
    };
    const answersAgain = () => until(call, ({ status }) => status === 200);

    it('after less than 5 seconds', () => {
      expect(LIMITS.requestDeadlineMs).toBeLessThan(5_000);
    });

    it('while the database refuses connections, within 5 seconds, and 200 afterwards', async () => {
      proxy.cut();
      await unavailable();
      await unavailable();
      proxy.mend();
      await answersAgain();
    });

    it('while the database is silent, within 5 seconds, and 200 afterwards', async () => {
      expect((await call()).status).toBe(200); // fills the caches of connections and keys
      if (operation !== LIST) jest.replaceProperty(LIMITS, 'requestDeadlineMs', SHORT_DEADLINE_MS as never);
      proxy.silence();
      await Promise.all([unavailable(), unavailable(), unavailable()]);
      await unavailable(); // by now the key is no longer cached
      proxy.mend();
      await answersAgain();
    });

    it('not after a single lost connection: the next call gets a new one', async () => {
      proxy.cut();
      proxy.mend();
      await answersAgain();
      expect((await call()).status).toBe(200);
    });
  });
}
