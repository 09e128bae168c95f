import { readFile } from 'node:fs/promises';
import { appendLines, replaceFile } from '../durable-file';
import { errorCode, type Log } from '../log';
import { Turns } from '../turns';
import { type Gap, gap } from './gap';

/** Ids of acknowledged gaps that are remembered, so that a gap met again in the same run is no news. */
const ACKNOWLEDGED_MAX = 10_000;

/** The gaps of a database that the service does not know of yet, on disk: one JSON line each. */
export class GapStore {
  private readonly acknowledged = new Set<string>();
  /** An acknowledgement replaces the file that `add` appends to. */
  private readonly writes = new Turns();

  private constructor(
    readonly path: string,
    private readonly waiting: Map<string, Gap>,
  ) {}

  /** @param path need not exist; its folder neither */
  static async load(path: string, { log }: { readonly log: Log }): Promise<GapStore> {
    const lines = (await textOf(path)).split('\n').filter((line) => line !== '');
    const waiting = new Map<string, Gap>();
    let damaged = 0;
    for (const line of lines) {
      const found = parse(line);
      if (found === null) damaged++;
      else waiting.set(found.gapId, found);
    }
    // A line that a crash has cut is of a gap that is found again: the checkpoint did not move past it.
    if (damaged > 0) log.warn(`${path}: ${damaged} unreadable lines are passed over`);
    return new GapStore(path, waiting);
  }

  /** Number of gaps that wait to be acknowledged. */
  get count(): number {
    return this.waiting.size;
  }

  /**
   * Resolves when the gap is on disk. One that is known already is not stored twice; where it ends may be known only
   * now.
   */
  add(found: Gap): Promise<void> {
    return this.writes.take(async () => {
      if (this.acknowledged.has(found.gapId)) return;
      const known = this.waiting.get(found.gapId);
      if (known && (known.beforeTime !== null || found.beforeTime === null)) return;
      const now = known ? { ...known, beforeTime: found.beforeTime } : found;
      // Of two lines about a gap the later one counts.
      await appendLines(this.path, [JSON.stringify(now)]);
      this.waiting.set(now.gapId, now);
    });
  }

  /** The oldest gaps that wait, at most `max`. */
  pending(max: number): readonly Gap[] {
    return [...this.waiting.values()].slice(0, max);
  }

  /** Forgets gaps that the service has; resolves when that is on disk. Ids that are not known are no error. */
  acknowledge(ids: readonly string[]): Promise<void> {
    return this.writes.take(async () => {
      const known = new Set(ids.filter((id) => this.waiting.has(id)));
      if (known.size === 0) return;
      const left = [...this.waiting.values()].filter(({ gapId }) => !known.has(gapId));
      await replaceFile(this.path, left.map((one) => `${JSON.stringify(one)}\n`).join(''));
      // Bounded; at worst a gap is reported again, and the service knows it by its id.
      if (this.acknowledged.size + known.size > ACKNOWLEDGED_MAX) this.acknowledged.clear();
      for (const id of known) {
        this.waiting.delete(id);
        this.acknowledged.add(id);
      }
    });
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

function parse(line: string): Gap | null {
  try {
    const { success, data } = gap.safeParse(JSON.parse(line));
    return success ? data : null;
  } catch {
    // Not even JSON; the caller counts it.
    return null;
  }
}
