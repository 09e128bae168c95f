import { gapsOf, newestStored, type Refusal } from '../../agent/uplink/refused-events';
import { queued } from './support/queued';

interface Place {
  readonly guid?: string;
  readonly block: number;
  readonly index?: number;
  /** A second of the hour. */
  readonly at: number;
}

const timeOf = (second: number, ticks = '0000000') =>
  `2026-01-05T08:00:${String(second).padStart(2, '0')}.${ticks}Z`;
const eventsOf = (...places: readonly Place[]) =>
  queued(
    ...places.map(({ guid = 'G1', block, index = 0, at }) =>
      JSON.stringify({
        file: `${guid}.sqlaudit`,
        fileGuid: guid,
        blockOffset: block,
        index,
        eventTime: timeOf(at),
      }),
    ),
  );
const refused = (codes: Readonly<Record<number, string>>): ReadonlyMap<number, Refusal> =>
  new Map(Object.entries(codes).map(([at, code]) => [Number(at), { code, message: `why ${code}` }]));
const KEPT = { database: 'Payroll', keptIn: 'rejected.ndjson', nowMs: Date.UTC(2026, 0, 5, 9) };

describe('the gaps of refused events', () => {
  it('have no end behind the last moment that a time can state', () => {
    const event = {
      ...{ file: 'f', fileGuid: 'G1', blockOffset: 512, index: 0 },
      eventTime: '9999-12-31T23:59:59.9999999Z',
    };
    const gaps = gapsOf(queued(JSON.stringify(event)), refused({ 0: 'invalid_event' }), KEPT);
    expect(gaps.map(({ afterTime, beforeTime }) => [afterTime, beforeTime])).toEqual([
      [event.eventTime, null],
    ]);
  });

  it('are one for each file and code, and tell how many events are missing, which, and why', () => {
    const events = eventsOf(
      { block: 512, at: 1 },
      { guid: 'G2', block: 512, at: 2 },
      { block: 1024, at: 3 },
      { block: 1536, at: 4 },
    );
    const gaps = gapsOf(
      events,
      refused({ 0: 'invalid_event', 1: 'invalid_event', 2: 'too_large', 3: 'invalid_event' }),
      KEPT,
    );
    expect(
      gaps.map(({ fileGuid, fileName, reason, detail }) => [fileGuid, fileName, reason, detail]),
    ).toEqual([
      [
        ...['G1', 'G1.sqlaudit', 'REJECTED'],
        `the service refused 2 events of ${timeOf(1)} and later, from 512:0 to 1536:0: invalid_event: why invalid_event; kept in rejected.ndjson`,
      ],
      [
        ...['G2', 'G2.sqlaudit', 'REJECTED'],
        `the service refused 1 event of ${timeOf(2)} and later, from 512:0 to 512:0: invalid_event: why invalid_event; kept in rejected.ndjson`,
      ],
      [
        ...['G1', 'G1.sqlaudit', 'REJECTED'],
        `the service refused 1 event of ${timeOf(3)} and later, from 1024:0 to 1024:0: too_large: why too_large; kept in rejected.ndjson`,
      ],
    ]);
    expect(new Set(gaps.map(({ gapId }) => gapId)).size).toBe(3);
    expect(gaps[0]?.detectedAt).toBe('2026-01-05T09:00:00.000Z');
  });

  it('begin with the event that stands first in the file, and last from the earliest time until behind the latest', () => {
    const events = eventsOf(
      { block: 1024, index: 1, at: 9 },
      { block: 512, index: 10, at: 5 },
      { block: 512, index: 9, at: 7 },
      { block: 1024, index: 0, at: 2 },
    );
    const [gap, ...others] = gapsOf(events, refused({ 0: 'c', 1: 'c', 2: 'c', 3: 'c' }), KEPT);
    expect(others).toEqual([]);
    expect(gap?.detail).toContain('from 512:9 to 1024:1');
    expect([gap?.afterTime, gap?.beforeTime]).toEqual([timeOf(2), timeOf(9, '0000001')]);
  });

  it('have the same id when the same events are refused again, as after a crash', () => {
    const idOf = (nowMs: number, block = 512) =>
      gapsOf(eventsOf({ block, at: 1 }), refused({ 0: 'c' }), { ...KEPT, nowMs })[0]?.gapId;
    expect(idOf(1)).toBe(idOf(2));
    expect(idOf(1)).not.toBe(idOf(1, 1024));
  });
});

it('the newest stored event is none of those that were refused, wherever it stands', () => {
  const events = eventsOf({ block: 0, at: 3 }, { block: 1, at: 9 }, { block: 2, at: 5 }, { block: 3, at: 4 });
  expect(newestStored(events, refused({ 1: 'c' }))).toBe(timeOf(5));
  expect(newestStored(events, refused({ 0: 'c', 1: 'c', 2: 'c', 3: 'c' }))).toBeNull();
});
