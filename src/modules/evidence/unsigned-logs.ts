import { LIMITS } from '../../limits';
import type { HeadRow } from './log-writer';

interface Seen {
  /** The number of its checkpoints. */
  readonly checkpoints: number;
  readonly sinceMs: number;
}

/** Notes since when logs have had entries that no checkpoint covers. Usually the next one is signed within a minute. */
export class UnsignedLogs {
  readonly #seen = new Map<number, Seen>();

  constructor(private readonly now: () => Date) {}

  /** @param rows the ends of all logs of these tenants, above `from` up to `end` */
  look(rows: readonly HeadRow[], { from, end }: { readonly from: number; readonly end: number }): void {
    const open = new Map(rows.filter(isUnsigned).map((row) => [row.tenant_id, row]));
    for (const tenantId of this.#seen.keys())
      if (tenantId > from && tenantId <= end && !open.has(tenantId)) this.#seen.delete(tenantId);
    for (const [tenantId, { checkpoints }] of open) {
      if (this.#seen.get(tenantId)?.checkpoints !== checkpoints)
        this.#seen.set(tenantId, { checkpoints, sinceMs: this.now().getTime() });
    }
  }

  /** The log was just signed. */
  signed(tenantId: number): void {
    this.#seen.delete(tenantId);
  }

  /** The tenants whose log has had such entries for too long, with the reason for people. */
  get late(): ReadonlyMap<number, string> {
    const nowMs = this.now().getTime();
    const late = [...this.#seen].filter(
      // A clock that was set back tells nothing about how long it has been.
      ([, { sinceMs }]) => Math.abs(nowMs - sinceMs) >= LIMITS.evidenceUnsignedMs,
    );
    return new Map(late.map(([tenantId]) => [tenantId, UNSIGNED]));
  }
}

const UNSIGNED =
  'the log has entries that no instance has signed for five minutes: the log lines of the service say why';

const isUnsigned = ({ size, signed_size }: HeadRow) => size > signed_size;
