/** What the reader needs of a file. An audit file may grow between two calls, and never shrinks while it lives. */
export interface ByteSource {
  size(): Promise<number>;
  /** The bytes at `offset`; fewer than `length` where the source ends before. */
  read(offset: number, length: number): Promise<Buffer>;
}
