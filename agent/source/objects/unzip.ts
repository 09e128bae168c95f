import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { errorText } from '../../log';
import { StoreError } from './store-error';

/** Far more than the largest file of an audit that is uploaded. */
const FILE_BYTES_MAX = 1024 ** 3;

/**
 * Unpacks the only file of an archive.
 * @throws StoreError `EDAMAGED`; errors of the disk as they are
 */
export async function unzip(archive: string, to: string): Promise<void> {
  // Only a collector needs it.
  const { openPromise } = await import('yauzl');
  const zip = await openPromise(archive, { autoClose: false }).catch(refuse);
  try {
    const entries = [];
    for await (const entry of zip.eachEntry()) if (!entry.fileName.endsWith('/')) entries.push(entry);
    const [entry] = entries;
    if (entry === undefined || entries.length > 1)
      throw new StoreError(`the archive has ${entries.length} files in place of one`, 'EDAMAGED');
    if (entry.uncompressedSize > FILE_BYTES_MAX)
      throw new StoreError('the file in the archive is larger than any audit file', 'EDAMAGED');
    let checksum = 0;
    const summed = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        checksum = crc32(chunk, checksum);
        yield chunk;
      }
    };
    await pipeline(await zip.openReadStreamPromise(entry), summed, createWriteStream(to, { mode: 0o600 }));
    if (checksum !== entry.crc32) throw new StoreError('the archive is damaged: wrong checksum', 'EDAMAGED');
  } catch (error) {
    refuse(error);
  } finally {
    zip.close();
  }
}

function refuse(error: unknown): never {
  const isOfDisk = typeof error === 'object' && error !== null && 'syscall' in error;
  if (error instanceof StoreError || isOfDisk) throw error;
  throw new StoreError(`the archive is cut or damaged: ${errorText(error)}`, 'EDAMAGED');
}
