import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { createTestDatabase, describeOnPostgres, type TestDatabase } from '../support/engines';
import { Caller } from '../support/faults/caller';
import { NETWORK_FAULTS, type NetworkFault, TcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';

/** The most connections to PostgreSQL: those for requests and background tasks, the listener, and some spare ones. */
const CONNECTIONS_MAX = 20;
const ROUNDS = 2;
/** A short time-out, so that no test waits minutes until a background task gives up. */
const BACKGROUND_MS = '3000';
const FLOOD = 1_200;
const GROWTH_MAX_MB = 150;

/** A service that reaches its own database through a proxy, and a direct connection to the same database. */
class Place {
  private constructor(
    private readonly database: TestDatabase,
    readonly proxy: TcpProxy,
    readonly caller: Caller,
    private readonly look: Client,
  ) {}

  static async open(): Promise<Place> {
    const database = await createTestDatabase('postgresql');
    const proxy = await TcpProxy.to(database.databaseUrl);
    const caller = await Caller.open({
      DATABASE_URL: proxy.url,
      DATA_DIR: database.dataDir,
      BACKGROUND_STATEMENT_MS: BACKGROUND_MS,
    });
    const look = new Client({ connectionString: database.databaseUrl ?? '' });
    await look.connect();
    return new Place(database, proxy, caller, look);
  }

  async close(): Promise<readonly string[]> {
    this.proxy.mend();
    const mistakes = await this.caller.close();
    await this.look.end();
    await this.proxy.close();
    await this.database.drop();
    return mistakes;
  }

  async numberOf(sql: string): Promise<number> {
    return Number((await this.look.query(sql)).rows[0].n);
  }

  answers(): Promise<number[]> {
    const areGood = (statuses: number[]) => statuses.every((status) => status === 200);
    return until(() => this.caller.all(), areGood);
  }

  async survives(fault: NetworkFault): Promise<void> {
    const { caller, proxy } = this;
    await this.answers();
    proxy[fault]();
    for (let round = 0; round < ROUNDS; round++) await caller.all();
    expect(proxy.wasMet).toBe(true);
    proxy.mend();
    await this.answers();
    await caller.sendAgain();
    expect(caller.unacknowledged).toEqual([]);
    expect(caller.problems.splice(0)).toEqual([]);
    expect(await this.numberOf('SELECT count(*) AS n FROM audit_event')).toBe(caller.acknowledged);
    // PostgreSQL must also have ended the connections that the service gave up.
    const connections = `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()`;
    await until(
      () => this.numberOf(connections),
      (n) => n <= CONNECTIONS_MAX,
    );
  }

  /** Waits until no event waits for the evidence log and no delta waits for folding. */
  async catchesUp(withinMs: number): Promise<void> {
    for (const table of ['audit_log_queue', 'audit_delta'])
      await until(
        () => this.numberOf(`SELECT count(*) AS n FROM ${table}`),
        (n) => n === 0,
        withinMs,
      );
  }

  get memoryMb(): number {
    const status = readFileSync(`/proc/${this.caller.service.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }
}

describeOnPostgres('between the service and PostgreSQL', () => {
  let place: Place;
  beforeAll(async () => {
    place = await Place.open();
  });
  afterEach(() => place.proxy.mend());
  afterAll(async () => {
    expect(await place.close()).toEqual([]);
  });

  it.each(NETWORK_FAULTS.filter((fault) => fault !== 'garble'))(
    '%s: answers as documented within 5 seconds, recovers by itself, and stores each event once',
    async (fault) => {
      await place.survives(fault);
      await place.catchesUp(90_000);
    },
  );

  it('takes bounded memory for many callers that wait for the database', async () => {
    const { caller, proxy } = place;
    await place.answers();
    const before = place.memoryMb;
    proxy.silence();
    // The time of these answers is tested in test/http/overload.test.ts by the service's clock, since 1,200 callers are
    // slow themselves.
    const headers = { 'X-Api-Key': caller.keys.key };
    const call = () => caller.fetch('/api/v1/public/audit-activity', { headers });
    const answered = await Promise.all(Array.from({ length: FLOOD }, call));
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([503]));
    expect(place.memoryMb - before).toBeLessThan(GROWTH_MAX_MB);
    proxy.mend();
    await place.answers();
    expect(caller.problems.splice(0)).toEqual([]);
  });
});

describeOnPostgres('a PostgreSQL that answers noise', () => {
  let place: Place;
  beforeAll(async () => {
    place = await Place.open();
  });
  afterAll(async () => {
    expect(await place.close()).toEqual([]);
  });

  it('garble: answers as documented within 5 seconds, recovers by itself, and stores each event once', () =>
    place.survives('garble'));

  it('lets background tasks continue when PostgreSQL answers correctly again', () => place.catchesUp(90_000));
});
