import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Database } from '../../../src/database/clients';
import { FolderPlace } from '../../../src/modules/archive/places/folder-place';
import { Indexer } from '../../../src/modules/search/indexer';
import { ArchivedTenants } from '../../../src/store/archive/archived-tenants';
import { DuckWorker } from '../../../src/store/archive/duck-worker';
import { FileCache } from '../../../src/store/archive/file-cache';
import { sealWeek } from '../../../src/store/archive/seal-week';
import { Folder } from '../../../src/store/counts/fold';
import type { CheckpointKey } from '../../../src/store/log/evidence/note-key';
import { weekOfMs } from '../../../src/store/rows/partitions';
import { AT_ONCE } from '../../support/at-once';
import { SEALED } from './marked-tenant';

/**
 * Puts the older week of each tenant into a file: of the first tenant in the database, of the others in a folder. The
 * events are in the evidence log already.
 */
export async function sealOlderWeeks(
  { owner, migrator }: Database,
  files: string,
  key: CheckpointKey,
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isolation-'));
  const writer = new DuckWorker({ memoryMb: 128, threads: 1, folder });
  const parts = { owner, key, writer, folder, cache: new FileCache(path.join(folder, 'cache'), 1024 * 1024) };
  const announced = new ArchivedTenants(owner, 0);
  await new Folder(migrator).run();
  await new Indexer(owner, AT_ONCE).run();
  const tenants = await owner.models.$queryRawUnsafe<{ id: number }[]>(
    'SELECT tenant_id AS id FROM tenant ORDER BY 1',
  );
  for (const [i, { id }] of tenants.entries()) {
    await announced.announce(id);
    const sealing = await sealWeek(
      { ...parts, place: i === 0 ? null : new FolderPlace(files) },
      id,
      weekOfMs(Date.parse(SEALED)),
    );
    if (sealing.outcome !== 'sealed') throw new Error(`the week is not sealed: ${JSON.stringify(sealing)}`);
  }
  await writer.close();
  await rm(folder, { recursive: true });
}
