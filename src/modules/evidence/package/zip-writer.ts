import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

/** A file of a zip file, written while it is made. */
export interface ZipFile {
  readonly name: string;
  readonly content: AsyncIterable<Buffer | string> | Iterable<Buffer | string>;
}

/** What was written of a file. */
export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

const [LOCAL, DESCRIPTOR, CENTRAL, END] = [0x04034b50, 0x08074b50, 0x02014b50, 0x06054b50];
const VERSION = 20;
/** Sizes and check sum follow the content, and names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
const BYTES_MAX = 0xffff_ffff;

interface Placed {
  readonly name: Buffer;
  readonly at: number;
  readonly crc: number;
  readonly packed: number;
  readonly bytes: number;
}

/** Writes a zip file from beginning to end, without knowing a size before. */
export class ZipWriter {
  readonly #placed: Placed[] = [];
  #at = 0;
  readonly #time: number;

  /** @param madeAt the time of all files, UTC */
  constructor(madeAt: Date) {
    const day =
      ((madeAt.getUTCFullYear() - 1980) << 9) | ((madeAt.getUTCMonth() + 1) << 5) | madeAt.getUTCDate();
    const time = (madeAt.getUTCHours() << 11) | (madeAt.getUTCMinutes() << 5) | (madeAt.getUTCSeconds() >> 1);
    this.#time = day * 0x1_0000 + time;
  }

  /** @returns what was written, when its bytes have been taken @throws Error for 4 GiB and more */
  async *file({ name, content }: ZipFile): AsyncGenerator<Buffer, WrittenFile> {
    const nameBytes = Buffer.from(name);
    const at = this.#at;
    yield this.#counted(this.#head(LOCAL, 30, nameBytes, { crc: 0, packed: 0, bytes: 0 }));
    const hash = createHash('sha256');
    let [crc, bytes, packed] = [0, 0, 0];
    const plain = async function* () {
      for await (const part of content) {
        const chunk = typeof part === 'string' ? Buffer.from(part) : part;
        crc = crc32(chunk, crc);
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    };
    const source = Readable.from(plain(), { objectMode: false, highWaterMark: 64 * 1024 });
    const deflate = createDeflateRaw();
    source.on('error', (error) => deflate.destroy(error));
    try {
      for await (const chunk of source.pipe(deflate) as AsyncIterable<Buffer>) {
        packed += chunk.length;
        yield this.#counted(chunk);
      }
    } finally {
      source.destroy();
      deflate.destroy();
    }
    if (bytes > BYTES_MAX || this.#at > BYTES_MAX) throw new Error('a package has less than 4 GiB');
    const sizes = Buffer.alloc(16);
    [DESCRIPTOR, crc, packed, bytes].forEach((value, i) => void sizes.writeUInt32LE(value, 4 * i));
    yield this.#counted(sizes);
    this.#placed.push({ name: nameBytes, at, crc, packed, bytes });
    return { name, bytes, sha256: hash.digest('hex') };
  }

  /** The list of files, which ends the zip file. */
  end(): Buffer {
    const list = this.#placed.map(({ name, at, ...sizes }) => {
      const entry = this.#head(CENTRAL, 46, name, sizes);
      entry.writeUInt32LE(at, 42);
      return entry;
    });
    const bytes = list.reduce((sum, { length }) => sum + length, 0);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(END, 0);
    end.writeUInt16LE(list.length, 8);
    end.writeUInt16LE(list.length, 10);
    end.writeUInt32LE(bytes, 12);
    end.writeUInt32LE(this.#at, 16);
    return Buffer.concat([...list, end]);
  }

  #counted(bytes: Buffer): Buffer {
    this.#at += bytes.length;
    return bytes;
  }

  /** The head of a file, or its entry in the list, which has the version of the maker before the same fields. */
  #head(
    kind: number,
    length: number,
    name: Buffer,
    { crc, packed, bytes }: Pick<Placed, 'crc' | 'packed' | 'bytes'>,
  ): Buffer {
    const head = Buffer.alloc(length);
    head.writeUInt32LE(kind, 0);
    let at = 4;
    if (kind === CENTRAL) at = head.writeUInt16LE(VERSION, at);
    at = head.writeUInt16LE(VERSION, at);
    at = head.writeUInt16LE(FLAGS, at);
    at = head.writeUInt16LE(DEFLATED, at);
    at = head.writeUInt32LE(this.#time, at);
    at = head.writeUInt32LE(crc, at);
    at = head.writeUInt32LE(packed, at);
    at = head.writeUInt32LE(bytes, at);
    head.writeUInt16LE(name.length, at);
    return Buffer.concat([head, name]);
  }
}
