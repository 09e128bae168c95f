import fc from 'fast-check';
import { pino } from 'pino';
import type { OwnerDoor } from '../../../src/database/clients';
import { DomainError } from '../../../src/errors';
import { formatTicks, parseTicks } from '../../../src/event/event-time';
import type { ExpressionField } from '../../../src/event/expression/expression';
import { LIFTED_NAMES, NUMBER_FIELDS, toSnakeCase } from '../../../src/event/fields';
import { LIST_PARAMETERS } from '../../../src/event/parameters';
import { parseParameters } from '../../../src/event/parse-parameters';
import { toAuditEventQuery } from '../../../src/event/query';
import { Zone } from '../../../src/event/zone';
import { LIMITS } from '../../../src/limits';
import { PostgresAuditEventReader } from '../../../src/modules/activity/stored-reader';
import { FACET_FIELDS, type GroupQuestion } from '../../../src/modules/explore/explorer';
import { toGroupQuestion } from '../../../src/modules/explore/group-question';
import { firstGroups } from '../../../src/modules/explore/sort-groups';
import { PostgresAuditEventExplorer } from '../../../src/modules/explore/stored-explorer';
import { PostgresExportSource } from '../../../src/modules/export/export.source';
import { checkEvent } from '../../../src/modules/ingest/check-event';
import { Indexer } from '../../../src/modules/search/indexer';
import { applyRetention } from '../../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../../src/modules/tenants/retention/retention.store';
import { Folder } from '../../../src/store/counts/fold';
import { Partitions } from '../../../src/store/rows/partitions';
import { tenantSet } from '../../../src/tenant-set';
import { questions, rangeOf, type Sent, sentAt, toQuery } from '../../support/arbitraries';
import { AT_ONCE } from '../../support/at-once';
import { AN_ATTEMPT } from '../../support/attempt';
import {
  answerOf,
  type Question,
  type Stored,
  statedOf,
  summaryOf,
  withoutCase,
} from '../../support/brute-force';
import { gridByHand, plainGrid, seriesByHand, weekHoursByHand } from '../../support/brute-shapes';
import { ENGINES } from '../../support/engines';
import type { IngestedEvent } from '../../support/events';
import { newTenant } from '../../support/scenario';
import { casesOf } from '../../support/share';
import { writerOn } from '../../support/store';
import { useDatabase } from '../../support/use-database';
import { writtenFilters } from '../../support/written-filters';

const START = parseTicks('2026-01-04T22:30:00Z') ?? 0n;
const TICKS_PER_SECOND = 10_000_000n;
const HOUR = 3_600n * TICKS_PER_SECOND;
const RETENTION_DAYS = 10;
const KATHMANDU = new Zone('Asia/Kathmandu');
/** Times within the same milliseconds, seconds, hours or days, often at the border of an hour. */
const time = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((steps) => START + BigInt(steps) * 4_000n),
  fc.integer({ min: 0, max: 40 }).map((s) => START + BigInt(s) * 5_000_001n),
  fc.integer({ min: 0, max: 30 }).map((h) => ((START + BigInt(h) * HOUR) / HOUR) * HOUR),
  fc.bigInt({ min: 0n, max: 400n * HOUR }).map((ticks) => START + ticks),
);
const sent = sentAt(time);
const range = rangeOf(time);
const bounds = fc.tuple(time, time).map(([a, b]) => {
  const [startTime, endTime] = (a < b ? [a, b] : [b, a]).map(formatTicks);
  return { startTime, endTime };
});
const asked = fc.record({
  question: fc.tuple(questions, writtenFilters, range).map(([q, filter, r]) => ({ ...q, ...r, filter })),
  scope: fc.constantFrom<(0 | 1)[]>([0], [1], [0, 1]),
  bucketsMax: fc.integer({ min: 10, max: 60 }),
  limit: fc.integer({ min: 1, max: 5 }),
  contains: fc.constantFrom(null, null, 'a', 'SQL', 'ß'),
  grouped: fc.record({
    fields: fc.uniqueArray(fc.constantFrom(...FACET_FIELDS), { minLength: 1, maxLength: 3 }),
    before: fc.option(bounds),
    sumOf: fc.option(fc.constantFrom(...NUMBER_FIELDS)),
    sortBy: fc.constantFrom('count', 'failed', 'before', 'change', 'firstTime', 'lastTime', 'sum', 'first'),
    sortDirection: fc.constantFrom('asc', 'desc'),
    limit: fc.integer({ min: 1, max: 40 }),
  }),
});
const step = fc.constantFrom(
  'fold',
  'index',
  'index',
  'index unfolded',
  'former',
  'retain',
  'resend',
  'late',
);
const scenario = fc.record({
  sent,
  steps: fc.array(step, { minLength: 3, maxLength: 7 }),
  asked: fc.array(asked, { minLength: 10, maxLength: 20 }),
});

