import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './log';

/** The owner of a file, and who may read it. */
interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/**
 * Replaces a file as a whole: after a crash at any moment it holds either the old text or the new one.
 * @param ownership null: only its writer may read it
 */
export async function replaceFile(
  path: string,
  text: string,
  ownership: Ownership | null = null,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.new`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(text);
    if (ownership !== null) {
      await handle.chown(ownership.uid, ownership.gid);
      await handle.chmod(ownership.mode);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Appends whole lines. They are on disk when this resolves. A line that a crash cut off is ended first. */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    const isCut = size > 0 && last.toString() !== '\n';
    await handle.appendFile(`${isCut ? '\n' : ''}${lines.map((line) => `${line}\n`).join('')}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(path));
}

/** The text of a file; null where there is no such file. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** A file name for any text, the same on every platform. Of a long one it has the beginning, and a hash of all. */
export function fileNameOf(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]/gu, (char) =>
    encodeURIComponent(char.isWellFormed() ? char : '?').replace(ODD, hex),
  );
  if (name.length <= NAME_CHARS_MAX) return name;
  const hash = createHash('sha256').update(name).digest('hex');
  return `${name.slice(0, BEGINNING_CHARS)}_${hash}`;
}

/** File systems take names of 255 bytes. The longest ending of a file that is made of one is `.ndjson.new`. */
const NAME_CHARS_MAX = 244;
const BEGINNING_CHARS = 108;
const ODD = /^[^%]$/;
const hex = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/** Makes a new name in a folder durable. Windows cannot open folders and needs no such call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
