import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../limits';
import type { Block, Wanted } from './hour-blocks';
import { byDay } from './stored-hours';
import type { TenantHours } from './tenant-hours';

/** What is counted of the events of some hours: numbers that can be added up in any order. */
export interface DayCounts {
  add(block: Block): void;
  pack(): Float64Array;
}

/** A question whose answer is added up by days. */
interface Gathered {
  /** What is counted, beside the filter. */
  readonly name: string;
  readonly wanted: Wanted;
  /** Counts nothing yet. */
  readonly open: () => DayCounts;
  /** Adds packed counts up. */
  readonly take: (packed: Float64Array) => void;
}

/** Of a key and an entry, beside the numbers. */
const ENTRY_BYTES = 512;

/**
 * Counts of days, as they were read from columns. Columns of an hour never change: an hour that is indexed again, as after
 * late events or a removal, has another version, whatever database it lies in. So a day's counts are right wherever the
 * same hours have the same versions. Numbers of values are those of `audit_dim`, where a value stays as long as columns
 * name it. Counts that were not asked for longest go first.
 */
const KEPT = new LRUCache<string, Float64Array>({
  maxSize: LIMITS.keptDaysBytesMax,
  maxEntrySize: LIMITS.keptDayBytesMax + ENTRY_BYTES,
  sizeCalculation: ({ byteLength }) => byteLength + ENTRY_BYTES,
});

interface Day {
  readonly key: string;
  readonly hours: readonly number[];
}

/**
 * Adds up all hours by days. A day of which the same was asked before is not read again.
 * @returns as `TenantHours.visit`
 */
export async function gather(
  hours: TenantHours,
  { name, wanted, open, take }: Gathered,
): Promise<readonly number[]> {
  const question = hashOf(JSON.stringify([hours.tenantId, name, hours.expression]));
  const { days, others } = byDay(hours.stored, hours.cut);
  const missing: Day[] = [];
  for (const day of days) {
    const key = hashOf(`${question} ${day.name}`);
    const known = KEPT.get(key);
    if (known) take(known);
    else missing.push({ key, hours: day.hours });
    await hours.clock.turn();
  }
  const dayOf = new Map(missing.flatMap((day) => day.hours.map((hour) => [hour, day] as const)));
  /** What may be kept of a day; null: it is too large. A day that is missing here has no such event. */
  const read = new Map<string, Float64Array | null>();
  let current: (Day & { readonly counts: DayCounts }) | null = null;
  const end = () => {
    if (!current) return;
    const packed = current.counts.pack();
    take(packed);
    // The hours of a day come one after the other. A day that comes in two parts is not kept.
    const isKept = packed.byteLength <= LIMITS.keptDayBytesMax && !read.has(current.key);
    read.set(current.key, isKept ? packed : null);
    current = null;
  };
  const rest = open();
  const add = (block: Block) => {
    const day = dayOf.get(block.hour);
    if (!day) return rest.add(block);
    if (current?.key !== day.key) end();
    current ??= { ...day, counts: open() };
    current.counts.add(block);
  };
  const unread = await hours.visit(wanted, add, new Set([...dayOf.keys(), ...others]));
  end();
  take(rest.pack());
  const isUnread = new Set(unread);
  for (const { key, hours: own } of missing) {
    const packed = read.has(key) ? read.get(key) : open().pack();
    if (packed && !own.some((hour) => isUnread.has(hour))) KEPT.set(key, packed);
  }
  return unread;
}

const hashOf = (text: string) => hash('sha256', text, 'base64');
