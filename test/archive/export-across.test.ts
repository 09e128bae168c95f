import type { LiftedName } from '../../src/event/fields';
import { liftedValue } from '../../src/event/lifted';
import { toSummaryFilter } from '../../src/event/query';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import type { ExportPage, IdSpan } from '../../src/modules/export/export-source';
import { tenantSet } from '../../src/tenant-set';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';
import { useLimits } from '../support/use-limits';
import { ArchiveTrial } from './archive-trial';

const WEEKS = ['2026-02-02', '2026-02-09', '2026-02-16'] as const;
const ALL = {
  after: '00000000-0000-0000-0000-000000000000',
  upTo: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};
const FILTER = toSummaryFilter({ filter: undefined, startTime: undefined, endTime: undefined });
const LARGE = { events: 1_000, bytes: 1_000_000, read: 1_000 };

describe('pages of an export over rows and files', () => {
  useLimits({ archiveAnnounceMs: 0 });
  let store: Store;
  let trial: ArchiveTrial;
  let tenants: readonly [number, number];
  /** The record ids of each week, of both tenants, in order. */
  let weeks: readonly (readonly string[])[];

  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
    trial = await ArchiveTrial.open(store);
    const [a, b] = [await store.forNewTenant(), await store.forNewTenant()];
    tenants = [a.tenantId, b.tenantId];
    const found = WEEKS.map((): string[] => []);
    for (const [offset, own] of [a, b].entries())
      for (const [week, monday] of WEEKS.entries()) {
        // The first tenant has events in pairs, so that the events of the two are not always one after the other.
        const minutes = [0, 1, 4, 5, 8, 9].map((minute) =>
          offset === 0 ? minute : minute + 2 - (minute % 3),
        );
        const events = own.checked(
          minutes.map((minute, i) => ({
            eventTime: `${monday}T08:${String(minute).padStart(2, '0')}:0${offset + i}.0000000Z`,
            statement: 'SELECT 1 -- as long as the others',
            // Every way to state a value that a lifted field has, or has not.
            actionId: i % 2 === 0 ? 'APRL' : 'SL',
            additional: {
              responseRows: [i, String(i), `${i}.5`, null, 1e300, '9223372036854775807'][i] ?? null,
              ...(i % 3 === 0 && { targetServerPrincipalName: '管理员' }),
              ...(i % 4 === 0 && { targetDatabasePrincipalName: '\0 and half a pair \ud800' }),
              note: 'not lifted',
            },
          })),
        );
        await own.insert(events);
        found[week]?.push(...events.map(({ recordId }) => recordId));
      }
    weeks = found.map((ids) => ids.sort());
    await trial.settle();
    // The first tenant has its first week in rows, and both have the last one there.
    for (const [tenantId, week] of [
      [tenants[0], WEEKS[1]],
      [tenants[1], WEEKS[0]],
      [tenants[1], WEEKS[1]],
    ] as const)
      expect(await trial.seal(`${week}T00:00:00Z`, tenantId)).toMatchObject({ outcome: 'sealed' });
  });
  afterAll(async () => {
    await trial.close();
    await store.close();
  });

  /** The record ids of all pages. */
  async function pagesOf(limits: typeof LARGE, of: readonly number[] = tenants, filter = FILTER) {
    const source = new PostgresExportSource(store.database.service, limits);
    const pages: string[][] = [];
    for (let after: string | null = ALL.after; after !== null; ) {
      const page: Awaited<ReturnType<typeof source.page>> = await source.page(
        tenantSet(of as [number]),
        filter,
        { after, upTo: ALL.upTo },
      );
      pages.push(page.events.map(({ recordId }) => recordId));
      expect(pages.length).toBeLessThan(100);
      after = page.after;
    }
    return pages;
  }

  it.each([1, 2, 3, 4, 5, 7, 11, 12, 13, 35, 36])(
    'have each event once and in order, at most %d of them',
    async (events) => {
      const pages = await pagesOf({ ...LARGE, events });
      expect(pages.flat()).toEqual(weeks.flat());
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(events);
    },
  );

  it.each([1, 2, 3, 5])(
    'of a filter that must be read have each event once, %d rows read at most',
    async (read) => {
      const filter = toSummaryFilter({
        filter: 'actionId:APRL OR statement:others',
        startTime: undefined,
        endTime: undefined,
      });
      const pages = await pagesOf({ ...LARGE, events: 3, read }, tenants, filter);
      expect(pages.flat()).toEqual(weeks.flat());
      const rare = toSummaryFilter({
        filter: 'responseRows:1 OR statement:nothing',
        startTime: undefined,
        endTime: undefined,
      });
      const found = (await pagesOf({ ...LARGE, read }, tenants, rare)).flat();
      expect(found).toEqual((await pagesOf(LARGE, tenants, rare)).flat());
      expect(found.length).toBeGreaterThan(3);
    },
  );

  it('end with the first week that lies in a file, of whichever tenant', async () => {
    expect(await pagesOf(LARGE)).toEqual(weeks);
  });

  it.each<[readonly LiftedName[], string[]]>([
    [[], []],
    [['responseRows'], ['responseRows']],
    [
      ['roleMember', 'responseRows', 'targetServerPrincipalName'],
      ['responseRows', 'targetDatabasePrincipalName', 'targetServerPrincipalName'],
    ],
  ])(
    'have the lifted fields %j as events that were read whole, and read nothing else of rows',
    async (lifted, keys) => {
      const source = new PostgresExportSource(store.database.service, LARGE);
      const read = new Set<string>();
      let count = 0;
      for (let after: string | null = ALL.after; after !== null; ) {
        const span: IdSpan = { after, upTo: ALL.upTo };
        const [whole, part]: ExportPage[] = [
          await source.page(tenantSet([...tenants]), FILTER, span),
          await source.page(tenantSet([...tenants]), FILTER, span, lifted),
        ];
        const shown = (page: ExportPage | undefined) =>
          page?.events.map(({ additional, ...event }) => [
            event,
            lifted.map((name) => liftedValue(name, { ...event, additional })),
          ]);
        expect(shown(part)).toEqual(shown(whole));
        expect(part?.after).toBe(whole?.after);
        for (const { additional } of part?.events ?? [])
          if (!('note' in additional)) for (const key of Object.keys(additional)) read.add(key);
        count += part?.events.filter(({ additional }) => !('note' in additional)).length ?? 0;
        after = whole?.after ?? null;
      }
      expect([...read].sort()).toEqual(keys);
      // The others lie in files.
      expect(count).toBe(18);
    },
  );

  it('are bounded in bytes: behind these there is one event more at most', async () => {
    expect(await pagesOf({ ...LARGE, bytes: 0 })).toEqual(
      expect.arrayContaining(weeks.flat().map((recordId) => [recordId])),
    );
    const pages = await pagesOf({ ...LARGE, bytes: 100 });
    expect(pages.flat()).toEqual(weeks.flat());
    for (const page of pages) expect(page.length).toBeLessThan(6);
  });
});
