import type { ServiceDoor } from '../../database/clients';
import { HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import type { AuditEventFilter, TimeRange } from '../../event/query';
import type { TenantSet } from '../../tenant-set';
import type { Ask } from '../columns/ask';
import { startOfWeek } from '../rows/partitions';
import { type SealedWeeks, sealedIn, snapshotOf } from './archive';
import { countCutWeek, stretchOf, weekOf } from './cut-week';
import type { Stretch, TallyRow } from './questions';

/** A range of times, cut in two; null: the range has no such part. */
interface Parts {
  /** Whatever events the range has before the cut, files have. */
  readonly inFiles: { readonly from: bigint | null; readonly to: bigint } | null;
  /** Whatever events it has from the cut on, rows have. */
  readonly inRows: TimeRange | null;
}

/**
 * Cuts a range where the last file of some tenants ends, which is the beginning of a week. Null: rows lie before that, so
 * files and rows cannot be asked apart.
 */
export async function partsOf(
  sealed: SealedWeeks,
  tenants: TenantSet,
  { from, to }: TimeRange,
): Promise<Parts | null> {
  const ends: number[] = [];
  for (const tenantId of tenants) {
    const last = (await sealed.list(tenantId)).at(-1);
    if (last) ends.push(startOfWeek(last.week + 1));
  }
  if (ends.length === 0) return { inFiles: null, inRows: { from, to } };
  const end = BigInt(Math.max(...ends)) * TICKS_PER_MS;
  if (from !== null && from >= end) return { inFiles: null, inRows: { from, to } };
  const inFiles = { from, to: to === null || to > end ? end : to };
  const stretch = stretchOf(inFiles);
  for (const tenantId of tenants) if (await sealed.hasRows(tenantId, stretch)) return null;
  return { inFiles, inRows: to !== null && to <= end ? null : { from: end, to } };
}

/**
 * Asks about times that no file reaches, in one snapshot: rows are then asked as if there were no files. Null: files have
 * events of these times.
 */
export function fromRowsAlone<T>(
  service: ServiceDoor,
  tenants: TenantSet,
  range: TimeRange,
  work: (ask: Ask) => Promise<T>,
): Promise<T | null> {
  return snapshotOf(service, tenants, async (ask) => {
    const sealed = sealedIn(service, ask);
    const parts = sealed && (await partsOf(sealed, tenants, range));
    return parts && !parts.inFiles ? work(ask) : null;
  });
}

/** Counts the events of a range that lie in files, by window. @param windowMs null: one window */
export async function countInFiles(
  sealed: SealedWeeks,
  tenants: TenantSet,
  filter: AuditEventFilter,
  windowMs: number | null,
): Promise<readonly TallyRow[]> {
  const by = { windowMs, fields: [], ofValues: null };
  const { from, to } = stretchOf(filter);
  const isWhole = (week: Stretch) => from <= week.from && week.to <= to;
  const counted: TallyRow[] = [];
  for (const tenantId of tenants) {
    const files = await sealed.list(tenantId);
    const whole = files.filter((file) => isWhole(weekOf(file)));
    const cut = files.filter((file) => {
      const week = weekOf(file);
      return !isWhole(week) && week.from < to && week.to > from;
    });
    if (whole.length > 0) {
      const hashes = whole.map(({ sha256 }) => sha256);
      const count = () => sealed.tally(tenantId, { ...filter, from: null, to: null }, whole.map(weekOf), by);
      counted.push(...(await sealed.counts.of(tenantId, hashes, { filter, windowMs }, count)));
    }
    if (windowMs !== null && windowMs % HOUR_MS !== 0 && cut.length > 0)
      counted.push(...(await sealed.tally(tenantId, filter, cut.map(weekOf), by)));
    else for (const file of cut) counted.push(...(await countCutWeek(sealed, file, filter, windowMs)));
  }
  return counted;
}
