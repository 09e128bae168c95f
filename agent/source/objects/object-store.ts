import type { ObjectName } from './object-name';

/** An object as its store lists it. */
export interface StoredObject {
  readonly key: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Unchanged as long as the object is unchanged: its ETag. */
  readonly version: string;
  /** Whether the object can grow, as an append blob does. */
  readonly canGrow: boolean;
}

/** What a listing is to find. */
export interface Wanted {
  /** FILETIME before which no file of a series is wanted; null: all are. */
  from(series: string): bigint | null;
  /** Takes an audit file. @returns whether later ones of its series are wanted too */
  take(object: StoredObject, name: ObjectName): boolean;
}

/** Which part of the files a listing gave: whether their beginning, and whether their end. */
export interface Listed {
  readonly isBegin: boolean;
  readonly isEnd: boolean;
}

export interface Traffic {
  readonly requests: number;
  /** Of the answers. */
  readonly bytes: number;
}

/** A prefix of a bucket or container. Every error is a `StoreError`. */
export interface ObjectStore {
  /** With what the paths of its objects begin, before the key. */
  readonly base: string;
  /** For people: bucket or container, and prefix. */
  readonly title: string;
  readonly traffic: Traffic;
  /**
   * Gives the audit files to `wanted`, those of a series by the time of their beginning. Where they are many, the next
   * call goes on.
   */
  list(wanted: Wanted): Promise<Listed>;
  /** A part of the version that was listed. */
  read(object: StoredObject, offset: number, length: number): Promise<Buffer>;
  /** Writes the version that was listed to a file. */
  download(object: StoredObject, path: string): Promise<void>;
  exists(object: StoredObject): Promise<boolean>;
}
