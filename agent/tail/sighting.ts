import type { Bookmark } from '../bookmarks/bookmark';
import type { FoundFile } from '../source/audit-source';
import { parseSourceName } from '../sqlaudit/audit-file-name';

/** Where one audit file was last seen, and the conclusions from its names and sizes. */
export interface Sighting {
  /** The path that is read; null while none leads to the file. */
  readonly found: FoundFile | null;
  /** Further paths: copies, which may hold less or more of the file. */
  readonly others: readonly FoundFile[];
  readonly name: string;
  /** Where the file itself was last seen; null: unknown. */
  readonly path: string | null;
  /** Bytes of the file when it was last seen. */
  readonly size: number;
  /** See `FoundFile`. Copies and renames do not change it. */
  readonly created: bigint;
  /** Whether `created` comes from a name that SQL Server gave. */
  readonly isDated: boolean;
  /** Whether no newer file of the audit is known, so that this file may still be written. */
  readonly isLast: boolean;
  /** Whether, when the file was last seen, no newer file of the audit existed, or the size did not show growth. */
  readonly mayGrow: boolean;
  /** Whether the file was renamed while it was the newest one: rollover passed it by, and may have removed later files. */
  readonly isPassedBy: boolean;
}

/** @param found null for a file that only its bookmark mentions */
export function firstSighting(
  fileGuid: string,
  found: FoundFile | null,
  bookmark: Bookmark | null,
): Sighting {
  const name = found?.name ?? bookmark?.file ?? fileGuid;
  const told = parseSourceName(name);
  const size = bookmark?.size ?? bookmark?.endSize ?? Number.MAX_SAFE_INTEGER;
  return {
    found: null,
    others: [],
    name,
    path: bookmark?.path ?? null,
    size,
    created: told?.created ?? 0n,
    isDated: told !== null,
    isLast: true,
    mayGrow: bookmark?.mayGrow ?? false,
    isPassedBy: false,
  };
}

/** @param audit the audit in the name that SQL Server gave the file; null: unknown */
export function seenAt(
  before: Sighting,
  audit: string | null,
  found: FoundFile,
  others: readonly FoundFile[],
): Sighting {
  const files = [found, ...others].filter(({ isSpooled }) => !isSpooled);
  // A copy may have a name that looks like that of another audit.
  const isRenamed = audit !== null && files.length > 0 && files.every((file) => file.audit !== audit);
  // This is the first look since the start. An earlier run may have noted newer files and ended before it noted the
  // loss: the bookmark of this file says that there were no newer files.
  const isFirstLook = before.found === null && before.name !== found.name;
  const wasLast = before.isLast || (isFirstLook && before.mayGrow);
  return {
    ...readFrom(before, found, others),
    isPassedBy: before.isPassedBy || (wasLast && isRenamed),
  };
}

/** The same paths, with another one of them to read. */
export function readFrom(before: Sighting, found: FoundFile, others: readonly FoundFile[]): Sighting {
  const isNamed = found.audit !== null;
  return {
    ...before,
    found,
    others,
    name: found.name,
    created: isNamed || !before.isDated ? found.created : before.created,
    isDated: before.isDated || isNamed,
    ...(found.isSpooled ? {} : { path: found.path, size: found.size }),
  };
}

export const pathsOf = ({ found, others }: Sighting): readonly FoundFile[] =>
  found === null ? [] : [found, ...others];
