import { basename } from 'node:path';
import type { AuditRecord } from '../../src/event/audit-record';
import { AUDIT_EVENT } from './audit-columns';
import { parseAuditFileName } from './audit-file-name';
import { toAuditPart } from './audit-record';
import { NO_SCHEMA } from './block';
import { type Bytes, FileBytes, type OpenBytes } from './bytes';
import { type RawEvent, toRawEvent } from './raw-event';
import type { ReadOutcome } from './read-outcome';
import { type EventBlock, SqlAuditFile } from './reader';
import { RecordJoiner } from './record-joiner';
import { nextSoundBlock } from './resync';

/** Why a file could not be decoded to its end. Everything before that is sound. */
interface DecodeProblem {
  readonly kind: 'problem';
  /** The path as it was given. */
  readonly file: string;
  readonly offset: number;
  readonly reason: string;
}
export type DecodedItem = { readonly kind: 'record'; readonly record: AuditRecord } | DecodeProblem;
export type RawItem = { readonly kind: 'raw'; readonly event: RawEvent } | DecodeProblem;

type OpenPath = (path: string) => Promise<OpenBytes>;

/**
 * The audit records of files, split ones joined. Files of one audit are read in the order in which they were begun, since
 * a record may continue in the next file. Other files are read in the order given.
 */
export async function* decodeFiles(
  paths: readonly string[],
  open: OpenPath = FileBytes.open,
): AsyncGenerator<DecodedItem> {
  for await (const items of decodeFilesByBlock(paths, open)) for (const item of items) yield item;
}

/** The records of `decodeFiles` in lists per block: with many records, awaiting each one takes time. */
export async function* decodeFilesByBlock(
  paths: readonly string[],
  open: OpenPath = FileBytes.open,
): AsyncGenerator<readonly DecodedItem[]> {
  for (const files of byAudit(paths)) {
    const joiner = new RecordJoiner();
    for (const file of files) yield* decodeFile(file, joiner, open);
    yield joiner.flush().map(toItem);
  }
}

/** All events of files, of any kind and not joined. */
export async function* decodeFilesRaw(paths: readonly string[]): AsyncGenerator<RawItem> {
  for await (const items of decodeFilesRawByBlock(paths)) for (const item of items) yield item;
}

/** The events of `decodeFilesRaw` in lists per block. */
export async function* decodeFilesRawByBlock(paths: readonly string[]): AsyncGenerator<readonly RawItem[]> {
  for (const path of byAudit(paths).flat()) {
    for await (const item of readBlocks(path, FileBytes.open)) {
      if (item.kind === 'problem') yield [item];
      else if (item.kind === 'events')
        yield item.events.map((event) => ({ kind: 'raw', event: toRawEvent(event) }));
    }
  }
}

async function* decodeFile(
  path: string,
  joiner: RecordJoiner,
  open: OpenPath,
): AsyncGenerator<readonly DecodedItem[]> {
  const file = basename(path);
  let isSound = true;
  let holdsAudit = false;
  for await (const item of readBlocks(path, open)) {
    if (item.kind === 'problem') {
      isSound = false;
      yield [item];
    } else if (item.kind === 'end') {
      holdsAudit = item.file.describes(AUDIT_EVENT);
    } else {
      yield recordsOf(item, file, joiner);
    }
  }
  if (isSound && !holdsAudit)
    yield [problem(path, 0, `holds no ${AUDIT_EVENT}; use --raw to see its events`)];
}

/** The records that the events of a block complete. */
function recordsOf(block: EventBlock, file: string, joiner: RecordJoiner): DecodedItem[] {
  const { fileGuid, blockOffset } = block;
  const items: DecodedItem[] = [];
  let index = block.firstIndex;
  for (const event of block.events) {
    const part = toAuditPart(event, { file, fileGuid, blockOffset, index: index++ });
    if (part === null) continue;
    for (const record of joiner.push(part)) items.push(toItem(record));
    for (const record of joiner.relieve()) items.push(toItem(record));
  }
  return items;
}

const toItem = (record: AuditRecord): DecodedItem => ({ kind: 'record', record });

type FileItem = EventBlock | DecodeProblem | { readonly kind: 'end'; readonly file: SqlAuditFile };

/** The events of a file, block by block, then `end` or the problem that stopped reading. */
async function* readBlocks(path: string, open: OpenPath): AsyncGenerator<FileItem> {
  let bytes: OpenBytes | null = null;
  try {
    bytes = await open(path);
    yield* readBytes(path, bytes);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    yield problem(path, 0, `cannot be read: ${error.message}`);
  } finally {
    await bytes?.close();
  }
}

async function* readBytes(path: string, bytes: Bytes): AsyncGenerator<FileItem> {
  const opened = await SqlAuditFile.open(bytes);
  if (opened.kind === 'foreign') return yield problem(path, opened.offset, opened.reason);
  if (opened.kind === 'needMore') {
    const size = await bytes.size();
    return yield problem(path, size, size === 0 ? 'empty file' : 'truncated: ends within its header');
  }
  const { file } = opened;
  for await (const item of file.blocks(bytes)) {
    if (item.kind === 'events') yield item;
    else yield (await problemOf(path, bytes, item)) ?? endOf(path, file);
  }
}

async function problemOf(path: string, bytes: Bytes, end: ReadOutcome): Promise<DecodeProblem | null> {
  switch (end.kind) {
    case 'complete':
      return null;
    case 'incomplete':
      return problem(path, end.offset, `truncated: ${end.missingBytes} bytes of the last block are missing`);
    case 'corrupt':
      return problem(path, end.errorOffset, end.reason);
    case 'replaced':
      return problem(path, 0, 'replaced by another file while it was read');
    case 'endOfWritten': {
      const next = await nextSoundBlock(bytes, end.offset);
      return next === null ? null : problem(path, end.offset, `zeros up to the block at byte ${next}`);
    }
  }
}

const endOf = (path: string, file: SqlAuditFile): FileItem =>
  file.describes() ? { kind: 'end', file } : problem(path, 0, NO_SCHEMA);

const problem = (file: string, offset: number, reason: string): DecodeProblem => ({
  kind: 'problem',
  file,
  offset,
  reason,
});

/** Checks the error by its shape, since an error of another realm is not an instance of this realm's Error. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;

/** Groups of files that continue each other, in order. A file whose name states no audit is a group by itself. */
function byAudit(paths: readonly string[]): string[][] {
  const groups = new Map<string, { path: string; created: bigint }[]>();
  for (const path of paths) {
    const name = parseAuditFileName(path);
    const group = name ? `audit ${name.audit}` : `file ${path}`;
    groups.set(group, [...(groups.get(group) ?? []), { path, created: name?.created ?? 0n }]);
  }
  return [...groups.values()].map((files) =>
    files.toSorted((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0)).map((f) => f.path),
  );
}
