import { AUDIT_EVENT } from '../sqlaudit/audit-columns';
import { NO_SCHEMA } from '../sqlaudit/block';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import type { Position } from '../sqlaudit/position';
import type { CorruptBlock, ReadOutcome } from '../sqlaudit/read-outcome';
import type { Stop } from './chunk-reader';

/** What to do at the place where reading a file stopped. */
export type Decision =
  /** Read again at the next poll. `holdBack`: the audit's later files wait too, so that the order is kept. */
  | { readonly kind: 'wait'; readonly holdBack: boolean; readonly problem: string | null }
  | {
      readonly kind: 'finish';
      readonly endSize: number;
      readonly problem: string | null;
      /** The agent never reads the bytes from here on; null: nothing is lost. */
      readonly lostFrom: number | null;
    }
  | { readonly kind: 'skip'; readonly lostFrom: number; readonly to: number; readonly problem: string };

/** The facts about the file on which the decision depends. */
interface FileAtStop {
  readonly stop: Stop;
  readonly next: Position;
  readonly isLast: boolean;
  readonly size: number;
  /** Time of the last write. */
  readonly mtimeMs: number;
  describes(eventName?: string): boolean;
  /** Where reading can continue after damage or zeros, or null. */
  soundBlockAfter(offset: number): Promise<number | null>;
}

export interface EndContext {
  readonly nowMs: number;
  /** Whether this is a single run, without a next poll. */
  readonly once: boolean;
  /** The longest time for which a damaged block may be a write in progress. */
  readonly waitMs: number;
}

export async function decideAtEnd(
  file: FileAtStop,
  end: Exclude<ReadOutcome, { kind: 'replaced' }>,
  context: EndContext,
): Promise<Decision> {
  switch (end.kind) {
    case 'complete':
      return finish(end.offset, schemaProblem(file, end.offset));
    case 'endOfWritten':
      return atZeros(file, end.offset, context);
    case 'incomplete':
      return atCut(file, end, context);
    case 'corrupt':
      return atDamage(file, end, context);
  }
}

/** Zeros are the rest of a preallocated file unless blocks follow. A newer file shows that SQL Server is done with it. */
async function atZeros(file: FileAtStop, offset: number, { once }: EndContext): Promise<Decision> {
  const mayContinue = file.isLast || (!once && file.stop.polls < 2);
  if (mayContinue) return wait(false);
  const next = await file.soundBlockAfter(offset);
  if (next === null) return finish(file.size, schemaProblem(file, offset));
  // The block was written after the zeros were read.
  if (next === offset) return wait(false);
  const problem = `byte ${offset}: zeros up to the block at byte ${next}`;
  return { kind: 'skip', lostFrom: offset, to: next, problem };
}

function atCut(
  file: FileAtStop,
  end: { offset: number; missingBytes: number },
  context: EndContext,
): Decision {
  const problem = `byte ${end.offset}: truncated, ${end.missingBytes} bytes of the last block are missing`;
  if (context.once) return wait(false, problem);
  if (isFresh(file, context)) return wait(isFirstSight(file));
  return file.isLast ? wait(false) : finish(file.size, problem, end.offset);
}

async function atDamage(file: FileAtStop, end: CorruptBlock, context: EndContext): Promise<Decision> {
  const problem = `byte ${end.errorOffset}: ${end.reason}`;
  // Metadata that was readable before is now unreadable, so nothing behind it can be decoded.
  if (end.offset < file.next.blockOffset)
    return context.once ? wait(false, problem) : finish(file.size, problem, file.next.blockOffset);
  if (isFresh(file, context)) return context.once ? wait(false, problem) : wait(isFirstSight(file));
  const to = end.nextBlockOffset ?? (await file.soundBlockAfter(end.offset + SECTOR_BYTES));
  if (to !== null && to < file.size) {
    return {
      kind: 'skip',
      lostFrom: end.offset,
      to,
      problem: `${problem}; reading goes on at byte ${to}`,
    };
  }
  return file.isLast || context.once ? wait(false, problem) : finish(file.size, problem, end.offset);
}

/** In a single run, the time since the last write replaces the waiting time. */
function isFresh({ mtimeMs, stop }: FileAtStop, { nowMs, once, waitMs }: EndContext): boolean {
  const sinceMs = once ? mtimeMs : stop.sinceMs;
  return nowMs - sinceMs < waitMs;
}

const isFirstSight = ({ isLast, stop }: FileAtStop): boolean => !isLast && stop.polls < 2;
const wait = (holdBack: boolean, problem: string | null = null): Decision => ({
  kind: 'wait',
  holdBack,
  problem,
});
const finish = (endSize: number, problem: string | null, lostFrom: number | null = null): Decision => ({
  kind: 'finish',
  endSize,
  problem,
  lostFrom,
});

function schemaProblem(file: FileAtStop, offset: number): string | null {
  // A new file has no metadata yet.
  if (offset <= SECTOR_BYTES || file.describes(AUDIT_EVENT)) return null;
  return file.describes() ? `holds no ${AUDIT_EVENT}` : NO_SCHEMA;
}
