import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { createTestDatabase, describeOnPostgres, type TestDatabase } from '../support/engines';
import { NETWORK_FAULTS, TcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { Caller } from './support/caller';

/** Those for requests, those for background tasks, one that listens, and some to spare. */
const CONNECTIONS_MAX = 20;
const ROUNDS = 2;
const FLOOD = 1_200;
const GROWTH_MAX_MB = 150;

describeOnPostgres('between the service and PostgreSQL', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let caller: Caller;
  let look: Client;
  beforeAll(async () => {
    database = await createTestDatabase('postgresql');
    proxy = await TcpProxy.to(database.databaseUrl);
    caller = await Caller.open({ DATABASE_URL: proxy.url, DATA_DIR: database.dataDir });
    look = new Client({ connectionString: database.databaseUrl ?? '' });
    await look.connect();
    await caller.all();
  });
  afterAll(async () => {
    proxy.mend();
    expect(await caller.close()).toEqual([]);
    await look.end();
    await proxy.close();
    await database.drop();
  });
  afterEach(() => proxy.mend());
  const numberOf = async (sql: string): Promise<number> => Number((await look.query(sql)).rows[0].n);
  const stored = () => numberOf('SELECT count(*) AS n FROM audit_event');
  const connections = () =>
    numberOf(`SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()`);
  const answers = () =>
    until(
      () => caller.all(),
      (statuses) => statuses.every((status) => status === 200),
      30_000,
    );
  const memoryMb = () => {
    const status = readFileSync(`/proc/${caller.service.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  };

  it.each(NETWORK_FAULTS)(
    '%s: answers as documented within 5 seconds, recovers by itself, and stores each event once',
    async (fault) => {
      await answers();
      proxy[fault]();
      for (let round = 0; round < ROUNDS; round++) await caller.all();
      expect(proxy.wasMet).toBe(true);
      proxy.mend();
      await answers();
      await caller.sendAgain();
      expect(caller.unacknowledged).toEqual([]);
      expect(caller.problems.splice(0)).toEqual([]);
      expect(await stored()).toBe(caller.acknowledged);
      // What the service gave up, the server is rid of too.
      await until(connections, (n) => n <= CONNECTIONS_MAX, 20_000);
    },
  );

  it('a crowd that waits for it takes bounded memory', async () => {
    await answers();
    const before = memoryMb();
    proxy.silence();
    // How soon they are answered: test/http/overload.test.ts, by the service's own clock, as so many callers are slow.
    const call = () =>
      caller.fetch('/api/v1/public/audit-activity', { headers: { 'X-Api-Key': caller.keys.key } });
    const answered = await Promise.all(Array.from({ length: FLOOD }, call));
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([503]));
    expect(memoryMb() - before).toBeLessThan(GROWTH_MAX_MB);
    proxy.mend();
    await answers();
    expect(caller.problems.splice(0)).toEqual([]);
  });
});
