/** The name of a file of a sealed week. */
export interface FileName {
  readonly tenantId: number;
  /** Of its bytes, in hex. */
  readonly sha256: string;
}

/** `tenant-7/0f3a….parquet` */
export const pathOf = ({ tenantId, sha256 }: FileName): string => `tenant-${tenantId}/${sha256}.parquet`;

/** Port: where files lie, if not in the database. Every instance has the same. */
export interface FilePlace {
  /**
   * Takes a file from local disk. It lies there as a whole when this returns, and after a crash as a whole or not at all.
   * To take it twice is to take it once.
   */
  put(name: FileName, local: string, bytes: number): Promise<void>;
  /** Whether it is there. @throws Error: the place did not answer as it should */
  has(name: FileName): Promise<boolean>;
  /** Its bytes in order. @throws NoSuchFile; Error: the place did not answer as it should */
  read(name: FileName): AsyncIterable<Uint8Array>;
  /** Does nothing where the file is not there. */
  remove(name: FileName): Promise<void>;
  close(): void | Promise<void>;
}

/** A file could not be put outside the database. The message is for operators and for the tenant. */
export class PlaceFailed extends Error {
  override readonly name = 'PlaceFailed';
}

export class NoSuchFile extends Error {
  override readonly name = 'NoSuchFile';
}
