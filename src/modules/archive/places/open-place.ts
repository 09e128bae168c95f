import type { Config } from '../../../config';
import type { FilePlace } from '../../../store/archive/file-place';
import { BucketPlace } from './bucket-place';
import { FolderPlace } from './folder-place';

/** @returns null: files lie in the database */
export function openPlace(place: Config['archivePlace'], nowMs: () => number): FilePlace | null {
  if (place === null) return null;
  return place.kind === 'folder' ? new FolderPlace(place.folder) : new BucketPlace(place, nowMs);
}
