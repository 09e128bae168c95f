import { DAY_MS, HOUR_MS } from '../../src/event/event-time';
import { stretchFor, Zone } from '../../src/event/zone';

const NOON = Date.parse('2026-01-05T12:00:00.123Z');

describe('the local times of a zone', () => {
  it.each([
    ['UTC', '2026-01-05 12:00:00.123 +00:00', 12, 1],
    ['Europe/Berlin', '2026-01-05 13:00:00.123 +01:00', 13, 1],
    ['Asia/Kathmandu', '2026-01-05 17:45:00.123 +05:45', 17, 1],
    ['America/St_Johns', '2026-01-05 08:30:00.123 -03:30', 8, 1],
    ['Pacific/Marquesas', '2026-01-05 02:30:00.123 -09:30', 2, 1],
    ['Pacific/Kiritimati', '2026-01-06 02:00:00.123 +14:00', 2, 2],
  ])('%s are told with its offset', (name, text, hour, weekday) => {
    const zone = new Zone(name);
    expect(zone.format(NOON)).toBe(text);
    expect(zone.hourOf(NOON)).toBe(hour);
    const minute = hour * 60 + Number(text.slice(14, 16));
    expect(zone.momentOf(NOON)).toEqual({ weekday, minute });
  });

  it('have days, hours and months, whatever was asked before', () => {
    const zone = new Zone('Asia/Kathmandu');
    const asked = (ms: number) =>
      (['month', 'day', 'hour', 'day', 'month'] as const).map((unit) => zone.stretchOf(ms, unit));
    expect(asked(NOON)).toEqual(['2026-01', '2026-01-05', '2026-01-05 17:00', '2026-01-05', '2026-01']);
    const evening = Date.parse('2026-01-31T18:15:00Z');
    expect(asked(evening)).toEqual(['2026-02', '2026-02-01', '2026-02-01 00:00', '2026-02-01', '2026-02']);
    expect(asked(evening - 1)).toEqual([
      '2026-01',
      '2026-01-31',
      '2026-01-31 23:00',
      '2026-01-31',
      '2026-01',
    ]);
  });
});

it('a period is divided into hours, days or months by its length', () => {
  const lengths = [HOUR_MS, 3 * DAY_MS, 3 * DAY_MS + 1, 366 * DAY_MS, 366 * DAY_MS + 1];
  expect(lengths.map(stretchFor)).toEqual(['hour', 'hour', 'day', 'day', 'month']);
});
