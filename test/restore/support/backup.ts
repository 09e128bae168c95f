import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createEmptyDatabase, type TestDatabase, temporaryFolder } from '../../support/engines';
import { until } from '../../support/until';
import type { World } from '../../support/world';

const run = promisify(execFile);
const KEPT = ['checkpoint.key', 'checkpoints', 'operator.key', 'secrets.key'];

/** A backup as docs/operate.md makes it: the data folder first, then the dump. */
export class Backup {
  private constructor(readonly folder: string) {}

  static async of({ databaseUrl, dataDir }: TestDatabase): Promise<Backup> {
    const folder = await temporaryFolder();
    for (const part of KEPT) await cp(path.join(dataDir, part), path.join(folder, part), { recursive: true });
    const file = path.join(folder, 'audit.dump');
    await run('pg_dump', [
      ...['--format=custom', '--enable-row-security', '--file', file, '--dbname', databaseUrl ?? ''],
    ]);
    return new Backup(folder);
  }

  /** Restores it into an empty database, with a data folder of its own. */
  async restored(): Promise<TestDatabase> {
    const database = await createEmptyDatabase('postgresql');
    await this.into(database);
    for (const part of KEPT)
      await cp(path.join(this.folder, part), path.join(database.dataDir, part), { recursive: true });
    return database;
  }

  async into({ databaseUrl }: TestDatabase, ...options: readonly string[]): Promise<void> {
    const file = path.join(this.folder, 'audit.dump');
    await run('pg_restore', ['--no-owner', ...options, '--dbname', databaseUrl ?? '', file]);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

export interface ShownEpoch {
  readonly epoch: string;
  readonly beganAt: string;
  readonly cause: string;
  readonly reason: string;
  readonly hold: string | null;
  readonly drill: boolean;
}

const FIELDS = 'epoch beganAt cause reason hold drill';

export const epochOf = async (world: World): Promise<ShownEpoch> =>
  (await world.operate(`{ logEpoch { ${FIELDS} } }`)).logEpoch;

export const finish = async (world: World, how = ''): Promise<ShownEpoch> =>
  (await world.operate(`mutation { finishRestore${how} { ${FIELDS} } }`)).finishRestore;

export const healthOf = async (world: World): Promise<string> => (await world.fetch('/health')).text;

/** Waits until the logs were compared and a destination that is not held back would send. */
export const untilSettled = (world: World, tenantId: string): Promise<unknown> =>
  until(
    async () =>
      (await world.operate(`{ destinations(tenantId: "${tenantId}") { pauseReason } }`)).destinations,
    (found: { pauseReason: string | null }[]) =>
      !found.some(({ pauseReason }) => pauseReason?.includes('has just started')),
  );
