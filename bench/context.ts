import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenServer } from '../scripts/lib/server-client.cjs';
import type { Machine } from './machine';
import type { Options } from './options';
import { Databases } from './processes/databases';
import { PostgresServer } from './processes/postgres-server';

/** The servers and folders that benches use. Each server starts when it is first asked for. */
export class Bench {
  /** The folder of the CPU profiles that processes write with `--profile`. */
  readonly profiles: string;
  #databases: Promise<Databases> | undefined;
  #postgres: PostgresServer | undefined;
  #redis: Promise<OpenServer> | undefined;
  #closing: Promise<void> | undefined;
  /** Everything that has to end before the servers. */
  readonly #open = new Set<{ close(): Promise<unknown> }>();

  constructor(
    readonly machine: Machine,
    readonly options: Options,
  ) {
    this.profiles = join(machine.work, 'profiles');
    rmSync(this.profiles, { recursive: true, force: true });
  }

  readonly say = (line: unknown): void => {
    process.stderr.write(`${line}\n`);
  };

  /** The process id of the PostgreSQL started here. A PostgreSQL on another machine has none that this run can use. */
  get postgresPid(): number | undefined {
    return this.#postgres?.pid;
  }

  /** A folder of this run, below `.bench`. */
  folder(name: string): string {
    const folder = join(this.machine.work, 'run', name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  async databases(): Promise<Databases> {
    if (this.#closing) throw new Error('the run was broken off');
    this.#databases ??= this.#openDatabases();
    return this.#databases;
  }

  async redisUrl(database: number): Promise<string> {
    this.#redis ??= this.#openRedis();
    return `${(await this.#redis).url}/${database}`;
  }

  /** Makes sure that a child is ended even if a bench fails. */
  track<T extends { close(): Promise<unknown> }>(child: T): T {
    this.#open.add(child);
    return child;
  }

  async untrack(child: { close(): Promise<unknown> }): Promise<void> {
    this.#open.delete(child);
    await child.close();
  }

  async describeServer(): Promise<string> {
    const databases = await this.#opened();
    return databases ? databases.describe() : 'no PostgreSQL';
  }

  /** Ends everything that was started, and removes everything that the options do not keep. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const child of this.#open) await this.untrack(child).catch(this.say);
    const databases = await this.#opened();
    if (databases && !this.options.keep) await databases.dropAll();
    await databases?.close();
    await this.#postgres?.close();
    await (await this.#redis?.catch(() => undefined))?.close();
    rmSync(join(this.machine.work, 'run'), { recursive: true, force: true });
  }

  #opened(): Promise<Databases | undefined> | undefined {
    return this.#databases?.catch(() => undefined);
  }

  async #openDatabases(): Promise<Databases> {
    const given = process.env.BENCH_DATABASE_URL;
    if (given) return Databases.open(given);
    const folder = join(this.machine.work, 'postgres');
    this.#postgres = new PostgresServer(this.machine, folder, this.options.keep);
    return Databases.open(await this.#postgres.start());
  }

  async #openRedis(): Promise<OpenServer> {
    const server = await this.machine.openServer('redis');
    if ('skipped' in server) throw new Error(server.skipped);
    return server;
  }
}
