import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { type OpenServer, openServer } from '../../scripts/lib/server-client.cjs';
import { describeOnPostgres, temporaryFolder } from '../support/engines';
import { Caller } from '../support/faults/caller';
import { until } from '../support/until';

const BATCHES = 50;
/** At once, as many as one tenant may have in work. */
const BATCHES_AT_ONCE = 2;
/** The connections of an instance, and those for requests once more: each may have been given up. */
const WAITING_MAX = 24;

/** A service on a PostgreSQL of its own, which waits for a standby or not. */
class Place {
  private constructor(
    private readonly server: OpenServer,
    private readonly folder: string,
    private readonly look: Client,
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
    caller.service.process.stdout?.on('data', (chunk: Buffer) => log.push(String(chunk)));
    const look = new Client({ connectionString: server.url });
    await look.connect();
    return new Place(server, folder, look, caller, log);
  }

  async close(): Promise<readonly string[]> {
    await this.setStandbys('');
    await this.look.end();
    const mistakes = await this.caller.close();
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
    return mistakes;
  }

  async setStandbys(names: string): Promise<void> {
    await this.look.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await this.look.query('SELECT pg_reload_conf()');
  }

  async numberOf(sql: string): Promise<number> {
    return Number((await this.look.query(sql)).rows[0].n);
  }

  /** Processes of PostgreSQL that wait for a standby. */
  waiting(): Promise<number> {
    return this.numberOf(`SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
  }

  async health(): Promise<string> {
    return (await this.caller.fetch('/health')).text;
  }
}

describeOnPostgres('a synchronous standby that is away', () => {
  let place: Place;
  beforeAll(async () => {
    place = await Place.open();
  });
  afterAll(async () => {
    expect(await place.close()).toEqual([]);
  });

  it('leaves few processes of PostgreSQL waiting however many batches come, and reads, loses and doubles nothing', async () => {
    const { caller, log } = place;
    await caller.all();
    await place.setStandbys('s1');
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
    process.stderr.write(`${counts}\n`);
    expect(new Set(reads)).toEqual(new Set([200]));
    expect(Math.max(...counts)).toBeLessThan(WAITING_MAX);
    expect(caller.unacknowledged).toHaveLength(BATCHES);
    expect(await place.health()).toBe('Degraded');
    const told = log.join('').split('\n').filter((line) => line.includes('wait for a synchronous standby'));
    expect(told).toEqual([expect.stringMatching(/"level":50.*"synchronousStandbyNames":"s1"/)]);

    await place.setStandbys('');
    await until(() => place.health(), (text) => text === 'Healthy');
    await caller.sendAgain();
    expect(caller.unacknowledged).toEqual([]);
    expect(caller.problems).toEqual([]);
    expect(await place.waiting()).toBe(0);
    expect(await place.numberOf('SELECT count(*) AS n FROM audit_event')).toBe(caller.acknowledged);
  });
});
