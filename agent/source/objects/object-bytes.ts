import type { OpenBytes } from '../../sqlaudit/bytes';
import { SECTOR_BYTES } from '../../sqlaudit/limits';
import type { ObjectStore, StoredObject } from './object-store';

/** The headers of files, which are read with each part of them. */
export class FileHeaders {
  private readonly known = new Map<string, { readonly version: string; readonly header: Buffer }>();

  of({ key, version }: StoredObject): Buffer | null {
    const known = this.known.get(key);
    return known?.version === version ? known.header : null;
  }

  note({ key, version }: StoredObject, header: Buffer): void {
    // The bytes may be a part of a large buffer.
    this.known.set(key, { version, header: Buffer.from(header) });
  }

  forget(key: string): void {
    this.known.delete(key);
  }
}

/** An object as it was listed, read by parts. */
export class ObjectBytes implements OpenBytes {
  constructor(
    private readonly store: ObjectStore,
    private readonly object: StoredObject,
    private readonly headers: FileHeaders,
  ) {}

  async size(): Promise<number> {
    return this.object.size;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const { headers, object, store } = this;
    const wanted = Math.min(length, object.size - offset);
    if (wanted <= 0) return Buffer.alloc(0);
    const isHeader = offset === 0 && wanted <= SECTOR_BYTES;
    const known = isHeader ? headers.of(object) : null;
    if (known !== null && known.length >= wanted) return known.subarray(0, wanted);
    const bytes = await store.read(object, offset, wanted);
    if (isHeader) headers.note(object, bytes);
    return bytes;
  }

  async close(): Promise<void> {}
}
