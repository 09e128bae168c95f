import type { OpenBytes } from '../sqlaudit/bytes';

/** A file of a source. */
export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Tells one stored file from another, whatever their names and content. */
  readonly inode: string;
  /** Equal as long as nobody touches the file. */
  readonly version: string;
  /** Server audit that the name tells; null where SQL Server gives no such name. */
  readonly audit: string | null;
  /** FILETIME of its beginning, from the name; of its last change where the name does not tell. */
  readonly created: bigint;
  /** A local copy in the agent's spool, read only where the file itself is gone. */
  readonly isSpooled: boolean;
}

export interface UnreadableFolder {
  /** The paths of its files begin with this and a separator. */
  readonly folder: string;
  readonly reason: string;
}

export type Listing =
  /** The files, oldest first. `skipped`: folders below whose content is not known. */
  | {
      readonly kind: 'listed';
      readonly files: readonly FoundFile[];
      readonly skipped: readonly UnreadableFolder[];
    }
  | ({ readonly kind: 'unreadable' } & UnreadableFolder);

/** Which audit file the bytes at a path are. */
export type Identity =
  | { readonly kind: 'file'; readonly fileGuid: string }
  /** The file header is not on disk yet. */
  | { readonly kind: 'unwritten' }
  | { readonly kind: 'foreign'; readonly offset: number; readonly reason: string };

/**
 * What an agent reads: the audit files of one database, wherever they are kept. Nothing keeps a file open between two
 * calls: SQL Server must be able to delete it.
 *
 * Errors with a `code` are those of the place: `ENOENT` where the file is gone, any other where it cannot be read now.
 */
export interface AuditSource {
  /** Which files these are, for people: `*.sqlaudit in D:\Audit`. */
  readonly title: string;
  /** @param known returns what need not be looked at again of a path, or null */
  list(known?: (path: string) => FoundFile | null): Promise<Listing>;
  open(path: string): Promise<OpenBytes>;
  identify(path: string): Promise<Identity>;
}
