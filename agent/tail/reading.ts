import type { Clock } from '../clock';
import { errorCode, errorText } from '../log';
import type { Problems } from '../problems';
import type { ReadOutcome } from '../sqlaudit/read-outcome';
import type { AgentTimes } from '../times';
import { decideAtEnd } from './file-end';
import type { Chunk, FollowedFile } from './followed-file';

/** The next part of a file; null where it cannot be read now. That is reported, and tried again at the next poll. */
export async function chunkOf(file: FollowedFile, problems: Problems): Promise<Chunk | null> {
  try {
    return await file.readChunk();
  } catch (error) {
    if (errorCode(error) === null) throw error;
    if (errorCode(error) !== 'ENOENT') problems.report(pathOf(file), `cannot be read: ${errorText(error)}`);
    return null;
  }
}

export interface EndOptions {
  readonly clock: Clock;
  readonly once: boolean;
  readonly problems: Problems;
  readonly times: Pick<AgentTimes, 'badBlockWaitMs'>;
}

/** Brings a file into the state that follows from where reading stopped. @returns how to go on with its audit */
export async function settleEnd(
  file: FollowedFile,
  end: ReadOutcome,
  { clock, once, problems, times }: EndOptions,
): Promise<'more' | 'done' | 'heldBack' | 'replaced'> {
  const decision = await decideAtEnd(file, end, { nowMs: clock.now(), once, waitMs: times.badBlockWaitMs });
  if (decision.kind === 'replaced') return 'replaced';
  if (decision.problem !== null) problems.report(pathOf(file), decision.problem);
  if (decision.kind === 'skip') {
    file.next = { blockOffset: decision.to, index: 0 };
    return 'more';
  }
  if (decision.kind === 'wait') return decision.holdBack ? 'heldBack' : 'done';
  if (end.kind === 'complete') file.next = { blockOffset: end.offset, index: 0 };
  file.endSize = decision.endSize;
  if (!file.isLast || once) file.release();
  return 'done';
}

/** Written in place of a count by writers that do not count. */
const UNCOUNTED = 0xffffffff;

/** Reports what the sequence number of a file's next block tells of blocks that are missing before it. */
export function noteMissingBlocks(file: FollowedFile, sequence: number, problems: Problems): void {
  const last = file.lastSequence;
  file.lastSequence = sequence === UNCOUNTED ? null : sequence;
  if (last === null || sequence === UNCOUNTED || sequence <= last + 1) return;
  problems.report(pathOf(file), `event blocks ${last + 1} to ${sequence - 1} are missing`);
}

const pathOf = (file: FollowedFile): string => file.found?.path ?? file.name;
