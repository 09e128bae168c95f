import { LIMITS } from '../../../limits';
import { AskedProcess } from '../../../store/archive/asked-process';
import type { FileName, FilePlace } from '../../../store/archive/file-place';
import { type FolderPlace, partsOf } from './folder-place';

const HEAP_MB = 32;

/**
 * Files in a folder, by a process of its own. A share that does not answer, such as NFS whose server is away, keeps each
 * call of the file system and its thread. A process has four of these: for files, names of hosts, and whatever is compressed.
 */
export class AskedFolder implements FilePlace {
  readonly #process: AskedProcess;

  /** @param silenceMs after which the folder does not answer */
  constructor(
    root: string,
    silenceMs: number = LIMITS.archiveAnswerMs,
    file = `${__dirname}/folder-process.js`,
  ) {
    this.#process = new AskedProcess({ file, arguments: [root], heapMb: HEAP_MB, silenceMs });
  }

  put(...given: Parameters<FilePlace['put']>): Promise<void> {
    return this.#process.ask('put', given, LIMITS.archiveTransferMs);
  }

  has(name: FileName): Promise<boolean> {
    return this.#ask('has', name);
  }

  async *read(name: FileName): AsyncIterable<Uint8Array> {
    yield* partsOf(name, (at) => this.#ask<Uint8Array | null>('part', name, at));
  }

  remove(name: FileName): Promise<void> {
    return this.#ask('remove', name);
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  #ask<T>(method: keyof FolderPlace, ...values: readonly unknown[]): Promise<T> {
    return this.#process.ask<T>(method, values);
  }
}
