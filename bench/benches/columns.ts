import { loadConfig } from '../../src/config';
import type { Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { FILTER_PARAMETERS, LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter, toAuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import type { FacetField } from '../../src/modules/explore/explorer';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { COLUMN_FIELDS, columnOf } from '../../src/store/columns/column-fields';
import { tenantSet } from '../../src/tenant-set';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { END_MS, START_MS } from '../data/calendar';
import { tenantProfile } from '../data/tenants';
import { compared, type Figure, reported, type Target } from '../figure';
import { type MadeColumns, madeColumns } from '../load/made-columns';
import { withClient } from '../processes/databases';
import { short } from '../report';

const REPEATS = 5;
/** The targets are for a tenant of so many events in 90 days. For a smaller one, the figures are only reported. */
const EVENTS_OF_TARGETS = 5_000_000;
const DISK_BYTES_MAX = 25;
const DAY_MS = 86_400_000;
const FRIDAY_MS = END_MS - 3 * DAY_MS + 55_210_123;

const { logins, loginFrequency, databases } = tenantProfile(0);
const login = logins[loginFrequency.at(0.4)]?.name ?? '';
const [busiest] = logins;

/** Of three fields each: few events, some, nearly all. */
const EXPRESSIONS = {
  few: `hostName:APP-0-1 AND databaseName:${databases[3]} AND NOT actionId:SL`,
  some: `databaseName:(${databases[1]} OR ${databases[2]}) AND NOT principalName:"${login}" AND actionId:(UP OR DL OR IN)`,
  most: `NOT principalName:"${busiest?.name}" AND NOT hostName:WKS* -clientIp:10.0.0.1`,
} as const;
const RANGES = {
  '90 days': { from: START_MS + 1_043_456, to: END_MS - 2_284_321, pageMs: 500, exploreMs: 900 },
  'a day': { from: FRIDAY_MS - DAY_MS, to: FRIDAY_MS, pageMs: 60, exploreMs: 150 },
} as const;
const FACETS: readonly FacetField[] = [
  ...([
    'actionId',
    'databaseName',
    'serverPrincipalName',
    'hostName',
    'clientIp',
    'applicationName',
  ] as const),
];

interface Side {
  readonly reader: PostgresAuditEventReader;
  readonly explorer: PostgresAuditEventExplorer;
  readonly tenants: ReturnType<typeof tenantSet>;
  readonly events: number;
}

/** The time of expressions at N events and at a tenth of N, asked of the reader and the explorer themselves. */
export async function columns(bench: Bench): Promise<Figure[]> {
  const small = await madeColumns(bench, Math.max(1, Math.round(bench.options.growthRows / 10)));
  const large = await madeColumns(bench, bench.options.growthRows);
  const opened = await Promise.all([open(small), open(large)]);
  try {
    const [a, b] = [sideOf(opened[0], small), sideOf(opened[1], large)];
    const figures = [await diskOf(large, b)];
    for (const [span, range] of Object.entries(RANGES))
      for (const [name, filter] of Object.entries(EXPRESSIONS)) {
        const given = { filter, startTime: iso(range.from), endTime: iso(range.to) };
        const about = { name: `${name} events, ${span}`, isWhole: b.events >= EVENTS_OF_TARGETS };
        figures.push(
          await compare(bench, a, b, { ...about, what: 'page', msMax: range.pageMs }, (s) => page(s, given)),
        );
        figures.push(
          await compare(
            bench,
            a,
            b,
            { ...about, what: 'histogram and 6 facets', msMax: range.exploreMs },
            (s) => explore(s, given),
          ),
        );
      }
    return figures;
  } finally {
    await Promise.all(opened.map((database) => database.close()));
  }
}

const iso = (ms: number) => new Date(ms).toISOString();
const open = ({ url }: MadeColumns): Promise<Database> => openDatabase(loadConfig({ DATABASE_URL: url }));

function sideOf({ service }: Database, { tenantId, events }: MadeColumns): Side {
  const tenants = tenantSet([tenantId]);
  const reader = new PostgresAuditEventReader(service);
  const explorer = new PostgresAuditEventExplorer(service);
  return { reader, explorer, tenants, events };
}

type Given = Readonly<Record<string, string>>;

async function page({ reader, tenants }: Side, given: Given): Promise<number> {
  return (await reader.page(tenants, toAuditEventQuery(parseParameters(LIST_PARAMETERS, given)))).totalCount;
}

async function explore({ explorer, tenants }: Side, given: Given): Promise<number> {
  const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, given));
  const [, facets] = await Promise.all([
    explorer.histogram(tenants, filter, 60),
    explorer.facets(tenants, filter, { fields: FACETS, limit: 10, contains: null }),
  ]);
  return facets.totalCount;
}

async function compare(
  bench: Bench,
  small: Side,
  large: Side,
  { name, what, msMax, isWhole }: { name: string; what: string; msMax: number; isWhole: boolean },
  ask: (side: Side) => Promise<number>,
): Promise<Figure> {
  const total = await ask(large);
  await ask(small);
  const { at, before } = await alternate(bench.options.rounds, {
    before: () => medianMs(() => ask(small)),
    at: () => medianMs(() => ask(large)),
  });
  const target: Target | null = isWhole ? { medianAtMost: msMax } : null;
  const note = `${total.toLocaleString('en')} of ${large.events.toLocaleString('en')} events; ${EVENTS_OF_TARGETS / 1e6}M: ${msMax} ms`;
  const about = { bench: 'columns', name: `${what}: ${name}`, unit: 'ms', target, note };
  const figure = compared(about, at, { name: 'at N/10', values: before });
  bench.say(
    `  ${about.name}: ${short(figure.measured?.median ?? 0)} ms, ${figure.ratio?.median.toFixed(2)} times`,
  );
  return figure;
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

/** What the columns of the busiest tenant take, their rows' share of names of values included. */
async function diskOf({ url }: MadeColumns, { tenants, events }: Side): Promise<Figure> {
  const sizes = ['times', ...COLUMN_FIELDS.map(columnOf)].map(
    (column) => `coalesce(pg_column_size(${column}), 0)`,
  );
  const bytes = await withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT (SELECT sum(${sizes.join(' + ')}) FROM audit_segment WHERE tenant_id = $1)::float8
         + (SELECT coalesce(sum(pg_column_size(m.*)), 0) FROM audit_dim m WHERE tenant_id = $1 AND kind > 4)::float8 AS bytes`,
      [tenants[0]],
    );
    return Number(rows[0]?.bytes);
  });
  const target = { medianAtMost: DISK_BYTES_MAX };
  return reported('columns', 'disk of the columns', 'bytes/event', [bytes / events], { target });
}
