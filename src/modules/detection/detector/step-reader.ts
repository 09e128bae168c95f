import { LIMITS } from '../../../limits';
import type { EnginePart } from '../../../rules/host';
import type { ArrivalLimits, ArrivalReader, Arrivals } from '../../../store/log/arrivals/arrival-reader';
import type { ArrivedRow } from '../../../store/log/arrivals/row-text';

type Rows = Arrivals<ArrivedRow>;

interface Kept {
  readonly rows: Rows;
  readonly chars: number;
}

/** A tenant's engines read this many events at least. */
const EVENTS_MIN = 64;
/** An engine gets this many times the events for which it had time in the step before. */
const AHEAD = 2;

/**
 * Reads the logs of tenants step by step. What a step read and had no time for is kept for the next step, so that each
 * event is read once, however slow the machine is.
 */
export class StepReader {
  readonly #kept = new Map<number, Map<EnginePart, Kept>>();
  /** The number of events for which the last step had time, of engines that had no time for all. */
  readonly #pace = new Map<number, Map<EnginePart, number>>();
  #chars = 0;

  constructor(
    private readonly reader: Pick<ArrivalReader, 'readRows' | 'sizes'>,
    private readonly charsMax: number = LIMITS.detectionKeptChars,
  ) {}

  async read(tenantId: number, part: EnginePart, from: number, limits: ArrivalLimits): Promise<Rows> {
    const kept = this.#take(tenantId, part);
    if (kept?.from === from) {
      if (kept.next < kept.size) return kept;
      // The log may have grown since.
      const sizes = await this.reader.sizes([tenantId]);
      return { ...kept, size: Math.max(kept.size, sizes.get(tenantId) ?? 0) };
    }
    const pace = this.#pace.get(tenantId)?.get(part) ?? Number.POSITIVE_INFINITY;
    const events = Math.min(limits.events, Math.max(EVENTS_MIN, AHEAD * pace));
    return this.reader.readRows(tenantId, from, { ...limits, events });
  }

  /** Keeps what a step did not see. @returns the position from which the next step reads */
  seen(tenantId: number, part: EnginePart, rows: Rows, seen: number): number {
    const next = rows.items[seen]?.position;
    if (next === undefined) {
      this.#pace.get(tenantId)?.delete(part);
      return rows.next;
    }
    put(this.#pace, tenantId, part, seen);
    const items = rows.items.slice(seen);
    const chars = items.reduce((sum, { text }) => sum + text.length, 0);
    // What is kept already has the room: given up for this, it would be read again too.
    if (this.#chars + chars > this.charsMax) return next;
    this.#chars += chars;
    put(this.#kept, tenantId, part, { chars, rows: { ...rows, from: next, items, skipped: 0 } });
    return next;
  }

  /** Drops what is kept of other tenants. */
  keepOnly(tenants: ReadonlySet<number>): void {
    for (const tenantId of new Set([...this.#kept.keys(), ...this.#pace.keys()]))
      if (!tenants.has(tenantId)) this.drop(tenantId);
  }

  drop(tenantId: number): void {
    for (const part of [...(this.#kept.get(tenantId)?.keys() ?? [])]) this.#take(tenantId, part);
    this.#kept.delete(tenantId);
    this.#pace.delete(tenantId);
  }

  #take(tenantId: number, part: EnginePart): Rows | null {
    const kept = this.#kept.get(tenantId)?.get(part);
    if (!kept) return null;
    this.#kept.get(tenantId)?.delete(part);
    this.#chars -= kept.chars;
    return kept.rows;
  }
}

function put<T>(all: Map<number, Map<EnginePart, T>>, tenantId: number, part: EnginePart, value: T): void {
  const own = all.get(tenantId) ?? new Map<EnginePart, T>();
  all.set(tenantId, own.set(part, value));
}
