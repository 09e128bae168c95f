import { randomBytes } from 'node:crypto';
import { LIMITS } from '../../../limits';

/** Why an epoch began. */
export type EpochCause =
  /** The service started on this database for the first time. */
  | 'first'
  /** The database is not the one in which the row was written. */
  | 'copy'
  /** A log is shorter than it was, or another one. */
  | 'set-back'
  /** An operator asked for it. */
  | 'demand';

/**
 * The life of this database's logs between two restores. After a restore, a position of a log may hold another event
 * than before. So whatever names a position outside of the database also names the epoch: cursors, ids of messages,
 * names of objects.
 */
export interface EpochState {
  readonly epoch: string;
  /** The earlier epochs, oldest first. */
  readonly former: readonly string[];
  /** Whether what has no epoch is of this one. */
  readonly isBridged: boolean;
  readonly beganAt: Date;
  readonly cause: EpochCause;
  readonly reason: string;
  /** Why nothing is sent and nothing is removed until an operator says go; null: nothing waits. */
  readonly hold: string | null;
}

/**
 * Stands for the time before there were epochs. A release without epochs gave cursors, ids and names without one. They
 * stay as they are until the first restore, so that an upgrade repeats no message under another id. This goes with 0.3.0:
 * then an upgrade from a release without epochs is no longer supported.
 */
export const NO_EPOCH = '';

const SECONDS_DIGITS = 8;
const RANDOM_BYTES = 4;

/**
 * A new epoch: 16 hexadecimal digits, of which the last eight are random. It sorts after the earlier ones, also if the
 * clock was set back, so that names of objects sort in the order in which they were written.
 */
export function newEpoch(nowMs: number, former: readonly string[]): string {
  const secondsOf = (epoch: string) => Number.parseInt(epoch.slice(0, SECONDS_DIGITS), 16) || 0;
  const seconds = Math.max(Math.floor(nowMs / 1_000), ...former.map((epoch) => secondsOf(epoch) + 1));
  const digits = seconds.toString(16).padStart(SECONDS_DIGITS, '0').slice(-SECONDS_DIGITS);
  return digits + randomBytes(RANDOM_BYTES).toString('hex');
}

/** Whether positions of that epoch are those of the current one. */
export const isCurrent = ({ epoch, isBridged }: EpochState, named: string): boolean =>
  named === epoch || (named === NO_EPOCH && isBridged);

/** Whether instances without epochs may be at work, which is while they are upgraded. It goes with 0.3.0. */
export const isBridging = ({ isBridged, beganAt }: EpochState, nowMs: number): boolean =>
  isBridged && nowMs < beganAt.getTime() + LIMITS.cursorBridgeMs;

/** Whether the database knows that epoch. It does not know one that began after the backup it was restored from. */
export const isKnown = (state: EpochState, named: string): boolean =>
  isCurrent(state, named) || state.former.includes(named);

/** The epoch as ids and names have it. */
export const epochInNames = ({ epoch, isBridged }: EpochState): string => (isBridged ? NO_EPOCH : epoch);

/** The earlier epochs of the next one. @param others epochs that this database does not know, and somebody else does */
export function formerOfNext(state: EpochState, others: readonly string[]): readonly string[] {
  const { epoch, former, isBridged } = state;
  const unknown = others.filter((one) => !isKnown(state, one));
  return [...former, ...unknown, epoch, ...(isBridged ? [NO_EPOCH] : [])];
}

/** The state before the current epoch began (`formerOfNext`). */
export function epochBefore(
  state: Pick<EpochState, 'epoch' | 'former'>,
): Pick<EpochState, 'epoch' | 'former' | 'isBridged'> {
  const isBridged = state.former.at(-1) === NO_EPOCH;
  const former = isBridged ? state.former.slice(0, -1) : state.former;
  // Without an epoch before, the current one is the first, of a database that a release without epochs has used.
  return { epoch: former.at(-1) ?? state.epoch, former: former.slice(0, -1), isBridged };
}
