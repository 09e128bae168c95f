import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newWitnessKeyPem, WitnessKey } from '../store/log/evidence/cosignature';

const KEY_FILE = 'witness.key';
const LOGS_FOLDER = 'logs';

/** The state of a witness cannot be read or written. */
export class WitnessFolderError extends Error {
  override readonly name = 'WitnessFolderError';
}

/**
 * What a witness keeps: its key, and of each log the last checkpoint that it signed. Nothing of it may be set back:
 * a witness that forgot a checkpoint could sign another log.
 */
export class WitnessFolder {
  constructor(private readonly folder: string) {}

  /** Makes the key (mode 0600) with the name of the witness. @throws WitnessFolderError if there is a key */
  async makeKey(name: string): Promise<WitnessKey> {
    const pem = newWitnessKeyPem();
    const key = new WitnessKey(name, pem);
    const file = path.join(this.folder, KEY_FILE);
    const draft = `${file}.${randomUUID()}`;
    try {
      await mkdir(this.folder, { recursive: true });
      await writeFile(draft, `${name}\n${pem}`, { mode: 0o600, flag: 'wx', flush: true });
      await link(draft, file);
      await syncFolder(this.folder);
      return key;
    } catch (error) {
      throw new WitnessFolderError(
        (error as NodeJS.ErrnoException).code === 'EEXIST'
          ? `${file} is there: a witness has one key, for good`
          : `${file} cannot be written: ${(error as Error).message}`,
      );
    } finally {
      await rm(draft, { force: true }).catch(() => {});
    }
  }

  /** @throws WitnessFolderError */
  async key(): Promise<WitnessKey> {
    const file = path.join(this.folder, KEY_FILE);
    try {
      const text = await readFile(file, 'utf8');
      const end = text.indexOf('\n');
      return new WitnessKey(text.slice(0, end), text.slice(end + 1));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new WitnessFolderError(
        code === 'ENOENT' ? `${file} is not there: make it with --make-key` : `${file} is no key: ${message}`,
      );
    }
  }

  /** The last checkpoint that was signed of a log; null: none was. @throws WitnessFolderError */
  async last(origin: string): Promise<string | null> {
    const file = this.#fileOf(origin);
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return null;
      throw new WitnessFolderError(`${file} cannot be read: ${message}`);
    }
  }

  /** Replaces the last checkpoint of a log. It is on disk when this resolves. @throws WitnessFolderError */
  async put(origin: string, note: string): Promise<void> {
    await this.#write(this.#fileOf(origin), note);
  }

  /** Keeps the first proof that a log was forked: two checkpoints of it that contradict each other. */
  async keepFork(origin: string, notes: readonly string[]): Promise<string> {
    const file = `${this.#fileOf(origin)}.fork`;
    const isKept = await readFile(file).then(
      () => true,
      () => false,
    );
    if (!isKept) await this.#write(file, notes.join('\n'));
    return file;
  }

  #fileOf(origin: string): string {
    return path.join(this.folder, LOGS_FOLDER, createHash('sha256').update(origin).digest('hex'));
  }

  async #write(file: string, text: string): Promise<void> {
    const draft = `${file}.new`;
    try {
      await mkdir(path.dirname(file), { recursive: true });
      const handle = await open(draft, 'w', 0o600);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
      await syncFolder(path.dirname(file));
    } catch (error) {
      throw new WitnessFolderError(`${file} cannot be written: ${(error as Error).message}`);
    }
  }
}

/** Makes new names in a folder durable. Windows cannot open folders, and needs no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
