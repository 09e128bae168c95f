import fc from 'fast-check';
import { parseTicks } from '../../src/event/event-time';
import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { Zone } from '../../src/event/zone';
import { DEFAULT_FACET_FIELDS } from '../../src/modules/explore/explorer';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { Indexer } from '../../src/modules/search/indexer';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import { Folder } from '../../src/store/counts/fold';
import { Partitions } from '../../src/store/rows/partitions';
import { tenantSet } from '../../src/tenant-set';
import { questions, rangeOf, sentAt, toQuery } from '../support/arbitraries';
import { AT_ONCE } from '../support/at-once';
import { answerOf, type Question, type Stored } from '../support/brute-force';
import { inLayout, layoutsOf } from '../support/doors';
import { ENGINES } from '../support/engines';
import type { IngestedEvent } from '../support/events';
import { usualFacets } from '../support/filters';
import { newTenant } from '../support/scenario';
import { casesOf } from '../support/share';
import { writerOn } from '../support/store';
import { useDatabase } from '../support/use-database';

const START = parseTicks('2026-01-04T22:30:00Z') ?? 0n;
const TICKS_PER_SECOND = 10_000_000n;
const HOUR = 3_600n * TICKS_PER_SECOND;
/** Times within seconds, hours or days of each other, often at the border of an hour. */
const time = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map((s) => START + BigInt(s) * 5_000_001n),
  fc.integer({ min: 0, max: 90 }).map((h) => ((START + BigInt(h) * HOUR) / HOUR) * HOUR),
  fc.bigInt({ min: 0n, max: 1_000n * HOUR }).map((ticks) => START + ticks),
);

const sent = sentAt(time);
const range = rangeOf(time);
const question = fc
  .tuple(questions, range)
  .map(([q, r]) => ({ ...q, ...r, sortBy: undefined, sortDirection: undefined }));
