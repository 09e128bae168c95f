import { LIMITS } from '../../../src/limits';
import { createTestDatabase, describeOnPostgres } from '../../support/engines';
import { TcpProxy } from '../../support/tcp-proxy';
import { until } from '../../support/until';
import { World } from '../../support/world';
import { expectError, LIST, newestRecord, type Operation } from './operations';

/** What the machine may do meanwhile. */
const BUSY_MS = 5_000;
/** Of the routes but one, which wait in the same way: nobody waits out the real one for each of them. */
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
      // Nothing of the database's address or of the driver's words reaches the caller.
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|prisma|postgres|timeout/i);
    };
    const answersAgain = () => until(call, ({ status }) => status === 200);

    it('within a time that is less than 5 seconds', () => {
      expect(LIMITS.requestDeadlineMs).toBeLessThan(5_000);
    });

    it('while the database refuses connections, within 5 seconds; then it answers again', async () => {
      proxy.cut();
      await unavailable();
      await unavailable();
      proxy.mend();
      await answersAgain();
    });

    it('while the database is silent, within 5 seconds; then it answers again', async () => {
      expect((await call()).status).toBe(200); // its connections and its key are at hand
      if (operation !== LIST) jest.replaceProperty(LIMITS, 'requestDeadlineMs', SHORT_DEADLINE_MS as never);
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