/** Repeats a question until it has an answer: on a busy machine it may exceed its time. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'service_unavailable')) throw error;
    }
  }
}
const log = pino({ level: 'silent' });

describe.each(ENGINES)('expressions by columns on %s', (engine) => {
  const at = useDatabase(engine);

  it(
    'answer list, total, summary, histogram, facets, groups and export like a filter in memory',
    async () => {
      const { db } = at;
      const writer = writerOn(db, new Partitions(db.migrator));
      const [folder, indexer] = [new Folder(db.migrator), new Indexer(db.owner, AT_ONCE)];
      const reader = new PostgresAuditEventReader(db.service);
      const explorer = new PostgresAuditEventExplorer(db.service, 0);
      const exported = new PostgresExportSource(db.service);
      const retention = new PostgresRetentionStore(db.service, db.migrator);
      await fc.assert(
        fc.asyncProperty(scenario, async (run) => {
          const ids = [await newTenant(db), await newTenant(db)];
          let stored: Stored[] = [];
          const store = async (some: readonly Sent[]) => {
            for (const tenant of [0, 1] as const) {
              const tenantId = ids[tenant] ?? 0;
              const checked = some
                .filter((it) => it.tenant === tenant)
                .map(({ event }) => [event, check(tenantId, event)] as const);
              if (checked.length > 0)
                await writer.insert(
                  tenantId,
                  checked.map(([, event]) => event),
                );
              for (const [event, { recordId }] of checked)
                if (!stored.some((it) => it.recordId === recordId))
                  stored.push({ tenantId: String(tenantId), recordId, event });
            }
          };
          const half = Math.ceil(run.sent.length / 2);
          await store(run.sent.slice(0, half));
          // Counts of days that are kept then must not outlive their hours.
          const ask = async () => {
            for (const { question, scope, grouped } of run.asked.slice(0, 3)) {
              const tenants = tenantSet(scope.map((i) => ids[i] ?? 0));
              const query = toAuditEventQuery(parseParameters(LIST_PARAMETERS, toQuery(question)));
              const { asked: wanted } = toGroupQuestion({ fields: grouped.fields });
              await answered(() => explorer.groups(tenants, query.filter, wanted));
              await answered(() => reader.page(tenants, query));
            }
          };
          for (const [i, does] of run.steps.entries()) {
            await ask();
            if (does === 'fold') await folder.run();
            // Without folding, the hours may hold values that have no number yet.
            if (does === 'index unfolded') await indexer.run();
            if (does === 'index') {
              await folder.run();
              await indexer.run();
            }
            if (does === 'former') await asReleaseBefore(db.owner, ids);
            if (does === 'late') await store(run.sent.slice(half + i * 3, half + i * 3 + 3));
            if (does === 'resend')
              await store(
                run.sent.slice(0, half).filter(({ event }) => stored.some((it) => it.event === event)),
              );
            if (does === 'retain') {
              await retention.setDays(ids[0] ?? 0, RETENTION_DAYS, AN_ATTEMPT);
              const nowMs = Number(START / 10_000n) + (RETENTION_DAYS * 24 + 2) * 3_600_000;
              await applyRetention({ store: retention, nowMs: () => nowMs, log });
              const border = START + 2n * HOUR;
              stored = stored.filter(
                ({ tenantId, event }) =>
                  tenantId !== String(ids[0]) || (parseTicks(event.eventTime) ?? 0n) >= border,
              );
              await retention.setDays(ids[0] ?? 0, null, AN_ATTEMPT);
            }
          }
          for (const { question, scope, bucketsMax, limit, contains, grouped } of run.asked) {
            const scoped = scope.map((i) => ids[i] ?? 0);
            const tenants = tenantSet(scoped);
            const given = toQuery(question);
            const query = toAuditEventQuery(parseParameters(LIST_PARAMETERS, given));
            const page = await answered(() => reader.page(tenants, query));
            const expected = answerOf(stored, scoped.map(String), question);
            expect({ given, total: page.totalCount, ids: idsOf(page.items) }).toEqual({
              given,
              total: expected.meta.totalCount,
              ids: idsOf(expected.data),
            });
            const stating = withStated(stored);
            const all = stating(
              answerOf(stored, scoped.map(String), { ...question, page: 1, pageSize: 1_000 }).data,
            );

            const byFilter = { page: 1, pageSize: 1, filter: question.filter };
            const summaryFilter = toAuditEventQuery(
              parseParameters(LIST_PARAMETERS, { filter: question.filter.text }),
            ).filter;
            expect({
              given,
              ...(await answered(() =>
                reader.summary(tenants, { ...summaryFilter, from: query.filter.from, to: query.filter.to }),
              )),
            }).toEqual({
              given,
              ...summaryOf(stored, scoped.map(String), {
                ...byFilter,
                startTime: question.startTime,
                endTime: question.endTime,
              }),
            });
            const histogram = await answered(() => explorer.histogram(tenants, query.filter, bucketsMax));
            const within = (from: bigint, to: bigint) =>
              all.filter(
                ({ eventTime }) =>
                  (parseTicks(eventTime) ?? 0n) >= from && (parseTicks(eventTime) ?? 0n) < to,
              );
            expect({ given, buckets: histogram.buckets }).toEqual({
              given,
              buckets: histogram.buckets.map(({ from, to }) => ({ from, to, ...tally(within(from, to)) })),
            });
            expect(histogram.buckets.reduce((sum, b) => sum + b.succeeded + b.failed, 0)).toBe(all.length);

            const facets = await answered(() =>
              explorer.facets(tenants, query.filter, {
                fields: FACET_FIELDS,
                limit,
                contains,
              }),
            );
            expect({ given, ...facets }).toEqual({
              given,
              totalCount: all.length,
              facets: FACET_FIELDS.map((field) => facetOf(field, all, limit, contains)),
            });

            const { fields: by, before, sortBy, sumOf, ...order } = grouped;
            const isUnasked = (sortBy === 'sum' && sumOf === null) || (sortBy === 'change' && !before);
            const { asked: wanted } = toGroupQuestion({
              fields: by,
              sumOf,
              sortBy: sortBy === 'first' ? by[0] : isUnasked ? 'count' : sortBy,
              ...order,
              ...(before && { beforeStartTime: before.startTime, beforeEndTime: before.endTime }),
            });
            const groups = await answered(() => explorer.groups(tenants, query.filter, wanted));
            const eventsOf = (other: Partial<Question>) =>
              stating(
                answerOf(stored, scoped.map(String), { ...question, ...other, page: 1, pageSize: 1_000 })
                  .data,
              );
            const earlier = before && {
              events: eventsOf(before),
              recorded: stating(
                answerOf(stored, scoped.map(String), {
                  ...before,
                  serverInstanceName: query.filter.serverInstanceName ?? undefined,
                  page: 1,
                  pageSize: 1_000,
                }).data,
              ),
            };
            const found = { ...groups, groups: groups.groups.map(withBigSum) };
            expect({ given, grouped, ...found }).toEqual({
              given,
              grouped,
              ...(await groupsOf(all, earlier, wanted)),
            });

            const most = Math.min(wanted.limit, LIMITS.groupSeriesMax);
            const overTime = await answered(() =>
              explorer.groupsOverTime(tenants, query.filter, {
                ...wanted,
                limit: most,
                bucketsMax,
                zone: null,
              }),
            );
            const firsts = (await groupsOf(all, earlier, { ...wanted, limit: most })).groups;
            const { buckets } = overTime;
            expect({
              given,
              grouped,
              ...overTime,
              groups: overTime.groups.map(({ values }) => values),
            }).toEqual({
              given,
              grouped,
              ...overTime,
              totalCount: all.length,
              groups: buckets.length > 0 ? firsts.map(({ values }) => values) : [],
              buckets: buckets.map(({ from, to }) => ({ from, to, ...tally(within(from, to)) })),
              series: buckets.length > 0 ? seriesByHand(all, by, firsts, buckets) : [],
            });
            expect(buckets.reduce((sum, b) => sum + b.succeeded + b.failed, 0)).toBe(all.length);
            const grid = await answered(() =>
              explorer.groupGrid(tenants, query.filter, {
                fields: wanted.fields,
                sumOf: wanted.sumOf,
                valuesMax: limit,
              }),
            );
            expect({ given, grouped, ...plainGrid(grid) }).toEqual({
              given,
              grouped,
              ...gridByHand(all, by, limit, wanted.sumOf),
            });
            const week = await answered(() => explorer.weekHours(tenants, query.filter, KATHMANDU));
            expect({
              given,
              hours: week.hours.map(({ busiestMs, ...numbers }) => numbers),
            }).toEqual({ given, hours: weekHoursByHand(all, 345) });

            const plan = await answered(() => exported.plan(tenants, query.filter));
            expect({ given, total: plan.totalCount }).toEqual({ given, total: all.length });
          }
        }),
        { numRuns: casesOf(__filename), endOnFailure: true },
      );
    },
    60_000 + casesOf(__filename) * 6_000,
  );
});

function check(tenantId: number, event: IngestedEvent) {
  const result = checkEvent(tenantId, event, Date.now());
  if ('rejection' in result) throw new Error(result.rejection.message);
  return result.event;
}

const idsOf = (items: readonly { recordId: string }[]) => items.map(({ recordId }) => recordId);

type Item = ReturnType<typeof answerOf>['data'][number] & ReturnType<typeof statedOf>;

/** Adds the lifted fields to items of a list. */
const withStated =
  (stored: readonly Stored[]) =>
  (items: ReturnType<typeof answerOf>['data']): Item[] =>
    items.map((item) => {
      const found = stored.find(({ recordId }) => recordId === item.recordId);
      if (!found) throw new Error('an item is not stored');
      return { ...item, ...statedOf(found.event) };
    });

