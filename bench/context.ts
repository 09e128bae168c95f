import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenServer, ServerKind, SkippedServer } from '../scripts/lib/server-client.cjs';
import { type Dataset, ensureDataset, type LoadRecord } from './load/dataset';
import type { Options } from './options';
import { Databases } from './processes/databases';
import { PostgresServer } from './processes/postgres-server';

/** What `scripts/bench.mjs` knows of the machine. */
export interface Machine {
  readonly argv: readonly string[];
  readonly root: string;
  /** `.bench`, for whatever a run leaves. */
  readonly work: string;
  readonly build: string;
  /** Path of a Chromium of this machine. */
  findBrowser(): string | undefined;
  ensureBinary(kind: ServerKind): { readonly found?: string; readonly skipped?: string };
  unprivilegedIds(): { readonly uid: number; readonly gid: number } | undefined;
  openServer(kind: ServerKind): Promise<OpenServer | SkippedServer>;
}

/** What benches work with: servers, loaded databases, and a place for files. Started when first asked for. */
export class Bench {
  readonly loads: LoadRecord[] = [];
  /** Where processes leave their CPU profiles, when asked for. */
  readonly profiles: string;
  #databases: Promise<Databases> | undefined;
  #postgres: PostgresServer | undefined;
  #redis: Promise<OpenServer> | undefined;
  #closing: Promise<void> | undefined;
  readonly #datasets = new Map<number, Promise<Dataset>>();
  /** Whatever is to be ended before the servers. */
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

  /** Of the PostgreSQL started here; that of another machine cannot be looked at. */
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

  /** The made data of so many events, loaded through the service, folded, and analysed. */
  dataset(rows: number): Promise<Dataset> {
    let dataset = this.#datasets.get(rows);
    if (!dataset) {
      dataset = ensureDataset(this, rows);
      this.#datasets.set(rows, dataset);
    }
    return dataset;
  }

  /** Sees to it that a child is ended even where a bench fails. */
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

  /** Ends everything that was started, and removes what is not to be kept. */
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
