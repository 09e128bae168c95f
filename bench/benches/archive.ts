import { loadConfig } from '../../src/config';
import { openDatabase } from '../../src/database/database';
import { FILTER_PARAMETERS, LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter, toAuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { Archive, openArchive } from '../../src/store/archive/archive';
import { ArchivedTenants } from '../../src/store/archive/archived-tenants';
import { FileCache } from '../../src/store/archive/file-cache';
import { openWorker } from '../../src/store/archive/open-worker';
import { sealWeek } from '../../src/store/archive/seal-week';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';
import { startOfWeek, weekOfMs } from '../../src/store/rows/partitions';
import { oneTenant, type TenantSet } from '../../src/tenant-set';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { END_MS, START_MS } from '../data/calendar';
import { WORDS } from '../data/statements';
import { tenantProfile } from '../data/tenants';
import { compared, type Figure, reported, type Target } from '../figure';
import type { Datasets } from '../load/dataset';
import { withClient } from '../processes/databases';
import { effortOf, familyMs } from '../processes/processor-time';

const REPEATS = 5;
const DAY_MS = 86_400_000;
const HOT_DAYS = 14;
/** The targets are for a tenant of so many events in 90 days. For a smaller one, the figures are only reported. */
const EVENTS_OF_TARGETS = 5_000_000;
const SEALED_BYTES_MAX = 60;
const SEALING_US_MAX = 25;
const TABLES = `('audit_event', 'audit_count', 'audit_segment', 'audit_word', 'audit_sealed_week', 'audit_sealed_piece')`;
/** Of all these tables, with their partitions and indexes. */
const SIZE = `
SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c
WHERE c.relkind = 'r' AND (c.relname IN ${TABLES} OR c.relname LIKE 'audit\\_event\\_%')`;

const profile = tenantProfile(0);
const LIST = { startTime: iso(START_MS), endTime: iso(END_MS), pageSize: '20' };
type Side = { reader: PostgresAuditEventReader; explorer: PostgresAuditEventExplorer; tenants: TenantSet };

const page = (given: object) => (side: Side) =>
  side.reader.page(
    side.tenants,
    toAuditEventQuery(parseParameters(LIST_PARAMETERS, { ...LIST, ...given } as Record<string, string>)),
  );
const filterOf = (filter: string) =>
  toAuditEventFilter(
    parseParameters(FILTER_PARAMETERS, { startTime: LIST.startTime, endTime: LIST.endTime, filter }),
  );

/** Questions over the 90 days; the target is a number of times and ms, of sealed weeks beside rows alone. */
const QUESTIONS: readonly (readonly [string, Target | null, (side: Side) => Promise<unknown>])[] = [
  ['newest page with total', { atMost: 1.5, msMax: 300 }, page({})],
  ['newest page of an application', { atMost: 1.5, msMax: 300 }, page({ filter: 'applicationName:SSMS*' })],
  ['newest page of a database', { atMost: 1.5, msMax: 300 }, page({ databaseName: profile.databases[3] })],
  ['page 1,000', null, page({ page: '1000' })],
  ['a word of many events', null, page({ search: 'WHERE' })],
  ['a rare word', null, page({ search: WORDS.rare })],
  ['a rare phrase', null, page({ search: `"N'${WORDS.rare}'"` })],
  [
    'histogram of an action',
    { atMost: 1.5, msMax: 300 },
    ({ explorer, tenants }) => explorer.histogram(tenants, filterOf('actionId:UP'), 60),
  ],
  [
    'three facets',
    null,
    ({ explorer, tenants }) =>
      explorer.facets(tenants, filterOf('NOT actionId:SL'), {
        fields: ['actionId', 'databaseName', 'serverPrincipalName'],
        limit: 10,
        contains: null,
      }),
  ],
];

/** Disk and answers of a database whose weeks are sealed but for the last two, beside one of rows alone. */
export async function archive(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const dataset = await datasets.of(bench.options.rows);
  const databases = await bench.databases();
  const url = await databases.create('archive', `rows_${dataset.rows}`);
  const rows = await openDatabase(loadConfig({ DATABASE_URL: dataset.url }));
  const sealed = await openDatabase(loadConfig({ DATABASE_URL: url }));
  const folder = bench.folder('archive');
  const key = CheckpointKey.ofPem(newCheckpointKeyPem());
  const worker = openWorker({ memoryMb: 192, threads: 1, folder });
  try {
    const { owner, service } = sealed;
    const tenants = new ArchivedTenants(owner, 0);
    const cache = new FileCache(`${folder}/files`, 2 ** 30);
    openArchive(new Archive(tenants, cache, worker), owner, service);
    const before = await sizeOf(url);
    const counted = { events: 0, seconds: 0, busy: 0 };
    // The reader of files is a child of this process. Connections that end meanwhile count twice; few do.
    const clocks = { own: () => familyMs(process.pid), postgres: () => familyMs(bench.postgresPid) };
    for (const tenantId of dataset.tenantIds) {
      await tenants.announce(tenantId);
      for (let week = weekOfMs(START_MS); startOfWeek(week + 1) <= END_MS - HOT_DAYS * DAY_MS; week++) {
        const { value: sealing, effort } = await effortOf(clocks, () =>
          sealWeek({ owner, key, writer: worker, cache, folder }, tenantId, week),
        );
        if (sealing.outcome === 'waits') throw new Error(sealing.because);
        if (sealing.outcome === 'sealed') counted.events += sealing.events;
        counted.seconds += effort.wall / 1000;
        counted.busy += (effort.own + effort.postgres) / 1000;
      }
    }
    const perRow = before / dataset.rows;
    const left = (await sizeOf(url)) - perRow * (dataset.rows - counted.events);
    const [tenantId = 0] = dataset.tenantIds;
    const sideOf = (door: typeof service): Side => ({
      reader: new PostgresAuditEventReader(door),
      explorer: new PostgresAuditEventExplorer(door),
      tenants: oneTenant(tenantId),
    });
    const [hot, across] = [sideOf(rows.service), sideOf(service)];
    const isWhole = dataset.rows / 4 >= EVENTS_OF_TARGETS;
    const figures = [
      reported('archive', 'disk of an event in rows', 'bytes/event', [perRow]),
      reported('archive', 'disk of a sealed event', 'bytes/event', [left / counted.events], {
        target: isWhole ? { medianAtMost: SEALED_BYTES_MAX } : null,
        note: `${counted.events} events; without the evidence log`,
      }),
      reported('archive', 'sealing', 'µs/event', [(counted.seconds * 1e6) / counted.events]),
      reported('archive', 'sealing, processor time', 'µs/event', [(counted.busy * 1e6) / counted.events], {
        target: isWhole ? { medianAtMost: SEALING_US_MAX } : null,
      }),
    ];
    for (const [name, target, ask] of QUESTIONS) {
      for (const side of [hot, across]) await ask(side);
      const times = await alternate(bench.options.rounds, {
        rows: () => medianMs(() => ask(hot)),
        sealed: () => medianMs(() => ask(across)),
        // Without the counts of whole files that are kept.
        first: () =>
          medianMs(() => {
            openArchive(new Archive(tenants, cache, worker), owner, service);
            return ask(across);
          }),
      });
      const about = { bench: 'archive', unit: 'ms', target: isWhole ? target : null };
      const against = { name: 'in rows', values: times.rows };
      figures.push(
        compared({ ...about, name: `${name}, asked first` }, times.first, against),
        compared({ ...about, name }, times.sealed, against),
      );
    }
    return figures;
  } finally {
    await worker.close();
    await Promise.all([rows, sealed].map((database) => database.close()));
    await databases.drop('archive');
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

const sizeOf = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    await client.query('VACUUM (FULL, ANALYZE)');
    const { rows } = await client.query(SIZE);
    return Number(rows[0].bytes);
  });

async function medianMs(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[REPEATS >> 1] ?? Number.NaN;
}
