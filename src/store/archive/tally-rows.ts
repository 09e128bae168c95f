import { LIMITS } from '../../limits';
import type { TallyRow } from './questions';

/** Counts of a tally, each once. */
export class TallyRows {
  readonly #byKey = new Map<string, TallyRow & { n: number; ok: number }>();

  add(by: TallyRow['by'], w: number, text: string, { n, ok }: Pick<TallyRow, 'n' | 'ok'>): void {
    const key = `${by} ${w} ${text}`;
    const row = this.#byKey.get(key);
    if (row) {
      row.n += n;
      row.ok += ok;
    } else this.#byKey.set(key, { by, w, text, n, ok });
  }

  get isFull(): boolean {
    return this.#byKey.size > LIMITS.valuesOfFilesMax;
  }

  get rows(): readonly TallyRow[] {
    return [...this.#byKey.values()];
  }
}
