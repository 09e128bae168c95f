import { pino } from 'pino';
import { toSummaryFilter } from '../../../src/event/query';
import { PostgresAuditEventReader } from '../../../src/modules/activity/stored-reader';
import { PostgresAuditEventExplorer } from '../../../src/modules/explore/stored-explorer';
import { applyRetention } from '../../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../../src/modules/tenants/retention/retention.store';
import { inTurn, type RemovedDelta, removing, settleRemoval } from '../../../src/store/counts/remove-events';
import { tenantSet } from '../../../src/tenant-set';
import { ArchiveTrial } from '../../archive/archive-trial';
import { AN_ATTEMPT } from '../../support/attempt';
import { ENGINES } from '../../support/engines';
import { recordingService } from '../../support/recorded-statements';
import { Store } from '../../support/store';

const CHANGES = 'actionId:CR OR (actionId:UP AND classType:A)';
const FIELDS = ['serverInstanceName', 'actionId', 'classType'] as const;
/** Days of January 2026, some in a first week and some in a second one. */
const DAYS = [5, 6, 7, 8, 12, 13, 14];
const HOURS = [1, 7, 23];
const timeOf = (day: number, hour: number, minute = 0) =>
  `2026-01-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00.0000000Z`;

interface Event {
  readonly eventTime: string;
  readonly serverInstanceName: string;
  readonly actionId: string;
  readonly succeeded: boolean;
  readonly additional: { readonly classType: string };
}
const anEvent = (eventTime: string, i: number): Event => ({
  eventTime,
  serverInstanceName: `SQL${i % 2}`,
  actionId: ['SL', 'UP', 'CR'][i % 3] ?? 'SL',
  succeeded: i % 4 !== 0,
  additional: { classType: i % 5 === 0 ? 'A' : 'U' },
});

