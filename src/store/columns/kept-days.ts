import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../limits';
import type { Block, Wanted } from './hour-blocks';
import { byDay } from './stored-hours';
import type { TenantHours } from './tenant-hours';

/** What is counted of the events of some hours: numbers that can be added up in any order. */
export interface DayCounts<P extends Packed = Float64Array> {
  add(block: Block): void;
  pack(): P;
}
type Packed = Float64Array | Int32Array;

/** A question whose answer is added up by days. */
interface Gathered<P extends Packed> {
  /** What is counted, beside the filter. */
  readonly name: string;
  readonly wanted: Wanted;
  /** Where counts of days are kept. */
  readonly kept: KeptDays<P>;
  /** Counts nothing yet. */
  readonly open: () => DayCounts<P>;
  /** Adds packed counts up. */
  readonly take: (packed: P) => void;
}

/** Of a key and an entry, beside the numbers. */
const ENTRY_BYTES = 512;

/**
 * Counts of days, as they were read from columns. Columns of an hour never change: an hour that is indexed again, as after
 * late events or a removal, has another version, whatever database it lies in. So a day's counts are right wherever the
 * same hours have the same versions. Numbers of values are those of `audit_dim`, where a value stays as long as columns
 * name it. Counts that were not asked for longest go first.
 */
export class KeptDays<P extends Packed> {
  readonly #days: LRUCache<string, P>;

  /** @param dayBytesMax a day with more is read again */
  constructor(
    bytesMax: number,
    readonly dayBytesMax: number,
  ) {
    this.#days = new LRUCache<string, P>({
      maxSize: bytesMax,
      maxEntrySize: dayBytesMax + ENTRY_BYTES,
      sizeCalculation: ({ byteLength }) => byteLength + ENTRY_BYTES,
    });
  }

  get(key: string): P | undefined {
    return this.#days.get(key);
  }

  set(key: string, packed: P): void {
    this.#days.set(key, packed);
  }
}

/** Counts of questions. */
export const COUNTS = new KeptDays<Float64Array>(LIMITS.keptDaysBytesMax, LIMITS.keptDayBytesMax);

interface Day {
  readonly key: string;
  readonly hours: readonly number[];
}

/**
 * Adds up all hours by days. A day of which the same was asked before is not read again.
 * @returns as `TenantHours.visit`
 */
export async function gather<P extends Packed>(
  hours: TenantHours,
  { name, wanted, kept, open, take }: Gathered<P>,
): Promise<readonly number[]> {
  const question = hashOf(JSON.stringify([hours.tenantId, name, hours.expression]));
  const { days, others } = byDay(hours.stored, hours.cut);
  const missing: Day[] = [];
  for (const day of days) {
    const key = hashOf(`${question} ${day.name}`);
    const known = kept.get(key);
    if (known) take(known);
    else missing.push({ key, hours: day.hours });
    await hours.clock.take();
  }
  const dayOf = new Map(missing.flatMap((day) => day.hours.map((hour) => [hour, day] as const)));
  /** What may be kept of a day; null: it is too large. A day that is missing here has no such event. */
  const read = new Map<string, P | null>();
  let current: (Day & { readonly counts: DayCounts<P>; visited: number }) | null = null;
  const end = () => {
    if (!current) return;
    const packed = current.counts.pack();
    take(packed);
    // The hours of a day come one after the other. A day that comes in two parts is not kept.
    const isKept = packed.byteLength <= kept.dayBytesMax && !read.has(current.key);
    read.set(current.key, isKept ? packed : null);
    // A day that is whole is kept at once. If the question takes too long, the next one begins behind it.
    if (isKept && current.visited === current.hours.length) kept.set(current.key, packed);
    current = null;
  };
  const rest = open();
  const add = (block: Block) => {
    const day = dayOf.get(block.hour);
    if (!day) return rest.add(block);
    if (current?.key !== day.key) end();
    current ??= { ...day, counts: open(), visited: 0 };
    current.counts.add(block);
    current.visited++;
  };
  const unread = await hours.visit(wanted, add, new Set([...dayOf.keys(), ...others]));
  end();
  take(rest.pack());
  const isUnread = new Set(unread);
  for (const { key, hours: own } of missing) {
    const packed = read.has(key) ? read.get(key) : open().pack();
    if (packed && !own.some((hour) => isUnread.has(hour))) kept.set(key, packed);
  }
  return unread;
}

const hashOf = (text: string) => hash('sha256', text, 'base64');
