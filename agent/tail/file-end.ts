import { AUDIT_EVENT } from '../sqlaudit/audit-columns';
import { NO_SCHEMA } from '../sqlaudit/block';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import type { CorruptBlock, ReadOutcome } from '../sqlaudit/read-outcome';
import type { FollowedFile } from './followed-file';

export type Decision =
  /** Look again at the next poll. `holdBack`: the audit's later files wait too, to keep the order. */
  | { readonly kind: 'wait'; readonly holdBack: boolean; readonly problem: string | null }
  | {
      readonly kind: 'finished';
      readonly endSize: number;
      readonly problem: string | null;
      /** What stands from this byte on will never be read; null: nothing is lost. */
      readonly lostFrom: number | null;
    }
  | { readonly kind: 'skip'; readonly lostFrom: number; readonly to: number; readonly problem: string }
  | { readonly kind: 'replaced' };

export interface EndContext {
  readonly nowMs: number;
  /** There is no next poll. */
  readonly once: boolean;
  /** How long a bad block may be a write in progress. */
  readonly waitMs: number;
}

/** What to do where reading a file stopped. Notes in the file since when it stops there. */
export async function decideAtEnd(
  file: FollowedFile,
  end: ReadOutcome,
  context: EndContext,
): Promise<Decision> {
  if (end.kind === 'replaced') return { kind: 'replaced' };
  const { kind, offset } = end;
  const before = file.stop?.kind === kind && file.stop.offset === offset ? file.stop : null;
  file.stop = { kind, offset, sinceMs: before?.sinceMs ?? context.nowMs, polls: (before?.polls ?? 0) + 1 };
  switch (end.kind) {
    case 'complete':
      file.stop = null;
      return finished(end.offset, schemaProblem(file, end.offset));
    case 'endOfWritten':
      return atZeros(file, end.offset, context);
    case 'incomplete':
      return atCut(file, end, context);
    case 'corrupt':
      return atDamage(file, end, context);
  }
}

/** The rest of a preallocated file, unless blocks follow it. Its writer is known to be done with it by a newer file. */
async function atZeros(file: FollowedFile, offset: number, { once }: EndContext): Promise<Decision> {
  const mayGoOn = file.isLast || (!once && (file.stop?.polls ?? 0) < 2);
  if (mayGoOn) return wait(false);
  const next = await file.soundBlockAfter(offset);
  if (next === null) return finished(sizeOf(file), schemaProblem(file, offset));
  const problem = `byte ${offset}: zeros up to the block at byte ${next}`;
  return { kind: 'skip', lostFrom: offset, to: next, problem };
}

function atCut(
  file: FollowedFile,
  end: { offset: number; missingBytes: number },
  context: EndContext,
): Decision {
  const problem = `byte ${end.offset}: truncated, ${end.missingBytes} bytes of the last block are missing`;
  if (context.once) return wait(false, problem);
  if (isFresh(file, context)) return wait(isFirstSight(file));
  return file.isLast ? wait(false) : finished(sizeOf(file), problem, end.offset);
}

async function atDamage(file: FollowedFile, end: CorruptBlock, context: EndContext): Promise<Decision> {
  const problem = `byte ${end.errorOffset}: ${end.reason}`;
  // Metadata that was passed before is unreadable now: nothing behind it can be understood.
  if (end.offset < file.next.blockOffset)
    return context.once ? wait(false, problem) : finished(sizeOf(file), problem, file.next.blockOffset);
  if (isFresh(file, context)) return context.once ? wait(false, problem) : wait(isFirstSight(file));
  const to = end.nextBlockOffset ?? (await file.soundBlockAfter(end.offset + SECTOR_BYTES));
  if (to !== null && to < sizeOf(file)) {
    return {
      kind: 'skip',
      lostFrom: end.offset,
      to,
      problem: `${problem}; reading goes on at byte ${to}`,
    };
  }
  return file.isLast || context.once ? wait(false, problem) : finished(sizeOf(file), problem, end.offset);
}

/** In a run without a next poll, the time since the last write tells what waiting would. */
function isFresh(file: FollowedFile, { nowMs, once, waitMs }: EndContext): boolean {
  const sinceMs = once ? (file.found?.mtimeMs ?? nowMs) : (file.stop?.sinceMs ?? nowMs);
  return nowMs - sinceMs < waitMs;
}

const isFirstSight = (file: FollowedFile): boolean => !file.isLast && (file.stop?.polls ?? 0) < 2;
const sizeOf = (file: FollowedFile): number => file.found?.size ?? 0;
const wait = (holdBack: boolean, problem: string | null = null): Decision => ({
  kind: 'wait',
  holdBack,
  problem,
});
const finished = (endSize: number, problem: string | null, lostFrom: number | null = null): Decision => ({
  kind: 'finished',
  endSize,
  problem,
  lostFrom,
});

function schemaProblem(file: FollowedFile, offset: number): string | null {
  // A file that was just begun has no metadata yet.
  if (offset <= SECTOR_BYTES || file.describes(AUDIT_EVENT)) return null;
  return file.describes() ? `holds no ${AUDIT_EVENT}` : NO_SCHEMA;
}
