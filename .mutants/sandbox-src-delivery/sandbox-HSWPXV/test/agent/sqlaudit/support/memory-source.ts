import type { Bytes } from '../../../../agent/sqlaudit/bytes';
import type { Position } from '../../../../agent/sqlaudit/position';
import { toRawEvent } from '../../../../agent/sqlaudit/raw-event';
import type { ReadOutcome } from '../../../../agent/sqlaudit/read-outcome';
import { type FileEvent, SqlAuditFile } from '../../../../agent/sqlaudit/reader';

/** A file in memory; assign to `bytes` to let it grow. */
export class MemorySource implements Bytes {
  constructor(public bytes: Buffer) {}

  async size(): Promise<number> {
    return this.bytes.length;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    return Buffer.from(this.bytes.subarray(offset, offset + length));
  }
}

/** An event and its position as text: equal for equal events. */
export const trace = ({ blockOffset, index, event }: FileEvent): string =>
  `${blockOffset}:${index} ${JSON.stringify(toRawEvent(event))}`;

export interface Reading {
  readonly events: FileEvent[];
  readonly outcome: ReadOutcome;
}

/** Reads everything from a position on. */
export async function readAll(file: SqlAuditFile, source: Bytes, from?: Position): Promise<Reading> {
  const events: FileEvent[] = [];
  for await (const item of file.events(source, from)) {
    if (item.kind !== 'event') return { events, outcome: item };
    events.push(item);
  }
  throw new Error('reading ended without an outcome');
}

export async function openBytes(bytes: Buffer): Promise<{ file: SqlAuditFile; source: MemorySource }> {
  const source = new MemorySource(bytes);
  const opened = await SqlAuditFile.open(source);
  if (opened.kind !== 'opened') throw new Error(`not opened: ${opened.kind}`);
  return { file: opened.file, source };
}
