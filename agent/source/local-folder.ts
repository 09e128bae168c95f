import { type Dirent, readdir, realpath } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, join, posix, resolve, win32 } from 'node:path';
import { glob } from 'tinyglobby';
import { FILETIME_UNIX_EPOCH, TICKS_PER_MS } from '../../src/event/event-time';
import { errorCode, errorText } from '../log';
import { parseAuditFileName } from '../sqlaudit/audit-file-name';
import { FileBytes, type OpenBytes, withBytes } from '../sqlaudit/bytes';
import type { AuditSource, FoundFile, Identity, Listing, UnreadableFolder } from './audit-source';
import { identityOf } from './identity';

/** A path with wildcards: the folder before the first of them, and the rest. */
export interface AuditGlob {
  readonly folder: string;
  /** Null if the path has no wildcard and so names one file or folder. */
  readonly pattern: string | null;
}

/** @param relativeTo folder that a relative path starts from */
export function parseAuditGlob(path: string, relativeTo: string, platform = process.platform): AuditGlob {
  const { isAbsolute, resolve } = platform === 'win32' ? win32 : posix;
  const text = platform === 'win32' ? path.replaceAll('\\', '/') : path;
  const segments = text.split('/');
  const first = segments.findIndex((segment) => /[*?{}[\]]/.test(segment));
  const head = segments.slice(0, first < 0 ? undefined : first).join('/');
  // "/x*" and "C:/x*" start at a root, and a root needs its slash.
  const root = head === '' && text.startsWith('/') ? '/' : /^[A-Za-z]:$/.test(head) ? `${head}/` : head;
  const folder = isAbsolute(root) ? root : resolve(relativeTo, root);
  return { folder, pattern: first < 0 ? null : segments.slice(first).join('/') };
}

/** The audit files that a glob matches in the local file system, network drives included. */
export class LocalFolder implements AuditSource {
  constructor(private readonly glob: AuditGlob) {}

  get title(): string {
    const { folder, pattern } = this.glob;
    return pattern === null ? folder : `${pattern} in ${folder}`;
  }

  async list(known: (path: string) => FoundFile | null = () => null): Promise<Listing> {
    const { folder, pattern } = this.glob;
    try {
      await access(folder);
      const { paths, skipped } = pattern === null ? await pathsOf(folder) : await matches(folder, pattern);
      const found = await Promise.all(paths.map((path) => known(path) ?? findFile(path)));
      const files = found.filter((file) => file !== null);
      return { kind: 'listed', files: files.toSorted(byCreation), skipped };
    } catch (error) {
      const isAway = !NOT_AWAY.has(errorCode(error) ?? '');
      return { kind: 'unreadable', folder, isAway, reason: errorText(error) };
    }
  }

  open(path: string): Promise<OpenBytes> {
    return FileBytes.open(path);
  }

  identify(path: string): Promise<Identity> {
    return withBytes(() => FileBytes.open(path), identityOf);
  }
}

/** Failures that say nothing of whether the folder is there. */
const NOT_AWAY: ReadonlySet<string> = new Set(['', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENOMEM', 'ELOOP']);

/** A path without wildcards names a file, or a folder with audit files. */
async function pathsOf(path: string): Promise<Matches> {
  return (await stat(path)).isDirectory() ? matches(path, '*.sqlaudit') : { paths: [path], skipped: [] };
}

interface Matches {
  readonly paths: readonly string[];
  readonly skipped: readonly UnreadableFolder[];
}

/** @throws if the folder itself cannot be listed */
async function matches(folder: string, pattern: string): Promise<Matches> {
  const { fs, failed } = notingFailures();
  // "(x86)" in a file name is text, not a group of a pattern.
  const paths = await glob(pattern.replace(/[()]/g, '\\$&'), {
    cwd: folder,
    extglob: false,
    expandDirectories: false,
    caseSensitiveMatch: process.platform !== 'win32',
    fs,
  });
  const itself = failed.find(({ path }) => resolve(path) === resolve(folder));
  if (itself) throw itself.error;
  return {
    paths: paths.map((path) => join(folder, path)),
    skipped: failed.map(({ path, error }) => ({ folder: resolve(path), reason: errorText(error) })),
  };
}

/**
 * Lists folders and resolves links, and remembers which of them it could not, since the search takes such a folder for
 * empty, and leaves such a link out.
 */
function notingFailures() {
  const failed: { readonly path: string; readonly error: NodeJS.ErrnoException }[] = [];
  const note = (path: string, error: NodeJS.ErrnoException | null) => {
    // A folder that was removed meanwhile holds nothing.
    if (error && error.code !== 'ENOENT') failed.push({ path, error });
  };
  const notingReaddir = (
    path: string,
    options: { withFileTypes: true },
    done: (error: NodeJS.ErrnoException | null, entries: Dirent[]) => void,
  ) =>
    readdir(path, options, (error, entries) => {
      note(path, error);
      done(error, entries);
    });
  const notingRealpath = (
    path: string,
    done: (error: NodeJS.ErrnoException | null, resolved: string) => void,
  ) =>
    realpath(path, (error, resolved) => {
      note(path, error);
      done(error, resolved);
    });
  const fs = { readdir: notingReaddir as typeof readdir, realpath: notingRealpath as typeof realpath };
  return { fs, failed };
}

/** The file at a path; null if there is none. */
export async function findFile(path: string): Promise<FoundFile | null> {
  try {
    const { size, mtimeMs, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true });
    const name = parseAuditFileName(path);
    return {
      path,
      name: basename(path),
      size: Number(size),
      mtimeMs: Number(mtimeMs),
      inode: ino.toString(),
      version: `${mtimeNs} ${ctimeNs}`,
      audit: name?.audit ?? null,
      created: name?.created ?? mtimeMs * TICKS_PER_MS + FILETIME_UNIX_EPOCH,
      isSpooled: false,
    };
  } catch (error) {
    // Rollover has removed it since the listing.
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function byCreation(a: FoundFile, b: FoundFile): number {
  if (a.created !== b.created) return a.created < b.created ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
