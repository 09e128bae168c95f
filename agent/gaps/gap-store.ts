import { appendLines, readIfThere, replaceFile } from '../durable-file';
import type { Log } from '../log';
import { Turns } from '../turns';
import { type Gap, storedGap } from './gap';

/** Ids of acknowledged gaps that are remembered: a gap that is found again in the same run is not reported again. */
const ACKNOWLEDGED_MAX = 10_000;
/** Gaps whose end is not known, and which the service has. Each ends with the next record of its audit. */
const UNENDED_MAX = 1_000;

/**
 * The gaps of a database that the service does not know yet, or whose end it does not know, on disk: one JSON line each.
 */
export class GapStore {
  private readonly acknowledged: Set<string>;
  /** Keeps calls in order, since an acknowledgement replaces the file to which `add` appends. */
  private readonly writes = new Turns();

  private constructor(
    readonly path: string,
    private readonly waiting: Map<string, Gap>,
    /** Gaps that the service has, and whose end is not known yet, the oldest first. */
    private reported: ReadonlyMap<string, Gap>,
  ) {
    this.acknowledged = new Set(reported.keys());
  }

  /** @param path neither the file nor its folder needs to exist */
  static async load(path: string, { log }: { readonly log: Log }): Promise<GapStore> {
    const lines = ((await readIfThere(path)) ?? '').split('\n').filter((line) => line !== '');
    const waiting = new Map<string, Gap>();
    const reported = new Map<string, Gap>();
    let damaged = 0;
    for (const line of lines) {
      const found = parse(line);
      if (found === null) damaged++;
      else {
        const { isReported, ...gap } = found;
        if (!isReported) reported.delete(gap.gapId);
        (isReported ? reported : waiting).set(gap.gapId, gap);
      }
    }
    // A line that a crash cut off belongs to a gap that is found again, since no bookmark moved past it.
    if (damaged > 0) log.warn(`${path}: ${damaged} unreadable lines are skipped`);
    return new GapStore(path, waiting, reported);
  }

  /** Number of gaps that wait to be acknowledged. */
  get count(): number {
    return this.waiting.size;
  }

  /** Whether the service has the gap, perhaps without its end. */
  isReported(gapId: string): boolean {
    return this.acknowledged.has(gapId);
  }

  /** The gaps whose end is not known yet, whether the service has them or not. */
  get unended(): readonly Gap[] {
    return [...this.reported.values(), ...this.waiting.values()].filter(
      ({ beforeTime }) => beforeTime === null,
    );
  }

  /**
   * Resolves when the gap is on disk. A known gap is not stored twice, but its end may be known only now: then the
   * service is told of it again.
   */
  add(found: Gap): Promise<void> {
    return this.writes.take(async () => {
      const { gapId } = found;
      const known = this.waiting.get(gapId) ?? this.reported.get(gapId);
      if (known === undefined && this.acknowledged.has(gapId)) return;
      if (known && (known.beforeTime !== null || found.beforeTime === null)) return;
      const now = known ? { ...known, beforeTime: found.beforeTime } : found;
      // If two lines are about the same gap, the later one counts.
      await appendLines(this.path, [JSON.stringify(now)]);
      this.reported = new Map([...this.reported].filter(([id]) => id !== gapId));
      this.waiting.set(gapId, now);
    });
  }

  /** The oldest gaps that wait, at most `max`. */
  pending(max: number): readonly Gap[] {
    return [...this.waiting.values()].slice(0, max);
  }

  /**
   * Forgets gaps that the service has; resolves when that is on disk. Unknown ones are no error. One whose end became
   * known meanwhile still waits, and one without an end is remembered until it has one.
   */
  acknowledge(gaps: readonly Pick<Gap, 'gapId' | 'beforeTime'>[]): Promise<void> {
    return this.writes.take(async () => {
      const told = new Set(
        gaps.flatMap(({ gapId, beforeTime }) =>
          this.waiting.get(gapId)?.beforeTime === beforeTime ? [gapId] : [],
        ),
      );
      if (told.size === 0) return;
      const [known, left] = [[] as Gap[], [] as Gap[]];
      for (const one of this.waiting.values()) (told.has(one.gapId) ? known : left).push(one);
      const unended = known.filter(({ beforeTime }) => beforeTime === null);
      const reported = [...this.reported.values(), ...unended].slice(-UNENDED_MAX);
      const lines = [...reported.map((one) => ({ ...one, isReported: true })), ...left];
      await replaceFile(this.path, lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
      this.reported = new Map(reported.map((one) => [one.gapId, one]));
      // The set is bounded. At worst a gap is reported again, and the service recognises it by its id.
      if (this.acknowledged.size + told.size > ACKNOWLEDGED_MAX) this.acknowledged.clear();
      for (const id of told) {
        this.waiting.delete(id);
        this.acknowledged.add(id);
      }
    });
  }
}

function parse(line: string) {
  try {
    const { success, data } = storedGap.safeParse(JSON.parse(line));
    return success ? data : null;
  } catch {
    // The line is not JSON; the caller counts it.
    return null;
  }
}
