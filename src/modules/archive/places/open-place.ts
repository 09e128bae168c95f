import type { Config } from '../../../config';
import type { FilePlace } from '../../../store/archive/file-place';
import { AskedFolder } from './asked-folder';
import { BucketPlace } from './bucket-place';
import { FolderPlace } from './folder-place';

/**
 * A folder is asked by a process in the compiled service. A process cannot load TypeScript, so without a build its calls are made here.
 * @returns null: files lie in the database
 */
export function openPlace(place: Config['archivePlace'], nowMs: () => number): FilePlace | null {
  if (place === null) return null;
  if (place.kind === 'bucket') return new BucketPlace(place, nowMs);
  return __filename.endsWith('.js') ? new AskedFolder(place.folder) : new FolderPlace(place.folder);
}
