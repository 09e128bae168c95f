import { SILENT_MS } from '../../../../src/modules/sources/audit-source';
import type { Coverage } from './use-coverage';

type Source = Coverage['sources'][number];
type Gap = Coverage['gaps'][number];

/** A stretch of the range of which events may be missing. */
export interface Missing {
  readonly fromMs: number;
  readonly toMs: number;
  readonly source: string;
  readonly why: 'gap' | 'silent';
}

export const nameOf = ({ hostName, databaseName }: Source | Gap): string => `${hostName} (${databaseName})`;

/** Up to when a source has told all it has; null: it is as complete as can be, or was never. */
export function silentSince(source: Source, nowMs: number): number | null {
  const reportedMs = Date.parse(source.lastReported);
  const isSilent = nowMs - reportedMs > SILENT_MS;
  if (!isSilent && !source.hasProblem) return null;
  return source.completeThrough ? Date.parse(source.completeThrough) : reportedMs;
}

/** What of a range may be missing, by source. */
export function missingIn(
  coverage: Coverage,
  fromMs: number,
  toMs: number,
  nowMs: number,
): readonly Missing[] {
  const gaps = coverage.gaps.map((gap) => ({
    fromMs: Math.max(fromMs, gap.afterTime ? Date.parse(gap.afterTime) : fromMs),
    toMs: Math.min(toMs, gap.beforeTime ? Date.parse(gap.beforeTime) : toMs),
    source: nameOf(gap),
    why: 'gap' as const,
  }));
  const silent = coverage.sources.flatMap((source) => {
    const since = silentSince(source, nowMs);
    if (since === null || since >= toMs) return [];
    return [{ fromMs: Math.max(fromMs, since), toMs, source: nameOf(source), why: 'silent' as const }];
  });
  return [...gaps, ...silent].filter((one) => one.toMs >= one.fromMs);
}
