import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import { builtPage } from './page';
import { PageAssets } from './page-assets';

/** The dashboard's page, whose files all instances share. */
export function dashboardModule(parts: {
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly keys: readonly [CheckpointKey, ...CheckpointKey[]];
  readonly nowMs: () => number;
}): Module & { readonly pageAssets: PageAssets } {
  const pageAssets = new PageAssets({ ...parts, folder: builtPage() });
  return {
    pageAssets,
    tasks: [
      {
        name: 'page-files',
        doc: 'files of the page',
        everyMs: LIMITS.pageAssetsKeepMs,
        run: () => pageAssets.keep(),
      },
    ],
  };
}
