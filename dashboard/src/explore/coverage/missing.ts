import { SILENT_MS } from '../../../../src/modules/sources/audit-source';
import type { Coverage } from './use-coverage';

type Source = Coverage['sources'][number];
type Gap = Coverage['gaps'][number];

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A stretch of the range in which events may be missing. */
export interface Missing extends Stretch {
  /** See `idOf`. */
  readonly source: string;
}

export const nameOf = ({ hostName, databaseName }: Source | Gap): string => `${hostName} (${databaseName})`;

/** Identifies a source, since two tenants may have sources with the same name. */
export const idOf = (of: Source | Gap): string => `${of.tenantId} ${nameOf(of)}`;

export const isSilent = ({ lastReported }: Source, nowMs: number): boolean =>
  nowMs - Date.parse(lastReported) > SILENT_MS;

/**
 * The time up to which a source is complete, if it lacks events; null: it lacks none. A source that was never caught up
 * may lack events of any time. A retired one lacks none: its server is gone; nor does one whose shared folder another host has.
 */
export function lackingSince(source: Source, nowMs: number): number | null {
  if (source.retiredAt !== null || source.standbySince !== null) return null;
  const completeMs = source.completeThrough ? Date.parse(source.completeThrough) : Number.NEGATIVE_INFINITY;
  const isBehind = nowMs - completeMs > SILENT_MS;
  return isBehind || source.hasProblem || isSilent(source, nowMs) ? completeMs : null;
}

/** The stretches merged, since several sources may lack the same time. */
export function stretchesOf(missing: readonly Missing[]): readonly Stretch[] {
  const stretches: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of missing.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const before = stretches.at(-1);
    if (before && fromMs <= before.toMs) before.toMs = Math.max(before.toMs, toMs);
    else stretches.push({ fromMs, toMs });
  }
  return stretches;
}

/** Where a stretch lies in a range, in percent of the range. */
export function placeIn(stretch: Stretch, range: Stretch): { readonly left: number; readonly width: number } {
  const share = (ms: number) => {
    const part = (ms - range.fromMs) / (range.toMs - range.fromMs);
    return Math.min(1, Math.max(0, part)) * 100;
  };
  const [from, to] = [share(stretch.fromMs), share(stretch.toMs)];
  return { left: from, width: to - from };
}

/** The stretches of a range in which events may be missing, by source. */
export function missingIn(
  coverage: Coverage,
  fromMs: number,
  toMs: number,
  nowMs: number,
): readonly Missing[] {
  const gaps = coverage.gaps.map((gap) => ({
    fromMs: Math.max(fromMs, gap.afterTime ? Date.parse(gap.afterTime) : fromMs),
    toMs: Math.min(toMs, gap.beforeTime ? Date.parse(gap.beforeTime) : toMs),
    source: idOf(gap),
  }));
  const lacking = coverage.sources.flatMap((source) => {
    const since = lackingSince(source, nowMs);
    if (since === null || since >= toMs) return [];
    return [{ fromMs: Math.max(fromMs, since), toMs, source: idOf(source) }];
  });
  return [...gaps, ...lacking].filter((one) => one.toMs >= one.fromMs);
}
