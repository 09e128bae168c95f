import { LIMITS } from '../../src/limits';
import { isAtEnd } from './bookmark';
import type { Bookmarks } from './bookmarks';

/** The GUIDs of the newest files that are published whole: nothing more can be written to them. */
export const wholeFiles = (bookmarks: Pick<Bookmarks, 'all'>): readonly string[] =>
  [...bookmarks.all()]
    .filter(([, one]) => isAtEnd(one) && one.mayGrow === undefined && one.isLost === undefined)
    .map(([fileGuid]) => fileGuid)
    .slice(-LIMITS.reportWholeFilesMax);
