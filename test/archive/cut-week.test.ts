import { formatTicks } from '../../src/event/event-time';
import { LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter, toAuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import type { ArchiveWorker, TallyQuestion } from '../../src/store/archive/questions';
import { oneTenant } from '../../src/tenant-set';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const WEEKS = ['2026-02-02T00:00:00Z', '2026-02-09T00:00:00Z'] as const;
const T0 = Date.parse(WEEKS[0]);
const DAYS = 14;
const HOUR_MS = 3_600_000;
const DENSE_EVENTS = 2_100;
/** An event each half hour, of which a third fail, and an hour with more events than are kept by the millisecond. */
const EVENTS = [
  ...Array.from({ length: DAYS * 48 }, (_, i) => ({
    eventTime: new Date(T0 + i * (HOUR_MS / 2) + 123).toISOString().replace('Z', '4567Z'),
    succeeded: i % 3 > 0,
    blockOffset: 512 * (i + 1),
  })),
  ...Array.from({ length: DENSE_EVENTS }, (_, i) => ({
    eventTime: new Date(T0 + 30 * HOUR_MS + i * 1_000).toISOString().replace('Z', '0001Z'),
    blockOffset: 512 * (i + 10_000),
  })),
];
const timesOf = EVENTS.map(({ eventTime }) => eventTime);

describe.each(ENGINES)('a range that cuts a sealed week, on %s', (engine) => {
  let store: Store;
  let trial: ArchiveTrial;
  let tallies: TallyQuestion[];
  beforeAll(async () => {
    store = await Store.open(engine);
    trial = await ArchiveTrial.open(store);
    await store.insert(store.checked(EVENTS));
    await trial.settle();
    for (const week of WEEKS) expect(await trial.seal(week)).toMatchObject({ outcome: 'sealed' });
    trial.openWith(
      new Proxy(trial.worker, {
        get: (of: ArchiveWorker, name) => {
          const value = Reflect.get(of, name);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]) => {
            if (name === 'tally') tallies.push(given[0] as TallyQuestion);
            return value.apply(of, given);
          };
        },
      }),
    );
  }, 120_000);
  beforeEach(() => {
    tallies = [];
  });
  afterAll(async () => {
    await trial.close();
    await store.close();
  });

  const total = async (startTime: string, endTime: string, others: Record<string, string> = {}) => {
    const given = { startTime, endTime, ...others };
    const reader = new PostgresAuditEventReader(store.database.service);
    const query = toAuditEventQuery(parseParameters(LIST_PARAMETERS, given));
    return (await reader.page(oneTenant(store.tenantId), query)).totalCount;
  };
  const within = (from: string, to: string) => timesOf.filter((time) => time >= from && time < to).length;
  const END = '2026-03-01T00:00:00.0000000Z';

  it.each([
    ['at an hour', '2026-02-04T05:00:00.0000000Z', END],
    ['at an event', '2026-02-04T05:00:00.1234567Z', END],
    ['after an event, within its millisecond', '2026-02-04T05:00:00.1234568Z', END],
    ['at the millisecond of an event', '2026-02-04T05:00:00.1230000Z', END],
    ['a millisecond later', '2026-02-04T05:00:00.1240000Z', END],
    ['within an hour of many events', '2026-02-03T06:20:00.0000000Z', END],
    ['at both ends, in one hour', '2026-02-04T05:00:00.1230000Z', '2026-02-04T05:30:00.1240000Z'],
    [
      'at its beginning, and ends with an hour',
      '2026-02-04T05:10:00.0000000Z',
      '2026-02-05T09:00:00.0000000Z',
    ],
    [
      'at its beginning, and ends with a millisecond',
      '2026-02-04T05:00:00.1230000Z',
      '2026-02-04T05:00:00.1240000Z',
    ],
    ['at both ends, in two weeks', '2026-02-04T05:10:00.0000000Z', '2026-02-12T07:40:00.0000000Z'],
  ])('%s, has the events of that range', async (_, from, to) => {
    expect(await total(from, to)).toBe(within(from, to));
  });

  it('asks the file no more when it begins a moment later', async () => {
    const at = (second: number) => `2026-02-05T09:10:${String(second).padStart(2, '0')}.0000000Z`;
    await total(at(0), END);
    tallies = [];
    for (const second of [1, 30, 59]) expect(await total(at(second), END)).toBe(within(at(second), END));
    expect(tallies).toEqual([]);
    expect(await total(at(1), END, { succeeded: 'false' })).toBeLessThan(within(at(1), END));
    expect(tallies.length).toBeGreaterThan(0);
  });

  it.each([
    ['2026-02-04T05:10:00.0000000Z', '2026-02-12T07:40:00.0000000Z'],
    ['2026-02-04T05:10:00.0000000Z', '2026-02-05T09:00:00.0000000Z'],
    ['2026-02-04T05:00:00.0000000Z', '2026-02-05T09:10:00.0000000Z'],
  ])('has the bars of a histogram from %s to %s', async (from, to) => {
    const explorer = new PostgresAuditEventExplorer(store.database.service);
    const filter = toAuditEventFilter(
      parseParameters(LIST_PARAMETERS, { startTime: from, endTime: to }),
    ) as Parameters<typeof explorer.histogram>[1];
    for (const bars of [10, 300]) {
      const { buckets } = await explorer.histogram(oneTenant(store.tenantId), filter, bars);
      for (const bucket of buckets) {
        const [first, end] = [formatTicks(bucket.from), formatTicks(bucket.to)];
        expect([first, bucket.succeeded + bucket.failed]).toEqual([first, within(first, end)]);
      }
    }
  });
});