const asked = fc.record({
  question,
  scope: fc.constantFrom<(0 | 1)[]>([0], [1], [0, 1]),
  bucketsMax: fc.integer({ min: 10, max: 60 }),
  limit: fc.integer({ min: 1, max: 4 }),
  zone: fc.constantFrom(null, 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns'),
});
const scenario = fc.record({
  sent,
  /** The number of events before the counts are folded, and perhaps the hours indexed. */
  foldAt: fc.integer({ min: 0, max: 40 }),
  indexed: fc.boolean(),
  asked: fc.array(asked, { minLength: 4, maxLength: 8 }),
});

describe.each(ENGINES)('histogram and facets on %s', (engine) => {
  const at = useDatabase(engine);

  it('equal a brute-force count for one tenant and several, with folded, unfolded and searched events', async () => {
    const { db } = at;
    const writer = writerOn(db, new Partitions(db.migrator));
    const [folder, indexer] = [new Folder(db.migrator), new Indexer(db.owner, AT_ONCE)];
    const cautious = new PostgresAuditEventExplorer(db.service, 2);
    const doors = layoutsOf(engine).map((isDistributed) => inLayout(isDistributed, db.service));
    const explorers = [
      ...doors.map((door) => new PostgresAuditEventExplorer(door)),
      ...doors.map((door) => new PostgresAuditEventExplorer(door, 2)),
      cautious,
    ];
    await fc.assert(
      fc.asyncProperty(scenario, async (run) => {
        const ids = [await newTenant(db), await newTenant(db)];
        const stored: Stored[] = [];
        // The first share is folded and perhaps indexed, and the second is neither.
        for (const [i, share] of [run.sent.slice(0, run.foldAt), run.sent.slice(run.foldAt)].entries()) {
          if (i === 1) await folder.run();
          if (i === 1 && run.indexed) await indexer.run();
          for (const tenant of [0, 1] as const) {
            const tenantId = ids[tenant] ?? 0;
            const pairs = share
              .filter((it) => it.tenant === tenant)
              .map(({ event }) => [event, checked(tenantId, event)] as const);
            if (pairs.length > 0)
              await writer.insert(
                tenantId,
                pairs.map(([, event]) => event),
              );
            for (const [event, { recordId }] of pairs)
              stored.push({ tenantId: String(tenantId), recordId, event });
          }
        }
        for (const { question: q, scope, bucketsMax, limit, zone } of run.asked) {
          const scoped = scope.map((i) => ids[i] ?? 0);
          const filter = filterOf(q);
          const events = found(stored, scoped.map(String), q);
          for (const explorer of explorers) {
            const histogram = await explorer.histogram(
              tenantSet(scoped),
              filter,
              bucketsMax,
              zone === null ? null : new Zone(zone),
            );
            expectHistogram(histogram, events, bucketsMax, filter);
            const facets = await explorer.facets(tenantSet(scoped), filter, usualFacets(limit));
            expectFacets(facets, events, limit, explorer !== cautious);
          }
        }
      }),
      { numRuns: casesOf(__filename), endOnFailure: true },
    );
  }, 600_000);
});

function checked(tenantId: number, event: IngestedEvent): CheckedEvent {
  const result = checkEvent(tenantId, event, Date.now());
  if ('rejection' in result) throw new Error(result.rejection.message);
  return result.event;
}

function filterOf(q: Question) {
  const { page, pageSize, ...query } = toQuery(q);
  return toAuditEventFilter(parseParameters(FILTER_PARAMETERS, query));
}

type Event = Pick<IngestedEvent, 'eventTime' | 'succeeded'> & Record<string, unknown>;

const found = (stored: readonly Stored[], tenants: readonly string[], q: Question): Event[] =>
  answerOf(stored, tenants, { ...q, page: 1, pageSize: 1_000 }).data;

function expectHistogram(
  { widthMs, zone, buckets }: Awaited<ReturnType<PostgresAuditEventExplorer['histogram']>>,
  events: readonly Event[],
  bucketsMax: number,
  filter: { from: bigint | null; to: bigint | null },
) {
  expect(buckets.length).toBeLessThanOrEqual(bucketsMax);
  const width = BigInt(widthMs) * 10_000n;
  for (const [i, { from, to }] of buckets.entries()) {
    // No clock is changed in these weeks.
    const local =
      from + BigInt(zone === null ? 0 : new Zone(zone).offsetMs(Number(from / 10_000n))) * 10_000n;
    if (i > 0) expect([from, local % width]).toEqual([buckets[i - 1]?.to, 0n]);
    expect(to > from && to - from <= width).toBe(true);
  }
  if (filter.from !== null && buckets[0]) expect(buckets[0].from).toBe(filter.from);
  if (filter.to !== null && buckets[0]) expect(buckets.at(-1)?.to).toBe(filter.to);
  const within = ({ eventTime }: Event, from: bigint, to: bigint) => {
    const ticks = parseTicks(eventTime) ?? 0n;
    return ticks >= from && ticks < to;
  };
  const expected = buckets.map(({ from, to }) => tally(events.filter((event) => within(event, from, to))));
  expect(buckets.map(({ succeeded, failed }) => ({ succeeded, failed }))).toEqual(expected);
  expect(buckets.reduce((sum, b) => sum + b.succeeded + b.failed, 0)).toBe(events.length);
}

const tally = (events: readonly Event[]) => {
  const succeeded = events.filter((event) => event.succeeded).length;
  return { succeeded, failed: events.length - succeeded };
};

function expectFacets(
  { totalCount, facets }: Awaited<ReturnType<PostgresAuditEventExplorer['facets']>>,
  events: readonly Event[],
  limit: number,
  complete: boolean,
) {
  expect(totalCount).toBe(events.length);
  expect(facets.map(({ field }) => field)).toEqual([...DEFAULT_FACET_FIELDS]);
  for (const { field, distinct, values } of facets) {
    if (values === null) {
      expect([complete, field]).toEqual([false, 'serverInstanceName']);
      continue;
    }
    const texts = (event: Event) => (event[field] === null ? null : String(event[field]));
    const groups = [...new Set(events.map(texts))].map((value) => {
      const { succeeded, failed } = tally(events.filter((event) => texts(event) === value));
      return { value, succeeded, failed };
    });
    const size = (v: { succeeded: number; failed: number }) => v.succeeded + v.failed;
    expect(distinct).toBe(groups.length);
    expect(values).toHaveLength(Math.min(limit, groups.length));
    expect(groups).toEqual(expect.arrayContaining([...values]));
    const sizes = groups.map(size).sort((a, b) => b - a);
    expect(values.map(size)).toEqual(sizes.slice(0, values.length));
  }
}
