import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { type OpenServer, openServer } from '../../scripts/lib/server-client.cjs';
import { openDatabase } from '../../src/database/database';
import { within } from '../../src/deadline';
import { describeOnPostgres, temporaryFolder } from '../support/engines';
import { Caller } from '../support/faults/caller';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';

const BATCHES = 50;
/** At once, as many as one tenant may have in work. */
const BATCHES_AT_ONCE = 2;
/** Fewer than an instance has connections for requests and background tasks. */
const WAITING_MAX = 14;
const CREATE_KEY = `mutation($id: String!) {
  createApiKey(name: "r", tenantIds: [$id], scopes: ["read:audit-activity"]) { keyId } }`;
const REVOKE_KEY = 'mutation($id: String!) { revokeApiKey(keyId: $id) { revokedAt } }';

/** A service on a PostgreSQL of its own, which waits for a standby or not. */
class Place {
  private constructor(
    readonly server: OpenServer,
    private readonly folder: string,
    private readonly look: Client,
    private readonly other: Client,
    readonly caller: Caller,
    readonly log: string[],
  ) {}

  static async open(): Promise<Place> {
    const server = await openServer('postgres');
    if ('skipped' in server) throw new Error(server.skipped);
    const folder = await temporaryFolder();
    const dataDir = path.join(folder, 'data');
    await mkdir(dataDir);
    const caller = await Caller.open({ DATABASE_URL: server.url, DATA_DIR: dataDir });
    const log: string[] = [];
    caller.service.process.stderr?.on('data', (chunk: Buffer) => log.push(String(chunk)));
    const [look, other] = [1, 2].map(() => new Client({ connectionString: server.url })) as [Client, Client];
    await Promise.all([look.connect(), other.connect()]);
    return new Place(server, folder, look, other, caller, log);
  }

  async close(): Promise<readonly string[]> {
    await this.return();
    await Promise.all([this.look.end(), this.other.end()]);
    const mistakes = await this.caller.close();
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
    return mistakes;
  }

  /** Takes the standby away: resolves once a commit, that of another client, waits for it. */
  async leave(): Promise<void> {
    await this.#setStandbys('s1');
    let isCommitted = true;
    const write = () => {
      isCommitted = false;
      this.other.query(`SELECT pg_logical_emit_message(true, 'test', '')`).then(() => {
        isCommitted = true;
      });
    };
    await until(
      () => {
        if (isCommitted) write();
        return this.waiting();
      },
      (waiting) => waiting > 0,
    );
  }

  /** Takes it from those whom PostgreSQL waits for. */
  return(): Promise<void> {
    return this.#setStandbys('');
  }

  async #setStandbys(names: string): Promise<void> {
    await this.look.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await this.look.query('SELECT pg_reload_conf()');
  }

  async numberOf(sql: string): Promise<number> {
    return Number((await this.look.query(sql)).rows[0].n);
  }

  /** Processes of PostgreSQL that wait for a standby, or for one that does. */
  waiting(): Promise<number> {
    return this.numberOf(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep' OR wait_event_type = 'Lock'`,
    );
  }

  operate<T>(query: string, variables: object): Promise<T> {
    const { service } = this.caller;
    return service.graphql<T>(service.operatorKey, query, variables);
  }

  async newKey(): Promise<string> {
    const variables = { id: this.caller.keys.tenantId };
    const made = await this.operate<{ createApiKey: { keyId: string } }>(CREATE_KEY, variables);
    return made.createApiKey.keyId;
  }

  async health(): Promise<string> {
    return (await this.caller.fetch('/health')).text;
  }
}

describeOnPostgres('a synchronous standby that is away', () => {
  useLimits({ backgroundSilenceMs: 200 });
  let place: Place;
  beforeAll(async () => {
    place = await Place.open();
  });
  afterEach(() => place.return());
  afterAll(async () => {
    expect(await place.close()).toEqual([]);
  });

  it('leaves few processes of PostgreSQL waiting however many batches come, and reads, loses and doubles nothing', async () => {
    const { caller, log } = place;
    await caller.all();
    const keyIds = await Promise.all([1, 2].map(() => place.newKey()));
    await place.leave();
    // Two commits that notify the other instances: PostgreSQL lets the second wait for the first.
    const changes = keyIds.map((id) => place.operate(REVOKE_KEY, { id }).catch(() => {}));
    const counts: number[] = [];
    const reads: number[] = [];
    for (let sent = 0; sent < BATCHES; sent += BATCHES_AT_ONCE) {
      const [statuses] = await Promise.all([
        caller.all(),
        ...Array.from({ length: BATCHES_AT_ONCE - 1 }, () => caller.send()),
      ]);
      reads.push(...statuses);
      counts.push(await place.waiting());
    }
    await Promise.all(changes);
    expect(new Set(reads)).toEqual(new Set([200]));
    expect(Math.max(...counts)).toBeLessThan(WAITING_MAX);
    expect(log.join('')).not.toContain('Deprecation');
    expect(caller.unacknowledged).toHaveLength(BATCHES);
    expect(await place.health()).toBe('Degraded');
    const told = log
      .join('')
      .split('\n')
      .filter((line) => line.includes('wait for a synchronous standby'));
    expect(told).toEqual([expect.stringMatching(/"level":50.*"synchronousStandbyNames":"s1"/)]);

    await place.return();
    await until(
      () => place.health(),
      (text) => text === 'Healthy',
    );
    await caller.sendAgain();
    expect(caller.unacknowledged).toEqual([]);
    expect(caller.problems).toEqual([]);
    expect(await place.waiting()).toBe(0);
    expect(await place.numberOf('SELECT count(*) AS n FROM audit_event')).toBe(caller.acknowledged);
  });

  it('keeps a background task at its statement, and opens no further connection for it', async () => {
    const { url } = place.server;
    const database = await openDatabase({ databaseUrl: url, dataDir: '', backgroundStatementMs: 200 });
    const { owner } = database;
    await owner.models.$executeRawUnsafe('CREATE TABLE written (n int)');
    await place.leave();
    const write = async (n: number) => {
      await owner.models.$executeRawUnsafe(`INSERT INTO written VALUES (${n})`);
    };
    const written = Array.from({ length: 8 }, (_, n) => write(n));
    // Each would be given up several times in this time.
    const late = () => new Error('none has ended');
    await expect(within(3_000, late, () => Promise.race(written))).rejects.toThrow('none has ended');
    const waiting = await place.numberOf(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'INSERT INTO written%'`,
    );
    expect(waiting).toBe(4);
    await place.return();
    await Promise.all(written);
    expect(await place.numberOf('SELECT count(*) AS n FROM written')).toBe(written.length);
    await database.close();
  });
});