/** Makes every second hour one that the release before indexed. */
const asReleaseBefore = (owner: OwnerDoor, tenants: readonly number[]) =>
  owner.models.$executeRawUnsafe(
    `UPDATE audit_segment SET layout = 1, version = NULL, ${LIFTED_NAMES.map((name) => `${toSnakeCase(name)} = NULL`).join(', ')}
     WHERE tenant_id = ANY($1::int[]) AND hour % 2 = 0`,
    [...tenants],
  );

const withBigSum = <G extends { readonly sum: number | bigint | null }>(group: G) => ({
  ...group,
  sum: group.sum === null ? null : BigInt(group.sum),
});

const tally = (events: readonly Item[]) => {
  const succeeded = events.filter((event) => event.succeeded).length;
  return { succeeded, failed: events.length - succeeded };
};

/** The order of texts is that of their stored form, in which characters that the database cannot hold come last. */
const UNSPEAKABLE = /[\0\uFEFF\p{Cs}]/gu;
function asStored(character: string): string {
  const code = character.charCodeAt(0);
  return String.fromCodePoint(code === 0 ? 0x10f800 : code === 0xfeff ? 0x10f801 : 0x10f000 + code - 0xd800);
}

function facetOf(field: ExpressionField, events: readonly Item[], limit: number, contains: string | null) {
  const textOf = (event: Item) => {
    const value = (event as Record<string, unknown>)[field] ?? null;
    return value === null ? null : String(value);
  };
  const holds = (value: string | null) =>
    contains === null || (value !== null && withoutCase(value).includes(withoutCase(contains)));
  const values = [...new Set(events.map(textOf))].filter(holds).map((value) => ({
    value,
    ...tally(events.filter((event) => textOf(event) === value)),
  }));
  const utf8 = (value: string | null) => Buffer.from((value ?? '').replace(UNSPEAKABLE, asStored), 'utf8');
  const size = (v: { succeeded: number; failed: number }) => v.succeeded + v.failed;
  values.sort((a, b) => size(b) - size(a) || Buffer.compare(utf8(a.value), utf8(b.value)));
  return { field, distinct: values.length, values: values.slice(0, limit) };
}

