import fc from 'fast-check';
import { type Database, type OwnerDoor, Prisma, type Step, stepIn } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { migrate } from '../../src/database/migrate';
import { formatTicks, parseTicks } from '../../src/event/event-time';
import { SORTS, type SortField } from '../../src/event/parameters';
import type { AuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { Indexer } from '../../src/modules/search/indexer';
import { type CheckedEvent } from '../../src/store/bytes/checked-event';
import { Folder } from '../../src/store/counts/fold';
import { whereInRange, whereOf } from '../../src/store/rows/event-rows';
import { Partitions } from '../../src/store/rows/partitions';
import { tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { fakeService } from '../support/doors';
import { createTestDatabase, describeOnPostgres, type TestDatabase } from '../support/engines';
import { anEvent } from '../support/events';
import { NO_FILTER } from '../support/filters';
import { Inserter } from '../support/inserter';
import { newTenant } from '../support/scenario';

/** Asks without a transaction of its own, so that it also works inside one. */
const doorOf = (tx: Pick<Prisma.TransactionClient, '$queryRaw' | '$queryRawUnsafe'>) =>
  fakeService({
    ask: (statement: Prisma.Sql) => tx.$queryRaw(statement),
    snapshot: <T>(_tenants: unknown, work: (step: Step) => Promise<T>) => work(stepIn(tx)),
  });

const START = parseTicks('2026-01-04T20:00:00Z') ?? 0n;
const WRITERS = 3;
const BATCHES_AHEAD = 10;
const COMPARISONS = 80;
const READERS = 2;

/** Samples by a seed, so that a failure can be repeated. */
const sample = <T>(arbitrary: fc.Arbitrary<T>, count: number, seed: number) =>
  fc.sample(arbitrary, { numRuns: count, seed });

const event = fc.record({
  ticks: fc.integer({ min: 0, max: 60 * 3600 }).map((s) => START + BigInt(s) * 10_000_000n),
  actionId: fc.constantFrom('SL', 'UP'),
  databaseName: fc.constantFrom('a', 'b', null),
  serverPrincipalName: fc.constantFrom('x', 'y'),
  serverInstanceName: fc.constantFrom('SQL1', 'SQL2'),
  succeeded: fc.boolean(),
  statement: fc.constantFrom('select one', 'select two', 'drop three', null),
});
const ticks = fc.integer({ min: -3600, max: 61 * 3600 }).map((s) => START + BigInt(s) * 10_000_000n);
const query: fc.Arbitrary<AuditEventQuery> = fc.record({
  filter: fc
    .record({
      from: fc.option(ticks),
      to: fc.option(ticks),
      actionId: fc.option(fc.constantFrom('SL', 'UP')),
      databaseName: fc.option(fc.constantFrom('a', 'b')),
      principalName: fc.option(fc.constantFrom('x', 'y')),
      serverInstanceName: fc.constantFrom(null, null, null, 'SQL1'),
      succeeded: fc.option(fc.boolean(), { freq: 2 }),
      search: fc.constantFrom(
        [],
        [],
        [{ kind: 'word' as const, text: 'select' }],
        [{ kind: 'word' as const, text: 'three' }],
      ),
    })
    .map((some) => ({ ...NO_FILTER, ...some })),
  sort: fc.constantFrom(...(Object.values(SORTS) as SortField[])),
  descending: fc.boolean(),
  page: fc.integer({ min: 1, max: 20 }),
  pageSize: fc.constantFrom(5, 50),
});

describeOnPostgres('while several instances write, fold and index at once', () => {
  let place: TestDatabase;
  let instances: Database[];
  beforeAll(async () => {
    place = await createTestDatabase('postgresql');
    instances = await Promise.all(Array.from({ length: WRITERS }, () => openDatabase(place)));
    await migrate(first(instances).migrator);
  });
  afterAll(async () => {
    await Promise.all(instances.map((db) => db.close()));
    await place.drop();
  });

  it('every page, total and summary equals a count of the events in the same snapshot', async () => {
    const { migrator: owner } = first(instances);
    const tenants = [await newTenant(first(instances)), await newTenant(first(instances))];
    let writing = true;
    let compared = 0;
    const progress = () => (writing ? compared : Number.POSITIVE_INFINITY);
    /** A failure of one task ends the others, which would otherwise wait for it. */
    const untilOver = (work: Promise<unknown>) =>
      work.catch((error) => {
        writing = false;
        throw error;
      });
    const background = instances.flatMap((db) => [
      until(
        () => !writing,
        () => new Folder(db.migrator).run(),
      ),
      until(
        () => !writing,
        () => new Indexer(db.owner, AT_ONCE).run(),
      ),
    ]);
    const readers = Array.from({ length: READERS }, async (_, r) => {
      const queries = sample(query, 400, 7 + r);
      for (let i = 0; writing; i++) {
        const q = queries[i % queries.length];
        if (q) await compare(owner, i % 3 === 0 ? tenants : [tenants[i % 2] ?? 0], q);
        compared += 1;
      }
    });
    const stored = Promise.all(instances.map((db, i) => write(db, tenants, i, progress))).finally(() => {
      writing = false;
    });
    const outcomes = await Promise.allSettled([stored, ...background, ...readers].map(untilOver));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);

    const ids = new Set((await stored).flat());
    const { totalCount } = await new PostgresAuditEventReader(doorOf(owner.models)).summary(
      tenantSet(tenants),
      NO_FILTER,
    );
    expect(totalCount).toBe(ids.size);
    expect(compared).toBeGreaterThanOrEqual(COMPARISONS);
  });
});

/** Stores batches that overlap with those of the other writers. @returns their record ids */
async function write(
  db: Database,
  tenants: readonly number[],
  writer: number,
  compared: () => number,
): Promise<string[]> {
  const store = new Inserter(db.service, new Partitions(db.migrator), TEST_CHECKPOINT_KEY);
  const ids: string[] = [];
  for (let b = 0; compared() < COMPARISONS; b++) {
    // Writers wait for the comparisons, which would otherwise soon have too much to count.
    while (b > BATCHES_AHEAD + compared() / 2) await new Promise(setImmediate);
    const tenantId = tenants[b % 2] ?? 0;
    // Two of three writers send the same batch. Late and early events alternate.
    const events = sample(event, 60, b * 10 + (writer % 2)).map((e, i) =>
      checked(tenantId, e, `${b}`, writer % 2, i),
    );
    await store.insert(tenantId, events);
    ids.push(...events.map((e) => e.recordId));
  }
  return ids;
}

function checked(
  tenantId: number,
  e: { ticks: bigint } & object,
  batch: string,
  kind: number,
  index: number,
): CheckedEvent {
  const { ticks: at, ...rest } = e;
  const fileGuid = `00000000-0000-4000-8000-${batch.padStart(11, '0')}${kind}`;
  const given = anEvent({ ...rest, eventTime: formatTicks(at), fileGuid, blockOffset: 512, index });
  const result = checkEvent(tenantId, given, Date.now());
  if ('rejection' in result) throw new Error(result.rejection.message);
  return result.event;
}

/** Compares the service's answer with a brute-force answer in one snapshot. */
async function compare(owner: OwnerDoor, tenants: readonly number[], q: AuditEventQuery): Promise<void> {
  await owner.models.$transaction(
    async (tx) => {
      const reader = new PostgresAuditEventReader(doorOf(tx));
      const page = await reader.page(tenantSet(tenants), q);
      const scope = Prisma.sql`e.tenant_id = ANY(${[...tenants]}::int[])`;
      const order = Prisma.raw(orderOf(q));
      const rows = await tx.$queryRaw<{ record_id: string }[]>`
        SELECT e.record_id FROM audit_event e WHERE ${scope} AND ${whereOf(q.filter)} ORDER BY ${order}`;
      const expected = rows.map((row) => row.record_id);
      expect(page.totalCount).toBe(expected.length);
      const offset = (q.page - 1) * q.pageSize;
      expect(page.items.map((i) => i.recordId)).toEqual(expected.slice(offset, offset + q.pageSize));

      const summary = await reader.summary(tenantSet(tenants), {
        ...NO_FILTER,
        from: q.filter.from,
        to: q.filter.to,
      });
      const [counts] = await tx.$queryRaw<object[]>`
        SELECT count(*)::int AS "totalCount", (count(*) FILTER (WHERE e.succeeded))::int AS "successfulCount",
          (count(*) FILTER (WHERE NOT e.succeeded))::int AS "failedCount",
          count(DISTINCT nullif(e.database_name, ''))::int AS "distinctDatabases",
          count(DISTINCT nullif(e.server_principal_name, ''))::int AS "distinctPrincipals"
        FROM audit_event e WHERE ${scope} AND ${whereInRange(q.filter)}`;
      expect(summary).toMatchObject(counts ?? {});
    },
    { isolationLevel: 'RepeatableRead', timeout: 120_000 },
  );
}

function orderOf({ sort, descending }: AuditEventQuery): string {
  const direction = descending ? 'DESC' : 'ASC';
  const column = {
    recordId: '',
    actionId: 'action_id',
    databaseName: 'database_name',
    succeeded: 'succeeded',
    serverPrincipalName: 'server_principal_name',
  }[sort];
  return `${column ? `e.${column} ${direction}, ` : ''}e.record_id ${direction}`;
}

async function until(done: () => boolean, run: () => Promise<unknown>): Promise<void> {
  while (!done()) await run();
}

function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('empty');
  return item;
}
