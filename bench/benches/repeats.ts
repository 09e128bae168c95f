import { loadConfig } from '../../src/config';
import type { Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { FILTER_PARAMETERS, LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter, toAuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import { tenantSet } from '../../src/tenant-set';
import type { Bench } from '../context';
import { END_MS, START_MS } from '../data/calendar';
import { WORDS } from '../data/statements';
import { tenantProfile } from '../data/tenants';
import { compared, type Figure, spreadOf } from '../figure';
import type { Dataset, Datasets } from '../load/dataset';
import { short } from '../report';

/** PostgreSQL may choose another plan from the sixth use of a prepared statement on. */
const TIMES = 20;
const PLANNED_ANEW = 5;
const SETTLED = 10;
const TARGET = { atMost: 1.5 } as const;

const DAY_MS = 86_400_000;
const FRIDAY_MS = END_MS - 3 * DAY_MS + 55_210_123;
const iso = (ms: number) => new Date(ms).toISOString();
const SPANS: Readonly<Record<string, object>> = {
  'all times': {},
  '90 days': { startTime: iso(START_MS + 1_043_456), endTime: iso(END_MS - 2_284_321) },
  'a week': { startTime: iso(FRIDAY_MS - 7 * DAY_MS), endTime: iso(FRIDAY_MS) },
  'an hour': { startTime: iso(FRIDAY_MS - DAY_MS / 24), endTime: iso(FRIDAY_MS) },
};
const { databases, logins, loginFrequency } = tenantProfile(0);
const databaseName = databases[2] ?? '';
const principalName = logins[loginFrequency.at(0.4)]?.name ?? '';
const FILTERS: Readonly<Record<string, object>> = {
  'no filter': {},
  database: { databaseName },
  'action and database': { actionId: 'UP', databaseName },
  principal: { principalName },
  failures: { succeeded: 'false' },
  'a common word': { search: WORDS.common },
  'some word': { search: WORDS.some },
  'a rare word': { search: WORDS.rare },
  'a word in a database': { search: WORDS.some, databaseName },
  expression: { filter: `hostName:APP-0-1 AND databaseName:${databases[3]} AND NOT actionId:SL` },
};
const FACETS = ['actionId', 'databaseName', 'serverPrincipalName', 'succeeded'] as const;

/** The time of the same question, asked twenty times on a connection: the first times and the last. */
export async function repeats(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const dataset = await datasets.of(bench.options.rows);
  const tenants = tenantSet([dataset.tenantIds[0] ?? 0]);
  const figures: Figure[] = [];
  for (const [filterName, filter] of Object.entries(FILTERS))
    for (const [spanName, span] of Object.entries(SPANS)) {
      const given = { ...filter, ...span };
      for (const [what, questionOf] of Object.entries(QUESTIONS)) {
        const name = `${what}, ${filterName}, ${spanName}`;
        const rounds: number[][] = [];
        for (let round = 0; round < bench.options.rounds; round++)
          rounds.push(await onNewConnection(dataset, (database) => questionOf(database, tenants, given)));
        figures.push(figureOf(name, rounds));
        const { measured, against } = figures.at(-1) as Figure;
        bench.say(
          `  ${name}: ${short(against?.spread.median ?? 0)}, then ${short(measured?.median ?? 0)} ms`,
        );
      }
    }
  return figures;
}

type Ask = () => Promise<unknown>;

const QUESTIONS: Readonly<
  Record<string, (database: Database, tenants: ReturnType<typeof tenantSet>, given: object) => Ask>
> = {
  'page 1': ({ service }, tenants, given) => {
    const reader = new PostgresAuditEventReader(service);
    const query = toAuditEventQuery(parseParameters(LIST_PARAMETERS, { ...given }));
    return () => reader.page(tenants, query);
  },
  'histogram and facets': ({ service }, tenants, given) => {
    const explorer = new PostgresAuditEventExplorer(service);
    const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, { ...given }));
    return async () => {
      await explorer.histogram(tenants, filter, 60);
      await explorer.facets(tenants, filter, { fields: FACETS, limit: 10, contains: null });
    };
  },
  'first page of an export': ({ service }, tenants, given) => {
    const source = new PostgresExportSource(service);
    const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, { ...given }));
    return async () => {
      const { spans } = await source.plan(tenants, filter);
      if (spans[0]) await source.page(tenants, filter, spans[0]);
    };
  },
};

/** @returns milliseconds of each time. One question after the other uses the same connection. */
async function onNewConnection({ url }: Dataset, make: (database: Database) => Ask): Promise<number[]> {
  const database = await openDatabase(loadConfig({ DATABASE_URL: url }));
  try {
    const ask = make(database);
    const times: number[] = [];
    for (let i = 0; i < TIMES; i++) {
      const started = performance.now();
      await ask();
      times.push(performance.now() - started);
    }
    return times;
  } finally {
    await database.close();
  }
}

function figureOf(name: string, rounds: readonly (readonly number[])[]): Figure {
  const median = (times: readonly number[]) => spreadOf(times).median;
  return compared(
    { bench: 'repeats', name, unit: 'ms', target: TARGET, note: `times ${SETTLED + 1} to ${TIMES}` },
    rounds.map((times) => median(times.slice(SETTLED))),
    // The first time also opens the connection.
    {
      name: `times 2 to ${PLANNED_ANEW}`,
      values: rounds.map((times) => median(times.slice(1, PLANNED_ANEW))),
    },
  );
}
