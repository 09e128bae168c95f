import fc from 'fast-check';
import { LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { storedTwiceMs } from '../../src/store/rows/stored-twice';
import { tenantSet } from '../../src/tenant-set';
import { batchesOf, questions, sentEvents, toQuery } from '../support/arbitraries';
import { ENGINES } from '../support/engines';
import { Store, writerOn } from '../support/store';

const RUNS = 30;
const DAY_MS = 86_400_000;
const questionsOfEvents = fc.array(questions, { minLength: 5, maxLength: 10 });
const stories = sentEvents.chain((sent) => fc.record({ batches: batchesOf(sent), asked: questionsOfEvents }));

describe.each(ENGINES)('texts of events on %s', (engine) => {
  let base: Store;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  afterAll(() => base.close());

  /** What a question finds of a tenant, in an order that does not depend on record ids, which differ between tenants. */
  const found = async ({ tenantId }: Store, given: Readonly<Record<string, string>>) => {
    const reader = new PostgresAuditEventReader(base.database.service);
    const query = toAuditEventQuery(
      parseParameters(LIST_PARAMETERS, { ...given, page: '1', pageSize: '100' }),
    );
    const { items, totalCount } = await reader.page(tenantSet([tenantId]), query);
    return { given, totalCount, items: items.map(({ clientIp }) => clientIp).sort() };
  };
  const textsOf = async ({ tenantId }: Store) =>
    (
      await base.query<{ text: string }>(
        'SELECT search_text AS text FROM audit_event WHERE tenant_id = $1 ORDER BY record_id',
        tenantId,
      )
    ).map(({ text }) => text);

  it('are stored once where all of them are ASCII, and searchable beside them otherwise', async () => {
    const statements = ['SELECT 1', 'SELECT \u007f', 'SELECT \0', 'SELECT ß', 'SELECT\r\n\t"\\"'];
    const [once, twice] = [await base.forNewTenant(), await base.forNewTenant()];
    const events = statements.map((statement, i) => ({ statement, blockOffset: 512 * (i + 1) }));
    await once.insert(once.checked(events));
    await writerOn(base.database, base.partitions, () => true).insert(twice.tenantId, twice.checked(events));
    const isStored = (texts: readonly string[]) => texts.filter((text) => text !== '').length;
    expect([isStored(await textsOf(once)), isStored(await textsOf(twice))]).toEqual([3, 5]);
    const counts = async (search: string) => [
      (await found(once, { search })).totalCount,
      (await found(twice, { search })).totalCount,
    ];
    expect(await counts('"\u007f"')).toEqual([1, 1]);
    expect(await counts('"SELECT \u007f"')).toEqual([1, 1]);
    expect(await counts('select')).toEqual([5, 5]);
    expect(await counts('"t 1"')).toEqual([1, 1]);
    expect(await counts('elect')).toEqual([0, 0]);
    expect(await counts('sele*')).toEqual([5, 5]);
    expect(await counts('ele*')).toEqual([0, 0]);
    // The texts of an event are folded once for all terms.
    expect(await counts('select 1')).toEqual([1, 1]);
    expect(await counts('select ß')).toEqual([1, 1]);
    expect(await counts('sel* "elect"')).toEqual([5, 5]);
    expect(await counts('sel* ele*')).toEqual([0, 0]);
    const matching = async (filter: string) => [
      (await found(once, { filter })).totalCount,
      (await found(twice, { filter })).totalCount,
    ];
    expect(await matching('1 OR ß')).toEqual([2, 2]);
    expect(await matching('ß OR ele*')).toEqual([1, 1]);
    expect(await matching('ele* OR 1')).toEqual([1, 1]);
    expect(await matching('select AND "t 1"')).toEqual([1, 1]);
    expect(await matching('select AND NOT (1 OR ß)')).toEqual([3, 3]);
    expect(await matching('NOT (select AND ß) AND sel*')).toEqual([4, 4]);
  });

  it('answer alike, whether they are stored once or twice', async () => {
    await fc.assert(
      fc.asyncProperty(stories, async ({ batches, asked }) => {
        const [once, twice] = [await base.forNewTenant(), await base.forNewTenant()];
        const writers = [
          [once, writerOn(base.database, base.partitions)],
          [twice, writerOn(base.database, base.partitions, () => true)],
        ] as const;
        for (const [store, writer] of writers)
          for (const batch of batches)
            await writer.insert(store.tenantId, store.checked(batch.map(({ event }) => event)));
        for (const question of asked) {
          const given = toQuery(question);
          expect(await found(once, given)).toEqual(await found(twice, given));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('are stored twice for seven days after a database of an earlier release was migrated', async () => {
    const own = await Store.open(engine);
    try {
      expect(await storedTwiceMs(own.database.migrator)).toBeLessThanOrEqual(0);
      const movedBack = (name: string, days: number) =>
        own.query(
          `UPDATE _prisma_migrations SET finished_at = finished_at - $1::int * interval '1 day' WHERE ${name}`,
          days,
        );
      await movedBack(`migration_name LIKE '0001%'`, 3);
      const afterOne = await storedTwiceMs(own.database.migrator);
      expect(afterOne).toBeGreaterThan(7 * DAY_MS - 3_600_000);
      expect(afterOne).toBeLessThanOrEqual(7 * DAY_MS);
      // A later migration does not begin the seven days again.
      await movedBack(`migration_name <= '0074_texts_once'`, 8);
      await own.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
         VALUES ('later', '', '9999_later', now(), now(), 1)`,
      );
      expect(await storedTwiceMs(own.database.migrator)).toBeLessThanOrEqual(0);
    } finally {
      await own.close();
    }
  });
});
