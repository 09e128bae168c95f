import type { Clock } from '../clock';
import type { OpenGaps } from '../gaps/open-gaps';
import { errorCode, errorText } from '../log';
import type { Problems } from '../problems';
import type { ReadOutcome } from '../sqlaudit/read-outcome';
import type { AgentTimes } from '../times';
import type { Chunk } from './chunk-reader';
import { type Decision, decideAtEnd } from './file-end';
import type { FollowedFile } from './followed-file';

/** Why nothing could be read: nothing, or another file, is at the path by now; or it cannot be read now, which was reported. */
export type Obstacle = 'vanished' | 'unreadable';

/** The next part of a file; null where there is none. */
export const chunkOf = (file: FollowedFile, problems: Problems): Promise<Chunk | Obstacle | null> =>
  unlessUnreadable(file, problems, () => file.readChunk());

async function unlessUnreadable<T>(
  file: FollowedFile,
  problems: Problems,
  read: () => Promise<T>,
): Promise<T | Obstacle> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === null) throw error;
    if (errorCode(error) === 'ENOENT') return 'vanished';
    problems.report(pathOf(file), `cannot be read: ${errorText(error)}`);
    return 'unreadable';
  }
}

export interface EndOptions {
  readonly clock: Clock;
  readonly once: boolean;
  readonly problems: Problems;
  readonly gaps: OpenGaps;
  readonly times: Pick<AgentTimes, 'badBlockWaitMs'>;
}

/** How to go on: with the file, with the ones after it, or with none of its audit before the next poll. */
export type EndVerdict = 'more' | 'done' | 'heldBack' | Obstacle;

/**
 * Whether the files after one that cannot be read are left alone for now: another program may lock it for a moment,
 * and what was written after it must not be read before it.
 */
export function isWaitedFor(
  file: FollowedFile,
  { clock, once, times }: Pick<EndOptions, 'clock' | 'once' | 'times'>,
): boolean {
  file.unreadableSinceMs ??= clock.now();
  return !once && clock.now() - file.unreadableSinceMs < times.badBlockWaitMs;
}

/** Brings a file into the state that follows from where reading stopped. */
export async function settleEnd(
  file: FollowedFile,
  end: ReadOutcome,
  { clock, once, problems, gaps, times }: EndOptions,
): Promise<EndVerdict> {
  const context = { nowMs: clock.now(), once, waitMs: times.badBlockWaitMs };
  const decision = await unlessUnreadable(file, problems, () => decideAtEnd(file, end, context));
  if (typeof decision === 'string') return decision;
  if (decision.kind === 'replaced') return 'vanished';
  if (decision.problem !== null) problems.report(pathOf(file), decision.problem);
  if (decision.kind === 'wait') return decision.holdBack ? 'heldBack' : 'done';
  noteUnreadable(file, decision, gaps);
  if (decision.kind === 'skip') {
    file.next = { blockOffset: decision.to, index: 0 };
    file.isAfterSkip = true;
    return 'more';
  }
  if (end.kind === 'complete') file.next = { blockOffset: end.offset, index: 0 };
  file.endSize = decision.endSize;
  file.stop = null;
  if (!file.isLast || once) file.release();
  return 'done';
}

/** Written in place of a count by writers that do not count. */
const UNCOUNTED = 0xffffffff;

/** Notes what the sequence number of a file's next block tells of blocks that are missing before it. */
export function noteMissingBlocks(
  file: FollowedFile,
  sequence: number,
  { problems, gaps }: Pick<EndOptions, 'problems' | 'gaps'>,
): void {
  const { lastSequence: last, isAfterSkip } = file;
  file.lastSequence = sequence === UNCOUNTED ? null : sequence;
  file.isAfterSkip = false;
  if (last === null || sequence === UNCOUNTED || sequence <= last + 1) return;
  const detail = `event blocks ${last + 1} to ${sequence - 1} are missing`;
  problems.report(pathOf(file), detail);
  if (isAfterSkip) return;
  gaps.note(file, { reason: 'BLOCKS_MISSING', range: `blocks ${last + 1}-${sequence - 1}`, detail });
}

function noteUnreadable(
  file: FollowedFile,
  decision: Extract<Decision, { kind: 'finished' | 'skip' }>,
  gaps: OpenGaps,
): void {
  const { lostFrom, problem } = decision;
  if (lostFrom === null || problem === null) return;
  const range = `bytes ${lostFrom}-${decision.kind === 'skip' ? decision.to : ''}`;
  gaps.note(file, { reason: 'UNREADABLE', range, detail: problem });
}

const pathOf = (file: FollowedFile): string => file.found?.path ?? file.name;
