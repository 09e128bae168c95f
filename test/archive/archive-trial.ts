import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ServiceDoor } from '../../src/database/clients';
import { Indexer } from '../../src/modules/search/indexer';
import { Archive, openArchive } from '../../src/store/archive/archive';
import { ArchivedTenants } from '../../src/store/archive/archived-tenants';
import { DuckWorker } from '../../src/store/archive/duck-worker';
import { FileCache } from '../../src/store/archive/file-cache';
import type { FilePlace } from '../../src/store/archive/file-place';
import type { ArchiveWorker } from '../../src/store/archive/questions';
import { restoreWeek } from '../../src/store/archive/restore-week';
import { type Sealing, sealWeek } from '../../src/store/archive/seal-week';
import { Folder } from '../../src/store/counts/fold';
import { weekOfMs } from '../../src/store/rows/partitions';
import { LogTrial } from '../evidence/support';
import { AT_ONCE } from '../support/at-once';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import type { Store } from '../support/store';

/** The archive of a store, without a service. Tenants are announced at the moment at which their week is sealed. */
export class ArchiveTrial {
  readonly worker: ArchiveWorker;
  readonly tenants: ArchivedTenants;
  readonly cache: FileCache;
  readonly log: LogTrial;

  private constructor(
    readonly store: Store,
    readonly folder: string,
    readonly place: FilePlace | null,
  ) {
    const { owner } = store.database;
    this.worker = new DuckWorker({ memoryMb: 128, threads: 1, folder });
    this.tenants = new ArchivedTenants(owner, 0);
    this.cache = new FileCache(path.join(folder, 'cache'), 1024 * 1024, place);
    this.log = new LogTrial(store);
    this.open();
  }

  /** Gives the doors of the store this archive, in place of another one. */
  open(): void {
    this.openWith(this.worker);
  }

  openWith(worker: ArchiveWorker): void {
    const { owner, service, migrator } = this.store.database;
    openArchive(new Archive(this.tenants, this.cache, worker), service, owner, migrator);
  }

  /** Gives another door of the store the archive. */
  openBehind(door: ServiceDoor): void {
    openArchive(new Archive(this.tenants, this.cache, this.worker), door);
  }

  /** @param place where files lie; null: in the database */
  static async open(store: Store, place: FilePlace | null = null): Promise<ArchiveTrial> {
    return new ArchiveTrial(store, await mkdtemp(path.join(tmpdir(), 'archive-')), place);
  }

  /** Folds, indexes and logs what is stored. */
  async settle(): Promise<void> {
    const { owner, migrator } = this.store.database;
    await new Folder(migrator).run();
    await new Indexer(owner, AT_ONCE).run();
    await this.log.run();
  }

  async seal(
    time: string,
    tenantId = this.store.tenantId,
    owner = this.store.database.owner,
  ): Promise<Sealing> {
    await this.tenants.announce(tenantId);
    const { worker, cache, folder, place } = this;
    const parts = { owner, key: TEST_CHECKPOINT_KEY, writer: worker, cache, folder, place };
    return sealWeek(parts, tenantId, weekOfMs(Date.parse(time)));
  }

  async restore(time: string, tenantId = this.store.tenantId): Promise<number | null> {
    const { owner } = this.store.database;
    const parts = { owner, writer: this.worker, cache: this.cache };
    return restoreWeek(parts, tenantId, weekOfMs(Date.parse(time)));
  }

  async close(): Promise<void> {
    await this.worker.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