describe.each(ENGINES)('counts of days that are kept in memory on %s', (engine) => {
  let store: Store;
  let trial: ArchiveTrial;
  let events: Event[];
  beforeEach(async () => {
    store = await Store.open(engine);
    trial = await ArchiveTrial.open(store);
    events = DAYS.flatMap((day) => HOURS.map((hour) => timeOf(day, hour))).map(anEvent);
    await store.insert(store.checked(events));
    await trial.settle();
  });
  afterEach(async () => {
    await trial.close();
    await store.close();
  });

  /** The answers to some questions about events from a time on, and how many statements read columns for them. */
  async function answers(startTime?: string) {
    const range = { startTime, endTime: undefined };
    const texts: string[] = [];
    const service = recordingService(store.database.service, texts);
    trial.openBehind(service);
    const [explorer, reader] = [
      new PostgresAuditEventExplorer(service),
      new PostgresAuditEventReader(service),
    ];
    const tenants = tenantSet([store.tenantId]);
    const asked = { before: null, sumOf: null, by: 'count', descending: true, limit: 1_000 } as const;
    const filter = toSummaryFilter({ filter: undefined, ...range });
    const [groups] = await explorer.groupsOfEach(tenants, [{ ...asked, filter, fields: FIELDS }]);
    const changes = toSummaryFilter({ filter: CHANGES, ...range });
    const page = { filter: changes, sort: 'recordId', descending: true, page: 1, pageSize: 100 } as const;
    const { totalCount, items } = await reader.page(tenants, page);
    return {
      answer: {
        groups: (groups?.groups ?? [])
          .map(({ values, n, failed, firstMs, lastMs }) =>
            JSON.stringify([values, n, failed, firstMs, lastMs]),
          )
          .sort(),
        totalCount,
        times: items.map(({ eventTime }) => eventTime),
      },
      reads: texts.filter((text) => /FROM audit_segment s\s+WHERE/.test(text)).length,
    };
  }

  /** The same, counted by hand. */
  function expected(startTime = '') {
    const all = events.filter(({ eventTime }) => eventTime >= startTime);
    const valuesOf = (event: Event) => [event.serverInstanceName, event.actionId, event.additional.classType];
    const keys = [...new Set(all.map((event) => JSON.stringify(valuesOf(event))))];
    const groups = keys.map((key) => {
      const own = all.filter((event) => JSON.stringify(valuesOf(event)) === key);
      const times = own.map(({ eventTime }) => Date.parse(eventTime));
      const failed = own.filter(({ succeeded }) => !succeeded).length;
      return JSON.stringify([JSON.parse(key), own.length, failed, Math.min(...times), Math.max(...times)]);
    });
    const changes = all.filter(
      ({ actionId, additional }) => actionId === 'CR' || (actionId === 'UP' && additional.classType === 'A'),
    );
    const times = changes.map(({ eventTime }) => eventTime).sort();
    return { groups: groups.sort(), totalCount: changes.length, times: times.reverse() };
  }

  it('answer a question again without its columns', async () => {
    const first = await answers();
    expect(first.answer).toEqual(expected());
    const again = await answers();
    expect(again.answer).toEqual(expected());
    // What is left is the times of the hours that the page shows.
    expect([first.reads > again.reads, again.reads]).toEqual([true, 1]);
  });

  it('are counted anew after events that come late, before and after their hours are indexed again', async () => {
    await answers();
    const late = [timeOf(6, 7, 30), timeOf(13, 3)].map((time, i) => anEvent(time, i + 5));
    await store.insert(store.checked(late));
    events.push(...late);
    expect((await answers()).answer).toEqual(expected());
    await trial.settle();
    const settled = await answers();
    expect(settled.answer).toEqual(expected());
    expect(settled.reads).toBeGreaterThan((await answers()).reads);
  });

  it('are counted anew after events were removed', async () => {
    await answers();
    const [row] = await store.query<{ id: string }>(
      `SELECT e.record_id::text AS id FROM audit_event e WHERE e.tenant_id = $1::int ORDER BY e.record_id LIMIT 1`,
      store.tenantId,
    );
    await inTurn(store.database.owner, store.tenantId, async (tx) => {
      const remove = removing('e.record_id = $2::uuid');
      const gone = await tx.$queryRawUnsafe<RemovedDelta[]>(remove, store.tenantId, row?.id);
      await settleRemoval(tx, store.tenantId, gone);
    });
    events.shift();
    expect((await answers()).answer).toEqual(expected());
    // Another event in place of the removed one makes the hour's number what it was.
    const other = anEvent(timeOf(5, 1, 20), 8);
    await store.insert(store.checked([other]));
    events.push(other);
    await trial.settle();
    expect((await answers()).answer).toEqual(expected());
  });

  it('are counted anew after retention', async () => {
    await answers();
    const { service, migrator } = store.database;
    const retention = new PostgresRetentionStore(service, migrator);
    await retention.setDays(store.tenantId, 10, AN_ATTEMPT);
    const nowMs = () => Date.parse('2026-01-18T00:00:00Z');
    await applyRetention({ store: retention, nowMs, log: pino({ level: 'silent' }) });
    events = events.filter(({ eventTime }) => eventTime >= timeOf(8, 0));
    expect((await answers()).answer).toEqual(expected());
  });

  it('are counted anew after a week was sealed, got late events and came back', async () => {
    await answers();
    expect(await trial.seal(timeOf(6, 0))).toMatchObject({ outcome: 'sealed' });
    expect((await answers()).answer).toEqual(expected());
    // A range that cuts the sealed week, between hours and within one.
    for (const from of [timeOf(6, 12), timeOf(7, 7, 30)])
      expect((await answers(from)).answer).toEqual(expected(from));
    const late = anEvent(timeOf(6, 7, 45), 9);
    await store.insert(store.checked([late]));
    events.push(late);
    await trial.settle();
    expect((await answers()).answer).toEqual(expected());
    await trial.restore(timeOf(6, 0));
    await trial.settle();
    expect((await answers()).answer).toEqual(expected());
  });

  it('are not those of an hour that a range cuts', async () => {
    // The first hour of its day, so that the hours of the range and of all time are the same ones.
    const within = anEvent(timeOf(6, 1, 30), 5);
    await store.insert(store.checked([within]));
    events.push(within);
    await trial.settle();
    for (const from of [timeOf(6, 1, 20), timeOf(5, 0)]) {
      expect((await answers(from)).answer).toEqual(expected(from));
    }
  });

  it('are not kept for hours that a release before indexed, until the indexer gives them a version', async () => {
    await store.query('UPDATE audit_segment SET version = NULL WHERE tenant_id = $1::int', store.tenantId);
    const first = await answers();
    expect((await answers()).reads).toBe(first.reads);
    await trial.settle();
    await answers();
    const again = await answers();
    expect(again.answer).toEqual(expected());
    expect(again.reads).toBe(1);
  });
});
