/** Median and range of the rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** A bound of the ratio (`atLeast`, `atMost`), of the largest measured value (`under`), or of their median. */
export type Target =
  | { readonly atLeast: number }
  | { readonly atMost: number; readonly msMax?: number }
  | { readonly under: number }
  | { readonly medianAtMost: number };

/** One line of the report: a measured subject, the subject of comparison in the same rounds, and their ratio. */
export interface Figure {
  readonly bench: string;
  readonly name: string;
  readonly unit: string;
  readonly measured: Spread | null;
  readonly against: { readonly name: string; readonly spread: Spread } | null;
  readonly ratio: Spread | null;
  readonly target: Target | null;
  readonly note: string;
}

export type Verdict = 'met' | 'MISSED' | 'FAILED' | 'reported';

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  };
}

/** The figure of a comparison. The ratio is taken round by round, so that a slow machine does not change it. */
export function compared(
  about: Pick<Figure, 'bench' | 'name' | 'unit' | 'target'> & { readonly note?: string },
  measured: readonly number[],
  against: { readonly name: string; readonly values: readonly number[] },
): Figure {
  const ratios = measured.map((value, round) => value / (against.values[round] ?? Number.NaN));
  return {
    ...about,
    note: about.note ?? '',
    measured: spreadOf(measured),
    against: { name: against.name, spread: spreadOf(against.values) },
    ratio: spreadOf(ratios),
  };
}

/** A figure without a comparison. */
export function reported(
  bench: string,
  name: string,
  unit: string,
  values: readonly number[],
  { target = null, note = '' }: { readonly target?: Target | null; readonly note?: string } = {},
): Figure {
  return { bench, name, unit, measured: spreadOf(values), against: null, ratio: null, target, note };
}

/** A figure whose measurement failed. */
export function failed(about: Pick<Figure, 'bench' | 'name' | 'unit' | 'target'>, reason: unknown): Figure {
  const note = reason instanceof Error ? reason.message : String(reason);
  return { ...about, measured: null, against: null, ratio: null, note };
}

export function verdictOf({ measured, ratio, target }: Figure): Verdict {
  if (measured === null) return 'FAILED';
  if (target !== null && 'under' in target) return measured.max < target.under ? 'met' : 'MISSED';
  if (target !== null && 'medianAtMost' in target)
    return measured.median <= target.medianAtMost ? 'met' : 'MISSED';
  if (target === null || ratio === null) return 'reported';
  if ('atLeast' in target) return ratio.median >= target.atLeast ? 'met' : 'MISSED';
  const isQuick = target.msMax === undefined || measured.median < target.msMax;
  return ratio.median <= target.atMost && isQuick ? 'met' : 'MISSED';
}

/** @param share from 0 to 1 */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};
