import { isOwnId, ownLeaf } from './own-entry';

const KIND = 'erasure';

/** Events that an operator erased, as their log says it. */
export interface Erasure {
  readonly erasureId: string;
  readonly tenantId: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly erasedBy: string;
  readonly reason: string;
  readonly events: number;
  /** The indexes of the erased entries, half-open ranges in order. All are below that of the erasure itself. */
  readonly entries: readonly (readonly [from: number, to: number])[];
}

/** The entry of an erasure in the evidence log, without its first byte. */
export const erasureText = ({
  erasureId,
  tenantId,
  at,
  erasedBy,
  reason,
  events,
  entries,
}: Erasure): string => JSON.stringify([KIND, erasureId, tenantId, at, erasedBy, reason, events, entries]);

/** The leaf hash of the entry, 32 bytes. */
export const erasureLeaf = (text: string): Buffer => ownLeaf('erasure', text);

const isIndex = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Whether it is a list of half-open ranges in order, with something between any two. */
function areRanges(entries: unknown): entries is Erasure['entries'] {
  if (!Array.isArray(entries)) return false;
  let end = -1;
  for (const range of entries) {
    if (!Array.isArray(range) || range.length !== 2 || !range.every(isIndex)) return false;
    const [from, to] = range as [number, number];
    if (from <= end || to <= from) return false;
    end = to;
  }
  return true;
}

/** @returns null: it is not the entry of an erasure */
export function parseErasure(text: string): Erasure | null {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(list) || list.length !== 8) return null;
  const [kind, erasureId, tenantId, at, erasedBy, reason, events, entries] = list as unknown[];
  const areTexts = [erasureId, tenantId, at, erasedBy, reason].every((value) => typeof value === 'string');
  if (kind !== KIND || !areTexts || !isIndex(events) || !areRanges(entries)) return null;
  if (!isOwnId(erasureId)) return null;
  return { erasureId, tenantId, at, erasedBy, reason, events, entries } as Erasure;
}

/** Sorted indexes as half-open ranges. */
export function rangesOf(indexes: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const index of indexes) {
    const last = ranges.at(-1);
    if (last?.[1] === index) last[1] = index + 1;
    else ranges.push([index, index + 1]);
  }
  return ranges;
}
