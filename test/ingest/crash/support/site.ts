import { rm } from 'node:fs/promises';
import { Client } from 'pg';
import { type OpenServer, openServer, type ServerKind } from '../../../../scripts/lib/server-client.cjs';
import { openDatabase } from '../../../../src/database/database';
import type { Random } from '../../../simulation/support/random';
import { createTestDatabase, type TestDatabase, temporaryFolder } from '../../../support/engines';
import { type StoredEvent, storedEventOf } from './stored-events';
import { SupervisedService } from './supervised-service';

const EVENTS = 'SELECT * FROM audit_event';

export interface TenantKeys {
  readonly tenantId: string;
  readonly agentKey: string;
  readonly key: string;
}

/** The services and the servers that they need. All of them can be killed. */
export interface Site {
  readonly services: readonly SupervisedService[];
  /** Kills one part, or two at once. @returns the name of what was killed */
  kill(random: Random): Promise<string>;
  /** @returns the events of all tenants, as their table has them */
  events(): Promise<StoredEvent[]>;
  close(): Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;
const SETTINGS = { RATE_LIMIT_PER_MINUTE: '100000' };

export class EmbeddedSite implements Site {
  private constructor(
    readonly place: TestDatabase,
    readonly services: readonly [SupervisedService],
  ) {}

  static async open(): Promise<EmbeddedSite> {
    const place = await createTestDatabase('embedded');
    return new EmbeddedSite(place, [await SupervisedService.open({ ...SETTINGS, DATA_DIR: place.dataDir })]);
  }

  async kill(): Promise<string> {
    await this.services[0].kill();
    return 'a service';
  }

  /** Kills the service first: the embedded engine runs inside it and locks its files. */
  events(): Promise<StoredEvent[]> {
    return this.services[0].whileStopped(async () => {
      const database = await openDatabase({ databaseUrl: null, dataDir: this.place.dataDir });
      try {
        return (await database.migrator.models.$queryRawUnsafe<Row[]>(EVENTS)).map(storedEventOf);
      } finally {
        await database.close();
      }
    });
  }

  async close(): Promise<void> {
    await this.services[0].close();
    await this.place.drop();
  }
}

/** Two instances with a PostgreSQL and a Redis of their own, both of which flush every write to the disk. */
export class PostgresSite implements Site {
  private constructor(
    private readonly dataDir: string,
    private readonly postgres: OpenServer,
    private readonly redis: OpenServer,
    readonly services: readonly SupervisedService[],
  ) {}

  static async open(settings: Readonly<Record<string, string>> = {}): Promise<PostgresSite> {
    const [postgres, redis] = await Promise.all([server('postgres'), server('redis')]);
    const dataDir = await temporaryFolder();
    const env = {
      ...SETTINGS,
      ...settings,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      DATA_DIR: dataDir,
    };
    const first = await SupervisedService.open(env);
    return new PostgresSite(dataDir, postgres, redis, [first, await SupervisedService.open(env)]);
  }

  kill(random: Random): Promise<string> {
    const service = random.pick(this.services);
    return random.weighted([
      [3, () => this.#killed('a service', service.kill())],
      [5, () => this.#killed('PostgreSQL', again(this.postgres))],
      [3, () => this.#killed('Redis', again(this.redis))],
      [1, () => this.#killed('PostgreSQL and a service', again(this.postgres), service.kill())],
    ]);
  }

  async #killed(what: string, ...kills: Promise<void>[]): Promise<string> {
    await Promise.all(kills);
    return what;
  }

  /** Kills PostgreSQL and starts it again. */
  killPostgres(): Promise<void> {
    return again(this.postgres);
  }

  async events(): Promise<StoredEvent[]> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    try {
      return (await client.query<Row>(EVENTS)).rows.map(storedEventOf);
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.services.map((service) => service.close()));
    await Promise.all([this.postgres.close(), this.redis.close()]);
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

/** Kills a server with all its processes, and starts it on the files that it left. */
async function again(server: OpenServer): Promise<void> {
  await server.kill();
  await server.start();
}

async function server(kind: ServerKind): Promise<OpenServer> {
  const opened = await openServer(kind, { durable: true });
  if ('skipped' in opened) throw new Error(opened.skipped);
  return opened;
}
