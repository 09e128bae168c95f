import { parseTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { eventTimeOf } from '../../src/event/record-id';
import { LIMITS } from '../../src/limits';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { anEvent } from '../support/events';

const NOW = Date.parse('2026-01-06T00:00:00Z');

/** What is stored of an event of this time. */
function storedAt(eventTime: string, additional: object | null = { a: 1 }) {
  const checked = checkEvent(
    1,
    anEvent({ eventTime, ...(additional && { additional: { ...additional } }) }),
    NOW,
  );
  if ('rejection' in checked) throw new Error(checked.rejection.message);
  const { recordId, record, stated } = checked.event;
  return { time: eventTimeOf(recordId), stated: JSON.parse(stated), record };
}
const MARK = { clock: '2026-01-06T00:00:00.000Z' };

describe('the time of an event', () => {
  it('has no mark from the first moment of 1990 to one day from now', () => {
    for (const ms of [Date.parse('1990-01-01T00:00:00Z'), NOW, NOW + LIMITS.eventFutureMaxMs])
      expect(storedAt(new Date(ms).toISOString()).stated).toEqual({ a: 1 });
  });

  it.each(['1970-01-01T00:00:00.0000000Z', '1989-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.9999999Z'])(
    'is kept outside that range, with a mark that says what time the service had: %s',
    (eventTime) => {
      const { time, stated } = storedAt(eventTime);
      expect([time, stated]).toEqual([eventTime, { a: 1, ...MARK }]);
    },
  );

  it('has the mark from the first millisecond outside that range', () => {
    const end = BigInt(NOW + LIMITS.eventFutureMaxMs) * TICKS_PER_MS;
    expect(parseTicks('2026-01-07T00:00:00.0000000Z')).toBe(end);
    expect(storedAt('2026-01-07T00:00:00.0000000Z').stated).toEqual({ a: 1 });
    expect(storedAt('2026-01-07T00:00:00.0010000Z').stated).toEqual({ a: 1, ...MARK });
  });

  it.each(['0001-01-01T00:00:00Z', '1601-01-01T00:00:00.0000000Z', '1969-12-31T23:59:59.9999999Z'])(
    'is stated beside the mark if a record id cannot hold it: %s',
    (eventTime) =>
      expect(storedAt(eventTime)).toMatchObject({
        time: '1970-01-01T00:00:00.0000000Z',
        stated: { a: 1, ...MARK, 'event.eventTime': eventTime },
      }),
  );

  it('replaces no value that an agent states, with its mark', () => {
    const own = { clock: 1, 'event.clock': 2, 'event.eventTime': 3 };
    expect(storedAt('1969-01-01T00:00:00Z', own).stated).toEqual({
      ...own,
      'event.event.clock': MARK.clock,
      'event.event.eventTime': '1969-01-01T00:00:00Z',
    });
    expect(storedAt('2026-01-05T00:00:00Z', own).stated).toEqual(own);
  });

  it('gives a record the same id whenever it comes', () => {
    const event = anEvent({ eventTime: '2026-01-09T00:00:00Z' });
    const ids = [NOW, NOW + 5 * LIMITS.eventFutureMaxMs].map((now) => {
      const checked = checkEvent(1, event, now);
      return 'event' in checked ? checked.event.recordId : null;
    });
    expect(ids[0]).toBe(ids[1]);
  });
});
