import { parseArgs } from 'node:util';

export interface Options {
  readonly names: readonly string[];
  readonly rows: number;
  /** Events of the benches that compare them with a tenth. */
  readonly growthRows: number;
  readonly rounds: number;
  /** Keeps the loaded databases for the next run. */
  readonly keep: boolean;
  /** Loads anew even if a kept database fits. */
  readonly fresh: boolean;
  readonly profile: boolean;
  /** A further file for the JSON, besides `.bench/results/latest.json`. */
  readonly json: string | null;
}

export const USAGE = `usage: npm run bench -- [NAME...] [options]
  --rows N      events of the large database, such as 500k, 2M, 20M (default 2M)
  --growth-rows N  events of growth and columns, which compare them with N/10 (default as --rows)
  --rounds N    rounds of each comparison (default 5)
  --keep        keeps the loaded databases in .bench/ (or at BENCH_DATABASE_URL) for the next run
  --fresh       loads anew even where a kept database fits
  --json FILE   writes the results there too
  --profile     writes CPU profiles of the service to .bench/profiles and says where the time went`;

const ROUNDS_DEFAULT = '5';
const ROWS_DEFAULT = '2M';

/** @throws Error with the usage */
export function parseOptions(argv: readonly string[], known: readonly string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      rows: { type: 'string', default: ROWS_DEFAULT },
      'growth-rows': { type: 'string' },
      rounds: { type: 'string', default: ROUNDS_DEFAULT },
      json: { type: 'string' },
      keep: flag,
      fresh: flag,
      profile: flag,
    },
  });
  const strangers = positionals.filter((name) => !known.includes(name));
  if (strangers.length > 0)
    throw new Error(`no bench ${strangers.join(', ')}; there are ${known.join(', ')}\n${USAGE}`);
  return {
    names: positionals.length > 0 ? positionals : known,
    rows: parseCount(values.rows),
    growthRows: parseCount(values['growth-rows'] ?? values.rows),
    rounds: parseCount(values.rounds),
    json: values.json ?? null,
    keep: values.keep,
    fresh: values.fresh,
    profile: values.profile,
  };
}

/** `20M` → 20000000. */
function parseCount(text: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([kKmM]?)$/.exec(text) ?? [];
  const count = Number(digits) * ({ k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`${text} is no count\n${USAGE}`);
  return count;
}
