import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AuditEventFilter } from '../../event/query';

const ROWS_MAX = 100_000;

type Rows = readonly object[];

/**
 * Counts of whole files, as they were answered. A file never changes: its name is its hash. Counts that were not asked for
 * longest go first.
 */
export class KnownCounts {
  readonly #known: LRUCache<string, Rows>;

  constructor(rowsMax: number = ROWS_MAX) {
    this.#known = new LRUCache({ maxSize: rowsMax, sizeCalculation: costOf });
  }

  /**
   * @param files the hashes of the files, of one tenant
   * @param asked the filter, and what is counted: the same answers have the same rows
   * @param count counts their events, whatever the range
   */
  async of<R extends object>(
    tenantId: number,
    files: readonly string[],
    { filter, ...asked }: { readonly filter: AuditEventFilter } & Readonly<Record<string, unknown>>,
    count: () => Promise<readonly R[]>,
  ): Promise<readonly R[]> {
    const question = JSON.stringify([tenantId, files, asked, { ...filter, from: null, to: null }]);
    // A filter may be long.
    const key = hash('sha256', question, 'base64');
    const known = this.#known.get(key);
    if (known) return known as readonly R[];
    const rows = await count();
    this.#known.set(key, rows);
    return rows;
  }

  /** Forgets all: values may be those of erased events. */
  clear(): void {
    this.#known.clear();
  }
}

/** A key takes as much memory as some rows. */
const costOf = (rows: Rows) => 20 + rows.length;
