import type { OpenBytes } from '../sqlaudit/bytes';

/** A file of a source. */
export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Identifies the stored file, whatever its name and content. */
  readonly inode: string;
  /** Unchanged as long as the file is unchanged. */
  readonly version: string;
  /** The server audit in the name; null if the name is not one that SQL Server gives. */
  readonly audit: string | null;
  /** FILETIME of the file's beginning, from its name; of its last change if the name does not state it. */
  readonly created: bigint;
  /** Whether this is a copy in the agent's spool, which is read only if the file itself is gone. */
  readonly isSpooled: boolean;
  /** Whether the source knows that nothing more is written to it. */
  readonly isWhole?: boolean;
}

export interface UnreadableFolder {
  /** The folder with which the paths of the files begin, before a separator; or the path of a link to a file. */
  readonly folder: string;
  readonly reason: string;
}

export type Listing =
  /** The files, oldest first. `skipped`: subfolders whose content is unknown. */
  | {
      readonly kind: 'listed';
      readonly files: readonly FoundFile[];
      readonly skipped: readonly UnreadableFolder[];
    }
  /** `isAway`: the folder is not there, or its disk or host is not; it is not a matter of rights. */
  | ({ readonly kind: 'unreadable'; readonly isAway?: boolean } & UnreadableFolder);

/** Which audit file the bytes at a path are. */
export type Identity =
  | { readonly kind: 'file'; readonly fileGuid: string }
  /** The file header is not on disk yet. */
  | { readonly kind: 'unwritten' }
  | { readonly kind: 'foreign'; readonly offset: number; readonly reason: string };

/** What a source that is not a folder tells of itself. */
export interface SourceState {
  /** Requests to the store, and bytes of its answers, since the start. */
  readonly requests: number;
  readonly bytes: number;
  /** Bytes of files that wait, and that a listing does not have yet. */
  readonly waitingBytes: number;
  /** Every file that was there at this time is listed, in milliseconds since 1970; null: no listing has shown all. */
  readonly completeAtMs: number | null;
  /** Why nothing comes, although nothing fails; null: something does. */
  readonly problem: string | null;
}

/**
 * What an agent reads: the audit files of one database, wherever they are kept. Nothing keeps a file open between two
 * calls: SQL Server must be able to delete it.
 *
 * Errors with a `code` come from the storage: `ENOENT` if the file is gone, any other if it cannot be read now.
 */
export interface AuditSource {
  /** Which files these are, for people: `*.sqlaudit in D:\Audit`. */
  readonly title: string;
  /** @param known returns what need not be looked at again of a path, or null */
  list(known?: (path: string) => FoundFile | null): Promise<Listing>;
  open(path: string): Promise<OpenBytes>;
  identify(path: string): Promise<Identity>;
  state?(): SourceState;
}
