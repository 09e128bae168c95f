import type { Step } from '../../database/clients';
import { GrowingRuns } from '../../store/log/arrivals/arrival-runs';
import { TILE_WIDTH } from '../../store/log/evidence/tiles';
import { LAST_MINUTE, PUT_MINUTES } from './log-statements';

const MINUTE_MS = 60_000;

/** The times of arrival of the entries that are being appended to a log. */
export class LogArrivals {
  readonly #tiles = new Map<number, GrowingRuns>();
  /** The first entry of each minute that is later than all minutes before it. */
  readonly #minutes = new Map<number, number>();
  #lastMinute = Number.NEGATIVE_INFINITY;

  /** @param size number of entries in the log @param stored arrivals of its incomplete tile (`arrival-runs.ts`) */
  constructor(
    private size: number,
    stored: Uint8Array | null,
  ) {
    const count = size % TILE_WIDTH;
    if (count > 0) this.#tiles.set(Math.floor(size / TILE_WIDTH), new GrowingRuns(stored, count));
  }

  /** @param ms since 1970; null: not known */
  append(count: number, ms: number | null): void {
    if (ms !== null && count > 0) this.#note(Math.floor(ms / MINUTE_MS));
    const end = this.size + count;
    while (this.size < end) {
      const tile = Math.floor(this.size / TILE_WIDTH);
      const runs = this.#tiles.get(tile) ?? new GrowingRuns(null, 0);
      this.#tiles.set(tile, runs);
      const upTo = Math.min(end, (tile + 1) * TILE_WIDTH);
      runs.append(upTo - tile * TILE_WIDTH, ms);
      this.size = upTo;
    }
  }

  #note(minute: number): void {
    if (minute <= this.#lastMinute) return;
    this.#lastMinute = minute;
    this.#minutes.set(minute, this.size);
  }

  /** Base64. */
  of(tile: number): string | null {
    return this.#tiles.get(tile)?.bytes.toString('base64') ?? null;
  }

  /** A minute gets no row if an earlier entry was received in it or later. */
  async saveMinutes(step: Step, tenantId: number): Promise<void> {
    if (this.#minutes.size === 0) return;
    const [last] = await step(LAST_MINUTE, [tenantId]);
    const known = (last?.minute as number | null | undefined) ?? Number.NEGATIVE_INFINITY;
    const later = [...this.#minutes].filter(([minute]) => minute > known);
    if (later.length > 0)
      await step(PUT_MINUTES, [
        tenantId,
        later.map(([minute]) => minute),
        later.map(([, position]) => position),
      ]);
    this.#minutes.clear();
  }
}
