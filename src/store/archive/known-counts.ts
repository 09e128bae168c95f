import type { AuditEventFilter } from '../../event/query';
import type { TallyRow } from './questions';

const ROWS_MAX = 100_000;

/**
 * Counts of whole files, as they were answered. A file never changes: its name is its hash. Counts that were not asked for
 * longest go first.
 */
export class KnownCounts {
  readonly #known = new Map<string, readonly TallyRow[]>();
  #rows = 0;

  constructor(private readonly rowsMax: number = ROWS_MAX) {}

  /** @param files the hashes of the files, of one tenant @param count counts their events */
  async of(
    tenantId: number,
    files: readonly string[],
    { filter, windowMs }: { readonly filter: AuditEventFilter; readonly windowMs: number | null },
    count: () => Promise<readonly TallyRow[]>,
  ): Promise<readonly TallyRow[]> {
    const key = JSON.stringify([tenantId, files, windowMs, { ...filter, from: null, to: null }]);
    const rows = this.#known.get(key) ?? (await count());
    this.#forget(key);
    this.#known.set(key, rows);
    this.#rows += costOf(rows);
    for (const oldest of this.#known.keys()) {
      if (this.#rows <= this.rowsMax) break;
      this.#forget(oldest);
    }
    return rows;
  }

  #forget(key: string): void {
    const rows = this.#known.get(key);
    if (!rows) return;
    this.#rows -= costOf(rows);
    this.#known.delete(key);
  }
}

/** A key takes as much memory as some rows. */
const costOf = (rows: readonly TallyRow[]) => 20 + rows.length;
