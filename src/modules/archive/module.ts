import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config';
import type { Database, ServiceDoor } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { Archive, openArchive } from '../../store/archive/archive';
import { ArchivedTenants } from '../../store/archive/archived-tenants';
import { FileCache } from '../../store/archive/file-cache';
import { hasRoom } from '../../store/archive/full-disk';
import { openWorker } from '../../store/archive/open-worker';
import { UnlistedFiles } from '../../store/archive/outside-files';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import { ArchiveResolver } from './archive.resolver';
import { ManageArchive } from './manage-archive';
import { declareMetrics } from './metrics';
import { openPlace } from './places/open-place';
import { PlaceWatch } from './places/place-watch';
import { Sealer } from './sealer';

const FOLDER = 'archive';
const DRAFT = /^seal-|\.part$/;

/** Weeks whose events lie in files: every reader reads them; the task seals further ones. */
export async function openArchiveModule(parts: {
  readonly config: Pick<Config, 'dataDir' | 'archiveAfterDays' | 'archivePlace'>;
  readonly database: Database;
  /** Further doors whose readers read events. */
  readonly doors: readonly ServiceDoor[];
  readonly epoch: LogEpoch;
  readonly checkpointKey: CheckpointKey;
  readonly nowMs: () => number;
  /** Whether another instance has its files in another place. */
  readonly isApart: () => boolean;
  readonly log: Logger;
}): Promise<Module & { readonly unsealed: () => ReadonlyMap<number, string> }> {
  const { config, database, doors, epoch, nowMs, log } = parts;
  const { service, owner, migrator } = database;
  const folder = path.resolve(config.dataDir, FOLDER);
  const cacheFolder = path.join(folder, 'files');
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  // What an instance left that was killed. No other instance uses this data folder.
  for (const place of [folder, cacheFolder])
    for (const name of await readdir(place))
      if (DRAFT.test(name)) await rm(path.join(place, name), { recursive: true, force: true });
  const worker = openWorker({ memoryMb: LIMITS.archiveMemoryMb, threads: LIMITS.archiveThreads, folder });
  const tenants = new ArchivedTenants(owner, LIMITS.archiveAnnounceMs, nowMs);
  // The database's time is known from now on.
  await tenants.read();
  const place = openPlace(config.archivePlace, nowMs);
  const cache = new FileCache(cacheFolder, LIMITS.archiveCacheBytes, place);
  const archive = new Archive(tenants, cache, worker);
  openArchive(archive, service, owner, migrator, ...doors);
  const afterDays = config.archiveAfterDays;
  const sealer = new Sealer({
    owner,
    key: parts.checkpointKey,
    tenants,
    writer: worker,
    cache,
    folder,
    place,
    afterDays: afterDays ?? LIMITS.archiveAfterDaysMin,
    isApart: parts.isApart,
    nowMs,
    log,
  });
  const sealing: NonNullable<Module['tasks']> =
    afterDays === null
      ? []
      : [
          {
            name: 'archive',
            doc: 'putting weeks into files',
            everyMs: LIMITS.archiveMs,
            run: () => epoch.unlessPaused(() => sealer.run()),
          },
        ];
  const unlisted = place && new UnlistedFiles(owner, place, new TenantRounds(owner));
  const watch = new PlaceWatch(owner, place, log, () => hasRoom(cacheFolder));
  return {
    resolvers: [new ArchiveResolver(new ManageArchive(owner, archive, sealer, nowMs))],
    tasks: [
      ...sealing,
      {
        name: 'archive-files',
        doc: 'removing files of no week',
        everyMs: LIMITS.archiveMs,
        run: async () => {
          await watch.look();
          return unlisted && epoch.unlessPaused(() => unlisted.remove());
        },
      },
    ],
    metrics: declareMetrics(sealer.tally),
    health: [
      watch,
      {
        get healthy() {
          return sealer.problems.size === 0;
        },
      },
    ],
    unsealed: () => sealer.problems,
    stop: async () => {
      await place?.close();
      await worker.close();
    },
  };
}
