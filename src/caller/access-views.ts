import { LIMITS } from '../limits';
import { type AccessEntry, entryIdAt } from './access-log';

/** Reads of whole events. Each has an entry of its own. */
const ALONE = ['auditEvent'];
/** The reads that a view is named after, the first first. */
const MAIN = [
  ...['auditEvents', 'auditGroups', 'auditGroupsOverTime', 'auditGroupGrid', 'auditWeekHours'],
  ...['auditFacets', 'auditHistogram'],
];
const TIMES = ['startTime', 'endTime', 'beforeStartTime', 'beforeEndTime', 'from', 'to'];
/** The page's clock and the way of a request may differ from the service's clock by this. */
const SLACK_MS = 10_000;

type Parameters = Readonly<Record<string, unknown>>;
interface Read {
  readonly entry: AccessEntry;
  readonly parameters: Parameters;
}
/** A read that may be repeated. */
interface Known {
  /** The last one that an entry states. Repeats are compared with it, so that they cannot move away from it step by step. */
  stated: Read;
  last: Read;
  /** Repeats that no entry states yet, and the time of the first of them. */
  count: number;
  since: Date;
}

/**
 * Joins entries of the dashboard, which asks several questions for one view and asks the same again and again. The first
 * reads of a view become one entry, which has the parameters of all. Repeats of a read become one entry for a stretch of
 * time, with their number. No parameter is left out, and refused reads are not joined.
 */
export class AccessViews {
  readonly #known = new Map<string, Known>();
  /** The reads of open views, by who reads. */
  readonly #views = new Map<string, Read[]>();

  constructor(private readonly emit: (entry: AccessEntry) => void) {}

  /** Takes the entry of a read by the dashboard. */
  note(entry: AccessEntry): void {
    if (entry.outcome !== 'ok' || ALONE.includes(entry.operation)) {
      this.emit(entry);
      return;
    }
    const read = { entry, parameters: JSON.parse(entry.parameters) as Parameters };
    if (!this.#isRepeat(read)) this.#addToView(read);
  }

  /** The number of entries that are not handed on yet. */
  get held(): number {
    const repeats = [...this.#known.values()].filter(({ count }) => count > 0).length;
    return [...this.#views.values()].reduce((sum, reads) => sum + reads.length, repeats);
  }

  /** Hands on what is due. */
  settle(nowMs: number): void {
    for (const [who, reads] of this.#views)
      if (isOver(nowMs - msOf(reads[0]), LIMITS.accessLogViewMs)) this.#close(who);
    for (const [key, known] of this.#known) {
      const isIdle = isOver(nowMs - msOf(known.last), LIMITS.accessLogRepeatMs);
      if (isIdle || (known.count > 0 && isOver(nowMs - known.since.getTime(), LIMITS.accessLogRepeatMs)))
        this.#state(known);
      if (isIdle) this.#known.delete(key);
    }
  }

  /** Hands on everything. */
  end(): void {
    for (const who of this.#views.keys()) this.#close(who);
    for (const known of this.#known.values()) this.#state(known);
    this.#known.clear();
  }

  #isRepeat(read: Read): boolean {
    const { entry, parameters } = read;
    const key = JSON.stringify([whoOf(entry), entry.operation, withoutTimes(parameters)]);
    const known = this.#known.get(key);
    if (known && isSameOrMoved(known.stated, read)) {
      known.since = known.count === 0 ? entry.at : known.since;
      known.count++;
      known.last = read;
      return true;
    }
    if (known) this.#state(known);
    this.#known.delete(key);
    this.#known.set(key, { stated: read, last: read, count: 0, since: entry.at });
    const [oldest] = this.#known;
    if (this.#known.size > LIMITS.accessLogKnownMax && oldest) {
      this.#state(oldest[1]);
      this.#known.delete(oldest[0]);
    }
    return false;
  }

  /** Hands on an entry that states the repeats since the last one. */
  #state(known: Known): void {
    const { last, count, since } = known;
    if (count === 0) return;
    const parameters = { ...last.parameters, repeated: count, since };
    this.emit({ ...last.entry, entryId: entryIdAt(msOf(last)), parameters: JSON.stringify(parameters) });
    known.count = 0;
    known.stated = last;
  }

  #addToView(read: Read): void {
    const who = whoOf(read.entry);
    const reads = this.#views.get(who) ?? [];
    const isAnother =
      MAIN[0] === read.entry.operation && reads.some(({ entry }) => entry.operation === MAIN[0]);
    const isLate = reads.length > 0 && isOver(msOf(read) - msOf(reads[0]), LIMITS.accessLogViewMs);
    if (
      isAnother ||
      isLate ||
      joined([...reads, read]).parameters.length > LIMITS.accessLogParametersCharsMax
    )
      this.#close(who);
    this.#views.set(who, [...(this.#views.get(who) ?? []), read]);
  }

  #close(who: string): void {
    const reads = this.#views.get(who) ?? [];
    this.#views.delete(who);
    if (reads.length > 0) this.emit(joined(reads));
  }
}

/** The reads of a view as one entry: that of the most telling read, which names the others and how they differ. */
function joined(reads: readonly Read[]): AccessEntry {
  const rank = ({ entry }: Read) =>
    MAIN.includes(entry.operation) ? MAIN.indexOf(entry.operation) : MAIN.length;
  const [main, ...others] = [...reads].sort((a, b) => rank(a) - rank(b)) as [Read, ...Read[]];
  if (others.length === 0) return main.entry;
  const beside: Record<string, Parameters[]> = {};
  for (const { entry, parameters } of others) {
    const own = Object.entries(parameters).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(main.parameters[name]),
    );
    beside[entry.operation] = [...(beside[entry.operation] ?? []), Object.fromEntries(own)];
  }
  return { ...main.entry, parameters: JSON.stringify({ ...main.parameters, with: beside }) };
}

const msOf = (read: Read | undefined): number => read?.entry.at.getTime() ?? 0;

/** Whether a time has passed, also where the clock was set back. */
const isOver = (passedMs: number, limitMs: number): boolean => Math.abs(passedMs) >= limitMs;

const whoOf = ({ principalKind, keyId, userName, address, tenantIds }: AccessEntry): string =>
  JSON.stringify([principalKind, keyId, userName, address, tenantIds]);

const withoutTimes = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !TIMES.includes(name)));

/** Whether two reads have the same times, or the times have moved on with the clock. */
function isSameOrMoved(before: Read, now: Read): boolean {
  const passedMs = msOf(now) - msOf(before);
  return TIMES.every((name) => {
    const [from, to] = [before.parameters[name], now.parameters[name]];
    if (from === to) return true;
    const movedMs = Date.parse(String(to)) - Date.parse(String(from));
    return Math.abs(movedMs - passedMs) <= SLACK_MS;
  });
}
