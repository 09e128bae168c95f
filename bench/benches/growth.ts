import { loadConfig } from '../../src/config';
import { type Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { SUMMARY_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toSummaryFilter } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { tenantSet } from '../../src/tenant-set';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { compared, type Figure, failed, reported } from '../figure';
import type { Dataset, Datasets } from '../load/dataset';
import { short } from '../report';
import { QUESTIONS, type Question, type Side } from './growth-questions';
import { withUnfoldedDeltas } from './unfolded-deltas';

const REPEATS = 9;
const WARM_UPS = 3;
const UNFOLDED = 50_000;
const MANY_TENANTS = 5;
const ALL = toSummaryFilter(parseParameters(SUMMARY_PARAMETERS, {}));
const UNDER_400_MB = { under: 400 } as const;

/** The time of the same question at N and at a tenth of N events, asked of the reader itself. */
export async function growth(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const small = await datasets.of(Math.max(1, Math.round(bench.options.growthRows / 10)));
  const large = await datasets.of(bench.options.growthRows);
  const databases = await Promise.all([open(small), open(large)]);
  try {
    const [a, b] = await Promise.all([sideOf(databases[0], small), sideOf(databases[1], large)]);
    const figures: Figure[] = [memoryOf(datasets)];
    for (const question of QUESTIONS) figures.push(await compare(bench, question, a, b));
    await withUnfoldedDeltas([small, large], UNFOLDED, async () => {
      const counted = QUESTIONS.filter(({ readsCounts }) => readsCounts);
      for (const question of counted) {
        const name = `${question.name}, ${short(UNFOLDED)} deltas not folded`;
        figures.push(await compare(bench, { ...question, name, target: null }, a, b));
      }
    });
    return figures;
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
}

/** Nothing in the service grows with the table: what it took while the events were loaded through it. */
function memoryOf({ loads }: Datasets): Figure {
  const peaks = loads.map(({ serviceMemoryPeakMb }) => serviceMemoryPeakMb ?? Number.NaN);
  const note = loads
    .map(({ rows, rowsPerSecond }) => `${short(rows)} events at ${short(rowsPerSecond)} rows/s`)
    .join('; ');
  return reported('growth', 'memory of the service while loading', 'MB', peaks, {
    target: UNDER_400_MB,
    note,
  });
}

async function compare(bench: Bench, question: Question, small: Side, large: Side): Promise<Figure> {
  const about = { bench: 'growth', name: question.name, unit: 'ms', target: question.target };
  try {
    const [asked, askedLarge] = [question.ask(small, large), question.ask(large, large)];
    const note = await askedLarge();
    for (let i = 0; i < WARM_UPS; i++) for (const ask of [asked, askedLarge]) await ask();
    const { at, before } = await alternate(bench.options.rounds, {
      before: () => medianMs(asked),
      at: () => medianMs(askedLarge),
    });
    const figure = compared({ ...about, note }, at, { name: 'at N/10', values: before });
    bench.say(
      `  ${question.name}: ${short(figure.measured?.median ?? 0)} ms, ${figure.ratio?.median.toFixed(2)} times`,
    );
    return figure;
  } catch (error) {
    bench.say(`  ${question.name}: ${error instanceof Error ? error.message : error}`);
    return failed(about, error);
  }
}

async function medianMs(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[REPEATS >> 1] ?? Number.NaN;
}

const open = ({ url }: Dataset): Promise<Database> => openDatabase(loadConfig({ DATABASE_URL: url }));

async function sideOf({ service }: Database, { tenantIds, rows }: Dataset): Promise<Side> {
  const reader = new PostgresAuditEventReader(service);
  const [busiest = 0] = tenantIds;
  const { totalCount } = await reader.summary(tenantSet([busiest]), ALL);
  return { reader, rows, busiest, many: tenantIds.slice(0, MANY_TENANTS), events: totalCount };
}
