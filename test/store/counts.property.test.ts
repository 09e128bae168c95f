import fc from 'fast-check';
import { formatTicks, parseTicks } from '../../src/event/event-time';
import { SORTS } from '../../src/event/parameters';
import type { AuditEventQuery } from '../../src/event/query';
import { parseSearch, type SearchTerm } from '../../src/event/search';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { Indexer } from '../../src/modules/search/indexer';
import type { CheckedEvent, CheckedRecord } from '../../src/store/bytes/checked-event';
import { Folder } from '../../src/store/counts/fold';
import { Partitions } from '../../src/store/rows/partitions';
import { tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { inLayout, layoutsOf } from '../support/doors';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { NO_FILTER } from '../support/filters';
import { Inserter } from '../support/inserter';
import { newTenant } from '../support/scenario';
import { casesOf } from '../support/share';
import { useDatabase } from '../support/use-database';

/** Three days around the border of a week. */
const START = parseTicks('2026-01-04T22:30:00Z') ?? 0n;
const SPAN_MS = 3 * 86_400_000;
const time = fc
  .tuple(fc.integer({ min: 0, max: SPAN_MS }), fc.constantFrom(0n, 1n, 9_999n))
  .map(([ms, steps]) => START + BigInt(ms) * 10_000n + steps);
/** Times at or next to the border of an hour, which is often that of a day. */
const border = fc
  .tuple(fc.integer({ min: 0, max: 80 }), fc.constantFrom(-1n, 0n, 1n))
  .map(
    ([hour, step]) => ((START + BigInt(hour) * 36_000_000_000n) / 36_000_000_000n) * 36_000_000_000n + step,
  );
const anyTime = fc.oneof(time, border);
const action = fc.constantFrom('SL', 'UP', 'IN');
const database = fc.constantFrom('a', 'b', null);
const principal = fc.constantFrom('x', 'y', 'é', null);
const instance = fc.constantFrom('SQL9', 'SQL9\\X', null);
const word = fc.constantFrom(
  'select',
  'from',
  'Straße',
  'x9',
  'selected',
  'ΟΔΟΣ',
  'a',
  `long${'g'.repeat(80)}`,
);
const statement = fc.option(fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join('. ')));
const event = fc.record({
  statement,
  ticks: anyTime,
  actionId: action,
  databaseName: database,
  serverPrincipalName: principal,
  serverInstanceName: instance,
  succeeded: fc.boolean(),
});
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ tenant: fc.nat(1), events: fc.array(event, { minLength: 1, maxLength: 40 }) }),
  },
  { weight: 1, arbitrary: fc.constant('fold' as const) },
  { weight: 2, arbitrary: fc.constant('index' as const) },
  { weight: 1, arbitrary: fc.constant('resend' as const) },
);
const term = fc.oneof(
  word,
  word.map((w) => `${w.slice(0, 4)}*`),
  fc.constantFrom('"m. sel"', '"select. From"', '"rom"', '"payroll_audit"', '". "', 'payrollweb', 'absent'),
);
const search = fc.oneof(
  word,
  fc.array(term, { minLength: 1, maxLength: 2 }).map((terms) => terms.join(' ')),
);
const query: fc.Arbitrary<AuditEventQuery> = fc.record({
  filter: fc
    .record({
      from: fc.option(anyTime),
      to: fc.option(anyTime),
      actionId: fc.option(fc.oneof(action, fc.constant('nope'))),
      databaseName: fc.option(fc.constantFrom('a', 'b')),
      principalName: fc.option(fc.constantFrom('x', 'é')),
      serverInstanceName: fc.oneof(
        { weight: 3, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom('SQL9', 'SQL9\\X', 'sql9') },
      ),
      succeeded: fc.option(fc.boolean(), { freq: 2 }),
      search: fc.option(search).map((text) => {
        const parsed = parseSearch(text ?? '');
        return 'terms' in parsed ? parsed.terms : [];
      }),
    })
    .map((some) => ({ ...NO_FILTER, ...some })),
  sort: fc.constantFrom(...Object.values(SORTS)),
  descending: fc.boolean(),
  page: fc.integer({ min: 1, max: 12 }),
  pageSize: fc.constantFrom(1, 3, 7, 100),
});
/** A query that the search index alone can answer. */
const wordQuery = fc.tuple(query, word).map(([q, w]): AuditEventQuery => {
  const parsed = parseSearch(w);
  const filter = { ...NO_FILTER, from: q.filter.from, to: q.filter.to };
  return { ...q, sort: 'recordId', filter: { ...filter, search: 'terms' in parsed ? parsed.terms : [] } };
});
/** A query with an outcome or an instance and few other conditions, so that it finds much. */
const plainQuery = fc.tuple(query, wordQuery, fc.boolean()).map(([q, words, isSearch]): AuditEventQuery => {
  const { serverInstanceName, succeeded } = q.filter;
  const { from, to, search } = words.filter;
  const filter = { ...NO_FILTER, serverInstanceName, succeeded, from, to };
  return isSearch ? { ...words, filter: { ...filter, search } } : { ...q, filter };
});
const scenario = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
  queries: fc.array(
    fc.record({
      query: fc.oneof(
        { weight: 2, arbitrary: query },
        { weight: 1, arbitrary: wordQuery },
        { weight: 2, arbitrary: plainQuery },
      ),
      scope: fc.constantFrom<number[]>([0], [1], [0, 1]),
    }),
    {
      minLength: 6,
      maxLength: 12,
    },
  ),
});

