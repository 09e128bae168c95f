import { parseTicks, TICKS_PER_MS } from '../../../src/event/event-time';
import { checkEvent } from '../../../src/modules/ingest/check-event';
import { anEvent } from '../../support/events';

const NOW = Date.parse('2026-01-06T00:00:00Z');
/** The code with which an event of this time is refused; null: it is accepted. */
function codeAt(eventTime: string): string | null {
  const checked = checkEvent(1, anEvent({ eventTime }), NOW);
  return 'event' in checked ? null : checked.rejection.code;
}

describe('the time of an event', () => {
  const DAY_MS = 86_400_000;
  it('may be from the first moment of 1990 to one day from now', () => {
    for (const ms of [Date.parse('1990-01-01T00:00:00Z'), NOW, NOW + DAY_MS]) {
      expect(codeAt(new Date(ms).toISOString())).toBeNull();
    }
  });

  it.each(['1989-12-31T23:59:59.9999999Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.9999999Z'])(
    'outside that range is refused with a code of its own: %s',
    (eventTime) => expect(codeAt(eventTime)).toBe('event_time_out_of_range'),
  );

  it('is refused from the first millisecond outside that range', () => {
    const end = BigInt(NOW + DAY_MS) * TICKS_PER_MS;
    expect(parseTicks('2026-01-07T00:00:00.0000000Z')).toBe(end);
    expect(codeAt('2026-01-07T00:00:00.0000000Z')).toBeNull();
    expect(codeAt('2026-01-07T00:00:00.0010000Z')).toBe('event_time_out_of_range');
  });
});
