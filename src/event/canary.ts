/**
 * A record of `sp_audit_write` with a number that counts up, as a job of SQL Server Agent writes it at an interval. A
 * number that is missing tells of a loss anywhere between SQL Server's engine and the stored trail.
 */
export interface Canary {
  readonly serverInstanceName: string;
  /** The `user_defined_event_id`. */
  readonly eventId: string;
  readonly number: number;
  /** The time of the record, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Numbers that are missing between two records, both ends included. */
export interface MissingNumbers {
  readonly first: number;
  readonly last: number;
  /** The times of the records before and after them. */
  readonly afterMs: number;
  readonly beforeMs: number;
}

/** What the canaries of one server instance and event id say. */
export interface CanaryState {
  readonly newest: Canary;
  /** The usual time between two numbers. Null: one record alone does not tell. */
  readonly intervalMs: number | null;
  /** Oldest first. */
  readonly missing: readonly MissingNumbers[];
  /** Whether the next ones are overdue by more than an interval. */
  readonly isOverdue: boolean;
  /** Since when there are more records of that action than are looked at, and none of these is its next; null: they are fewer. */
  readonly hiddenSinceMs: number | null;
}

/** The action of records of `sp_audit_write`. */
export const CANARY_ACTION = 'UDAU';
const NUMBER = /(?:^|[^\p{L}\p{N}_])seq=(\d{1,15})(?!\d)/u;

/** The number in the text of a canary; null: the record is no canary. */
export function canaryNumber(userDefinedInformation: string | null): number | null {
  const [, digits] = NUMBER.exec(userDefinedInformation ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}

/** What counts on its own: an instance, with an event id. */
const seriesOf = ({ serverInstanceName, eventId }: Canary): string =>
  JSON.stringify([serverInstanceName, eventId]);

/** An interval is not taken to be shorter: canaries are looked at once a minute. */
const INTERVAL_MIN_MS = 60_000;

/**
 * The states of canaries, by instance and event id. A number that is lower than the one before it begins the count anew,
 * as after the job was made again.
 * @param canaries in any order
 */
export function canaryStates(canaries: readonly Canary[], nowMs: number): readonly CanaryState[] {
  const series = new Map<string, Canary[]>();
  for (const one of canaries) {
    const key = seriesOf(one);
    const own = series.get(key) ?? [];
    own.push(one);
    series.set(key, own);
  }
  return [...series.values()].map((own) => stateOf(own, nowMs));
}

function stateOf(series: Canary[], nowMs: number): CanaryState {
  const [first, ...rest] = series.sort((a, b) => a.atMs - b.atMs || a.number - b.number);
  const missing: MissingNumbers[] = [];
  const steps: number[] = [];
  let newest = first as Canary;
  for (const one of rest) {
    const ahead = one.number - newest.number;
    if (ahead > 1)
      missing.push({
        first: newest.number + 1,
        last: one.number - 1,
        afterMs: newest.atMs,
        beforeMs: one.atMs,
      });
    if (ahead > 0) steps.push((one.atMs - newest.atMs) / ahead);
    newest = one;
  }
  steps.sort((a, b) => a - b);
  const usual = steps[Math.floor(steps.length / 2)];
  const intervalMs = usual === undefined ? null : Math.max(INTERVAL_MIN_MS, usual);
  const isOverdue = intervalMs !== null && nowMs - newest.atMs > 2 * intervalMs;
  return { newest, intervalMs, missing, isOverdue, hiddenSinceMs: null };
}

/**
 * The states of canaries that are due, and that other records hide. Whoever may call `sp_audit_write` can write so many
 * records that the newest of them, which are looked at, hold no canary.
 * @param before the oldest canaries of a time
 * @param after the canaries among its newest records @param sinceMs the time of the oldest of these records
 */
export function hiddenCanaries(
  before: readonly Canary[],
  after: readonly Canary[],
  sinceMs: number,
  nowMs: number,
): readonly CanaryState[] {
  const seen = new Set(after.map(seriesOf));
  const unseen = before.filter((one) => one.atMs < sinceMs && !seen.has(seriesOf(one)));
  return canaryStates(unseen, sinceMs)
    .filter(({ intervalMs }) => intervalMs !== null && nowMs - sinceMs > 2 * intervalMs)
    .map((state) => ({ ...state, missing: [], isOverdue: false, hiddenSinceMs: sinceMs }));
}
