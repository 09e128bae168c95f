import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { COLUMN_OF, FIELD_NAMES } from '../../src/event/fields';
import { FolderPlace } from '../../src/modules/archive/places/folder-place';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import { FILE_COLUMNS, LAYOUT_VERSION } from '../../src/store/archive/layout';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';
import { fromStored } from '../../src/store/rows/stored-text';
import { oneTenant } from '../../src/tenant-set';
import { blocksOf, namesIn, readDocument, tableOf } from '../support/documents';
import { describeOnPostgres } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const DOCUMENT = 'docs/archive.md';
const PLACE = '/mnt/archive/tenant-7/*.parquet';
const TEXTS = [
  'SELECT salary',
  '',
  'it\'s\n"quoted" \\ \u{1F600}',
  'half \uD83D',
  'nul \0',
  '\uFEFFmark',
  '\u{10F800}',
];

describeOnPostgres('files of sealed weeks, read without the service', () => {
  let store: Store;
  let trial: ArchiveTrial;
  let folder: string;
  let exported: StoredAuditEvent[];
  const query = async (sql: string) => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      return (await connection.runAndReadAll(sql)).getRowObjectsJson();
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  };
  const files = () => path.join(folder, `tenant-${store.tenantId}/*.parquet`);

  beforeAll(async () => {
    store = await Store.open('postgresql');
    folder = await mkdtemp(path.join(tmpdir(), 'outside-'));
    trial = await ArchiveTrial.open(store, new FolderPlace(folder));
    await store.insert(
      store.checked(
        TEXTS.flatMap((statement, i) =>
          ['06', '14'].map((day) => ({
            ...{ statement, eventTime: `2026-01-${day}T08:00:0${i}.123456${i}Z`, succeeded: i % 2 === 0 },
            actionId: i % 2 === 0 ? 'SL' : 'LGIF',
            additional: {
              sessionId: i,
              responseRows: i === 3 ? 9_007_199_254_740_993n.toString() : i,
              objects: `${statement}!`,
            },
          })),
        ),
      ),
    );
    await trial.settle();
    const source = new PostgresExportSource(store.database.service);
    const read = async () => {
      const found: StoredAuditEvent[] = [];
      for (const span of (await source.plan(oneTenant(store.tenantId), NO_FILTER)).spans)
        for (let after: string | null = span.after; after !== null; ) {
          const page = await source.page(oneTenant(store.tenantId), NO_FILTER, { ...span, after });
          found.push(...page.events);
          after = page.after;
        }
      return found;
    };
    exported = await read();
    for (const day of ['06', '14'])
      expect((await trial.seal(`2026-01-${day}T00:00:00Z`)).outcome).toBe('sealed');
    expect(await read()).toEqual(exported);
  });
  afterAll(async () => {
    await trial.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('have every event of the export, with the same values', async () => {
    expect(exported).toHaveLength(2 * TEXTS.length);
    const columns = FIELD_NAMES.map((name) =>
      name === 'eventTime' ? `strftime(event_time, '%Y-%m-%dT%H:%M:%S.%f') AS event_time` : COLUMN_OF[name],
    );
    const rows = await query(
      `SELECT ${columns.join(', ')}, additional FROM read_parquet('${files()}') ORDER BY record_id`,
    );
    const read = rows.map((row) =>
      Object.fromEntries(
        FIELD_NAMES.map((name) => {
          const value = row[COLUMN_OF[name]];
          return [name, typeof value === 'string' ? fromStored(value) : value];
        }),
      ),
    );
    const wanted = exported.map((event) =>
      Object.fromEntries(
        FIELD_NAMES.map((name) => {
          const value: unknown = event[name] ?? '';
          // The file has microseconds.
          return [
            name,
            name === 'eventTime' ? String(value).slice(0, 26) : name === 'tenantId' ? Number(value) : value,
          ];
        }),
      ),
    );
    expect(read).toEqual(wanted);
    expect(
      rows.map(({ additional }) =>
        JSON.parse(String(additional), (_, value) => (typeof value === 'string' ? fromStored(value) : value)),
      ),
    ).toEqual(exported.map(({ additional }) => additional));
  });

  it('have the lifted fields as numbers and texts, and the positions of the evidence log', async () => {
    const rows = await query(
      `SELECT session_id, response_rows, class_type, position, received_at IS NULL AS lacks FROM read_parquet('${files()}')
       ORDER BY record_id LIMIT 4`,
    );
    expect(rows.map(({ session_id }) => session_id)).toEqual(['0', '1', '2', '3']);
    expect(rows.map(({ response_rows }) => response_rows)).toEqual(['0', '1', '2', '9007199254740993']);
    expect(rows.every(({ lacks, class_type }) => lacks === false && class_type === '')).toBe(true);
    expect(new Set(rows.map(({ position }) => position)).size).toBe(4);
  });

  it('have the columns and types of the documented layout, in its version', async () => {
    const described = await query(`DESCRIBE SELECT * FROM read_parquet('${files()}')`);
    const documented = tableOf(DOCUMENT, 'Column').map(([name, type]) => [
      namesIn(name)[0],
      namesIn(type)[0],
    ]);
    expect(described.map(({ column_name, column_type }) => [column_name, column_type])).toEqual(documented);
    expect(FILE_COLUMNS.map(({ name, type }) => [name, type])).toEqual(documented);
    expect(readDocument(DOCUMENT)).toContain(`\nVersion ${LAYOUT_VERSION}. `);
  });

  it('answer the questions of the document', async () => {
    const [failures = '', words = ''] = blocksOf(DOCUMENT, 'sql').map((sql) => {
      expect(sql).toContain(PLACE);
      return sql.replaceAll(PLACE, files());
    });
    expect(await query(failures)).toEqual([
      expect.objectContaining({ server_principal_name: 'CORP\\alice', failures: '6' }),
    ]);
    expect((await query(words)).map(({ session }) => session)).toEqual(['0', '0']);
  });
});