function sumOfNumbers(texts: readonly (string | null)[]): number | bigint | null {
  const numbers = texts.filter((text) => text !== null).map(BigInt);
  if (numbers.length === 0) return null;
  return numbers.reduce((sum, number) => sum + number, 0n);
}

async function groupsOf(
  events: readonly Item[],
  earlier: { readonly events: readonly Item[]; readonly recorded: readonly Item[] } | null,
  { fields, sumOf, ...order }: GroupQuestion,
) {
  const valuesOf = (event: Item) =>
    fields.map((field) => String((event as Record<string, unknown>)[field ?? ''] ?? ''));
  const keyOf = (event: Item) => JSON.stringify(valuesOf(event));
  const servers = fields.filter((field) => field === 'tenantId' || field === 'serverInstanceName');
  const before = (key: string, [one]: readonly Item[]) => {
    const isOfServers = (event: Item) => servers.every((field) => one?.[field] === event[field]);
    if (!earlier?.recorded.some(isOfServers)) return null;
    return earlier.events.filter((event) => keyOf(event) === key).length;
  };
  const ms = ({ eventTime }: Item) => Number((parseTicks(eventTime) ?? 0n) / 10_000n);
  const isListed = order.by === 'change' || order.by === 'before';
  const gone = isListed && earlier ? earlier.events : [];
  const keys = [...new Set([...events, ...gone].map(keyOf))];
  const groups = keys
    .map((key) => {
      const own = events.filter((event) => keyOf(event) === key);
      return { key, own, seen: own.length > 0 ? own : gone.filter((event) => keyOf(event) === key) };
    })
    .map(({ key, own, seen }) => ({
      values: JSON.parse(key) as string[],
      n: own.length,
      failed: tally(own).failed,
      before: before(key, seen),
      firstMs: Math.min(...seen.map(ms)),
      lastMs: Math.max(...seen.map(ms)),
      sum: sumOf ? sumOfNumbers(own.map((event) => event[sumOf])) : null,
    }));
  return {
    totalCount: events.length,
    groupCount: groups.length,
    groups: await firstGroups(groups, order, async () => {}),
  };
}