describe.each(ENGINES)('counts and pages on %s', (engine) => {
  const at = useDatabase(engine);

  it('equal a brute-force count at any moment between ingest, folding and indexing', async () => {
    const { db } = at;
    const partitions = new Partitions(db.migrator);
    const doors = layoutsOf(engine).map((isDistributed) => inLayout(isDistributed, db.service));
    /** The writers take turns. The second one writes as on a distributed database. */
    const writers = doors.map((door) => new Inserter(door, partitions, TEST_CHECKPOINT_KEY));
    const insert = (tenantId: number, events: CheckedEvent[]) => {
      const [writer] = writers;
      if (!writer) throw new Error('no writer');
      writers.push(...writers.splice(0, 1));
      return writer.insert(tenantId, events);
    };
    const readers = doors.flatMap((door) => [
      new PostgresAuditEventReader(door),
      new PostgresAuditEventReader(door, 0n),
    ]);
    const folder = new Folder(db.migrator);
    const indexer = new Indexer(db.owner, AT_ONCE);
    await fc.assert(
      fc.asyncProperty(scenario, async ({ steps, queries }) => {
        const tenants = [await newTenant(db), await newTenant(db)];
        const stored = new Map<string, Stored>();
        let last: [number, CheckedEvent[]] | null = null;
        for (const s of steps) {
          if (s === 'fold') await folder.run();
          else if (s === 'index') {
            await folder.run();
            await indexer.run();
          } else if (s === 'resend') {
            if (last) expect(await insert(...last)).toBe(0);
          } else {
            const tenantId = tenants[s.tenant] ?? 0;
            const events = s.events.map((e) => checked(tenantId, e));
            last = [tenantId, events];
            expect(await insert(tenantId, events)).toBe(events.length);
            for (const { recordId, record } of events)
              stored.set(recordId, { ...record, recordId, tenant: s.tenant });
          }
        }
        for (const { query: q, scope } of queries) {
          const ids = tenantSet(scope.map((i) => tenants[i] ?? 0));
          const all = [...stored.values()].filter((e) => scope.includes(e.tenant));
          // Both forms ask for one tenant with the same statement, so two readers are enough.
          for (const reader of scope.length > 1 ? readers : readers.slice(0, 2)) {
            const found = await reader.page(ids, q);
            expect([found.totalCount, found.items.map((i) => i.recordId)]).toEqual(bruteForce(all, q));
            const summary = await reader.summary(ids, { ...NO_FILTER, from: q.filter.from, to: q.filter.to });
            expect(summary).toEqual(bruteSummary(all, q));
          }
        }
      }),
      { numRuns: casesOf(__filename) },
    );
  }, 600_000);
});

type Stored = CheckedRecord & { readonly recordId: string; readonly tenant: number };

function checked(tenantId: number, { ticks, ...rest }: { ticks: bigint } & object): CheckedEvent {
  const result = checkEvent(tenantId, anEvent({ ...rest, eventTime: formatTicks(ticks) }), Date.now());
  if ('rejection' in result) throw new Error(result.rejection.message);
  return result.event;
}

const inRange = (e: Stored, q: AuditEventQuery) => {
  const t = parseTicks(e.eventTime) ?? 0n;
  return (q.filter.from === null || t >= q.filter.from) && (q.filter.to === null || t < q.filter.to);
};

function bruteForce(all: Stored[], q: AuditEventQuery) {
  const { actionId, databaseName, principalName, serverInstanceName, succeeded } = q.filter;
  const found = all.filter(
    (e) =>
      inRange(e, q) &&
      (actionId === null || e.actionId === actionId) &&
      (databaseName === null || e.databaseName === databaseName) &&
      (principalName === null || e.serverPrincipalName === principalName) &&
      (serverInstanceName === null || e.serverInstanceName === serverInstanceName) &&
      (succeeded === null || e.succeeded === succeeded) &&
      q.filter.search.every((t) => holds(e, t)),
  );
  const key = (e: Stored) => [q.sort === 'recordId' ? '' : String(e[q.sort] ?? ''), e.recordId] as const;
  const cmp = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  found.sort((a, b) => {
    const [ka, kb] = [key(a), key(b)];
    return (cmp(ka[0], kb[0]) || cmp(ka[1], kb[1])) * (q.descending ? -1 : 1);
  });
  return [found.length, found.slice((q.page - 1) * q.pageSize, q.page * q.pageSize).map((e) => e.recordId)];
}

const folded = (text: string) => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');

function holds(e: Stored, t: SearchTerm): boolean {
  const { recordId, eventTime, succeeded, additional, file, fileGuid, blockOffset, index, parts, ...texts } =
    e;
  const fields = Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'string' && name !== 'tenant' ? [text] : [],
  );
  if (t.kind === 'phrase') return fields.some((text) => folded(text).includes(folded(t.text)));
  const words = fields.flatMap((text) => text.match(/[\p{L}\p{N}]+/gu) ?? []).map(folded);
  return words.some((w) => (t.kind === 'word' ? w === t.text : w.startsWith(t.text)));
}

function bruteSummary(all: Stored[], q: AuditEventQuery) {
  const found = all.filter((e) => inRange(e, q));
  const ok = found.filter((e) => e.succeeded).length;
  const latest = found
    .map((e) => e.recordId)
    .sort()
    .at(-1);
  return {
    totalCount: found.length,
    successfulCount: ok,
    failedCount: found.length - ok,
    distinctDatabases: new Set(found.map((e) => e.databaseName).filter(Boolean)).size,
    distinctPrincipals: new Set(found.map((e) => e.serverPrincipalName).filter(Boolean)).size,
    latestEventTime: found.find((e) => e.recordId === latest)?.eventTime ?? null,
  };
}
