import { appendLines, readIfThere, replaceFile } from '../durable-file';
import type { Log } from '../log';
import { Turns } from '../turns';
import { type Gap, gap } from './gap';

/** Ids of acknowledged gaps that are remembered: a gap that is found again in the same run is not reported again. */
const ACKNOWLEDGED_MAX = 10_000;

/** The gaps of a database that the service does not know yet, on disk: one JSON line each. */
export class GapStore {
  private readonly acknowledged = new Set<string>();
  /** Keeps calls in order, since an acknowledgement replaces the file to which `add` appends. */
  private readonly writes = new Turns();

  private constructor(
    readonly path: string,
    private readonly waiting: Map<string, Gap>,
  ) {}

  /** @param path neither the file nor its folder needs to exist */
  static async load(path: string, { log }: { readonly log: Log }): Promise<GapStore> {
    const lines = ((await readIfThere(path)) ?? '').split('\n').filter((line) => line !== '');
    const waiting = new Map<string, Gap>();
    let damaged = 0;
    for (const line of lines) {
      const found = parse(line);
      if (found === null) damaged++;
      else waiting.set(found.gapId, found);
    }
    // A line that a crash cut off belongs to a gap that is found again, since no bookmark moved past it.
    if (damaged > 0) log.warn(`${path}: ${damaged} unreadable lines are skipped`);
    return new GapStore(path, waiting);
  }

  /** Number of gaps that wait to be acknowledged. */
  get count(): number {
    return this.waiting.size;
  }

  /**
   * Resolves when the gap is on disk. A known gap is not stored twice, but its end may be known only now.
   */
  add(found: Gap): Promise<void> {
    return this.writes.take(async () => {
      if (this.acknowledged.has(found.gapId)) return;
      const known = this.waiting.get(found.gapId);
      if (known && (known.beforeTime !== null || found.beforeTime === null)) return;
      const now = known ? { ...known, beforeTime: found.beforeTime } : found;
      // If two lines are about the same gap, the later one counts.
      await appendLines(this.path, [JSON.stringify(now)]);
      this.waiting.set(now.gapId, now);
    });
  }

  /** The oldest gaps that wait, at most `max`. */
  pending(max: number): readonly Gap[] {
    return [...this.waiting.values()].slice(0, max);
  }

  /** Forgets gaps that the service has; resolves when that is on disk. Unknown ids are no error. */
  acknowledge(ids: readonly string[]): Promise<void> {
    return this.writes.take(async () => {
      const known = new Set(ids.filter((id) => this.waiting.has(id)));
      if (known.size === 0) return;
      const left = [...this.waiting.values()].filter(({ gapId }) => !known.has(gapId));
      await replaceFile(this.path, left.map((one) => `${JSON.stringify(one)}\n`).join(''));
      // The set is bounded. At worst a gap is reported again, and the service recognises it by its id.
      if (this.acknowledged.size + known.size > ACKNOWLEDGED_MAX) this.acknowledged.clear();
      for (const id of known) {
        this.waiting.delete(id);
        this.acknowledged.add(id);
      }
    });
  }
}

function parse(line: string): Gap | null {
  try {
    const { success, data } = gap.safeParse(JSON.parse(line));
    return success ? data : null;
  } catch {
    // The line is not JSON; the caller counts it.
    return null;
  }
}
