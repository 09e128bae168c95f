import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AuditEventFilter } from '../../event/query';
import type { TallyRow } from './questions';

const ROWS_MAX = 100_000;

/**
 * Counts of whole files, as they were answered. A file never changes: its name is its hash. Counts that were not asked for
 * longest go first.
 */
export class KnownCounts {
  readonly #known: LRUCache<string, readonly TallyRow[]>;

  constructor(rowsMax: number = ROWS_MAX) {
    this.#known = new LRUCache({ maxSize: rowsMax, sizeCalculation: costOf });
  }

  /** @param files the hashes of the files, of one tenant @param count counts their events */
  async of(
    tenantId: number,
    files: readonly string[],
    { filter, windowMs }: { readonly filter: AuditEventFilter; readonly windowMs: number | null },
    count: () => Promise<readonly TallyRow[]>,
  ): Promise<readonly TallyRow[]> {
    const asked = JSON.stringify([tenantId, files, windowMs, { ...filter, from: null, to: null }]);
    // A filter may be long.
    const key = hash('sha256', asked, 'base64');
    const known = this.#known.get(key);
    if (known) return known;
    const rows = await count();
    this.#known.set(key, rows);
    return rows;
  }
}

/** A key takes as much memory as some rows. */
const costOf = (rows: readonly TallyRow[]) => 20 + rows.length;
