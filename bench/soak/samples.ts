import { readFileSync } from 'node:fs';
import type { Window } from './paced-load';

/** The measurements of one stretch of time. */
export interface Sample {
  /** Since the beginning. */
  readonly seconds: number;
  readonly memoryMb: number;
  readonly readsPerSecond: number;
  readonly readP50Ms: number;
  readonly readP99Ms: number;
  readonly eventsPerSecond: number;
  readonly batchP50Ms: number;
  readonly batchP99Ms: number;
  readonly errors: number;
  /** Of the database, all of them. */
  readonly connections: number;
  /** Events not yet in the evidence log. */
  readonly evidenceWaiting: number;
}

export interface Flatness {
  readonly name: keyof Sample;
  /** Medians of the first and of the last third. */
  readonly first: number;
  readonly last: number;
  readonly most: number;
  readonly isFlat: boolean;
}

/** How much more the last third may have than the first, and what is lost in noise. */
const GROWTH = {
  memoryMb: { factor: 1.15, slack: 32 },
  readP50Ms: { factor: 1.5, slack: 3 },
  readP99Ms: { factor: 2, slack: 30 },
  batchP50Ms: { factor: 1.5, slack: 30 },
  batchP99Ms: { factor: 2, slack: 100 },
  connections: { factor: 1, slack: 4 },
  evidenceWaiting: { factor: 2, slack: 50_000 },
} as const satisfies Partial<Record<keyof Sample, { factor: number; slack: number }>>;

/** Whether the figures that should stay flat did so. */
export function flatnessOf(samples: readonly Sample[]): Flatness[] {
  const third = Math.max(1, Math.floor(samples.length / 3));
  return Object.entries(GROWTH).map(([key, { factor, slack }]) => {
    const name = key as keyof typeof GROWTH;
    const median = (some: readonly Sample[]) =>
      quantile(
        some.map((sample) => sample[name]),
        0.5,
      );
    const [first, last] = [median(samples.slice(0, third)), median(samples.slice(-third))];
    const most = first * factor + slack;
    return { name, first, last, most, isFlat: last <= most };
  });
}

export function sampleOf(
  window: Window,
  span: { readonly seconds: number; readonly lengthSeconds: number },
  seen: Pick<Sample, 'memoryMb' | 'connections' | 'evidenceWaiting'>,
): Sample {
  const { readMs, batchMs, events, errors } = window;
  return {
    seconds: Math.round(span.seconds),
    errors,
    ...seen,
    readsPerSecond: readMs.length / span.lengthSeconds,
    readP50Ms: quantile(readMs, 0.5),
    readP99Ms: quantile(readMs, 0.99),
    eventsPerSecond: events / span.lengthSeconds,
    batchP50Ms: quantile(batchMs, 0.5),
    batchP99Ms: quantile(batchMs, 0.99),
  };
}

export const memoryMbOf = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const COLUMNS = ['s', 'MB', 'reads/s', 'p50', 'p99', 'events/s', 'p50', 'p99', 'errors', 'conns', 'waiting'];

/** Samples, and the verdict, as Markdown. */
export function soakTable(samples: readonly Sample[], flatness: readonly Flatness[]): string {
  const row = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? number(cell) : cell).padStart(9)).join(' | ')} |`;
  const lines = samples.map((s) =>
    row([
      ...[s.seconds, s.memoryMb, s.readsPerSecond, s.readP50Ms, s.readP99Ms, s.eventsPerSecond],
      ...[s.batchP50Ms, s.batchP99Ms, s.errors, s.connections, s.evidenceWaiting],
    ]),
  );
  const verdicts = flatness.map(
    ({ name, first, last, most, isFlat }) =>
      `${isFlat ? 'flat' : 'GROWS'}: ${name} ${number(first)} → ${number(last)} (at most ${number(most)})`,
  );
  return [row(COLUMNS), row(COLUMNS.map(() => '---')), ...lines, '', ...verdicts].join('\n');
}

const number = (value: number) =>
  value >= 100 ? Math.round(value).toString() : Number(value.toPrecision(3)).toString();
