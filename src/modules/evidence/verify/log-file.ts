import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ID_BYTES } from '../../../event/record-id';
import { HASH_BYTES } from '../../../store/log/evidence/merkle';
import { isTimeStamp, type LogCopy, type TimeStampCopy } from './log-copy';

const ENTRIES_PER_LINE = 16_384;

/** Writes a copy of a log as lines of JSON: its state, its checkpoints, their time stamps, its entries. */
export async function writeLogFile(file: string, log: LogCopy): Promise<void> {
  await pipeline(Readable.from(linesOf(log)), createWriteStream(file));
}

function* linesOf({ checkpoints, timeStamps, recordIds, leafHashes, ...about }: LogCopy) {
  yield `${JSON.stringify({ auditLog: about })}\n`;
  for (const checkpoint of checkpoints) yield `${JSON.stringify({ checkpoint })}\n`;
  for (const timeStamp of timeStamps) yield `${JSON.stringify({ timeStamp })}\n`;
  const base64 = (bytes: Buffer, start: number, width: number) =>
    bytes.subarray(start * width, (start + ENTRIES_PER_LINE) * width).toString('base64');
  for (let start = 0; start < recordIds.length / ID_BYTES; start += ENTRIES_PER_LINE) {
    const entries = {
      recordIds: base64(recordIds, start, ID_BYTES),
      leafHashes: base64(leafHashes, start, HASH_BYTES),
    };
    yield `${JSON.stringify(entries)}\n`;
  }
}

/** @throws Error that names the file and the line */
export async function readLogFile(file: string): Promise<LogCopy> {
  let about: Omit<
    LogCopy,
    'checkpoints' | 'timeStamps' | 'recordIds' | 'leafHashes' | 'holes' | 'proofs' | 'erasures' | 'sealed'
  > | null = null;
  const checkpoints: string[] = [];
  const timeStamps: TimeStampCopy[] = [];
  const parts = { recordIds: [] as Buffer[], leafHashes: [] as Buffer[] };
  for await (const { line, number } of linesIn(file)) {
    if (about === null && typeof line.auditLog === 'object') about = line.auditLog as LogCopy;
    else if (about !== null && typeof line.checkpoint === 'string') checkpoints.push(line.checkpoint);
    else if (about !== null && isTimeStamp(line.timeStamp)) timeStamps.push(line.timeStamp);
    else if (about !== null && typeof line.recordIds === 'string' && typeof line.leafHashes === 'string') {
      parts.recordIds.push(Buffer.from(line.recordIds, 'base64'));
      parts.leafHashes.push(Buffer.from(line.leafHashes, 'base64'));
    } else throw new Error(`${file}: line ${number} is not of an evidence log`);
  }
  if (about === null) throw new Error(`${file} is not an evidence log`);
  const [recordIds, leafHashes] = [Buffer.concat(parts.recordIds), Buffer.concat(parts.leafHashes)];
  if (recordIds.length * HASH_BYTES !== leafHashes.length * ID_BYTES)
    throw new Error(`${file}: record ids and leaf hashes are not equally many`);
  const sealed = { fileEntries: [], files: [] };
  const none = { holes: [], proofs: [], erasures: [], sealed };
  return { ...none, ...about, checkpoints, timeStamps, recordIds, leafHashes };
}

/** The longest line of an export is an event of 8 MiB with its escapes. */
const LINE_CHARS_MAX = 32 * 1024 * 1024;

/** Reads the objects of a file of JSON lines, with line numbers from 1. @throws Error that names file and line */
export async function* linesIn(
  file: string,
): AsyncGenerator<{ line: Readonly<Record<string, unknown>>; number: number }> {
  let number = 0;
  for await (const text of textsIn(file)) {
    number++;
    if (text === '' || text === '\r') continue;
    yield { line: parseObject(text) ?? raise(`${file}: line ${number} is not a JSON object`), number };
  }
}

/** Lines end with a line feed only: JSON may hold any other character that ends a line elsewhere. */
async function* textsIn(file: string): AsyncGenerator<string> {
  let [rest, number] = [[] as string[], 1];
  let chars = 0;
  for await (const chunk of createReadStream(file, 'utf8')) {
    const [first = '', ...others] = (chunk as string).split('\n');
    rest.push(first);
    chars += first.length;
    if (chars > LINE_CHARS_MAX) raise(`${file}: line ${number} has more than ${LINE_CHARS_MAX} characters`);
    for (const text of others) {
      yield rest.join('');
      number++;
      [rest, chars] = [[text], text.length];
    }
  }
  if (chars > 0) yield rest.join('');
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function raise(message: string): never {
  throw new Error(message);
}
