import fc from 'fast-check';
import { FILETIME_UNIX_EPOCH, formatTicks, parseTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { Zone } from '../../src/event/zone';

const ticksAt = (iso: string) => BigInt(Date.parse(iso)) * TICKS_PER_MS;
const FIRST = ticksAt('0001-01-01T00:00:00Z');
const LAST = ticksAt('9999-12-31T23:59:59.999Z') + 9_999n;
const ticks = fc.bigInt({ min: FIRST, max: LAST });

describe('event times', () => {
  it('are the same after formatting and parsing, to the last 100 ns, from year 1 to year 9999', () => {
    fc.assert(fc.property(ticks, (t) => parseTicks(formatTicks(t)) === t));
    for (const t of [FIRST, LAST, -1n, 0n, 1n]) expect(parseTicks(formatTicks(t))).toBe(t);
  });

  it('are written in UTC with seven decimals, so that text order is time order', () => {
    fc.assert(
      fc.property(ticks, ticks, (a, b) => {
        const [x, y] = [formatTicks(a), formatTicks(b)];
        expect(x).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
        expect(x < y).toBe(a < b);
      }),
    );
    expect(formatTicks(parseTicks('2026-11-19T23:59:56.8651234Z') ?? 0n)).toBe(
      '2026-11-19T23:59:56.8651234Z',
    );
  });

  it('cannot be formatted outside the years 1 to 9999', () => {
    expect(() => formatTicks(LAST + 1n)).toThrow(RangeError);
    expect(() => formatTicks(ticksAt('0000-01-01T00:00:00Z') - 1n)).toThrow(RangeError);
  });

  it('count ticks from 1970, and FILETIME counts from 1601', () => {
    expect(parseTicks('1970-01-01')).toBe(0n);
    expect(parseTicks('1601-01-01')).toBe(-FILETIME_UNIX_EPOCH);
  });
});

describe('a time that a caller writes', () => {
  it.each([
    ['2026-11-19', '2026-11-19T00:00:00.0000000Z', 'a date is its first moment'],
    ['2026-11-19T10:20', '2026-11-19T10:20:00.0000000Z', 'no seconds'],
    ['2026-11-19T10:20:30', '2026-11-19T10:20:30.0000000Z', 'no offset means UTC'],
    ['2026-11-19t10:20:30z', '2026-11-19T10:20:30.0000000Z', 'letter case'],
    ['2026-11-19T10:20:30,5Z', '2026-11-19T10:20:30.5000000Z', 'a decimal comma'],
    ['2026-11-19T10:20:30+02:00', '2026-11-19T08:20:30.0000000Z', 'an offset east'],
    ['2026-11-19T10:20:30-0330', '2026-11-19T13:50:30.0000000Z', 'an offset west without colon'],
    ['2026-11-19T23:30:00-01', '2026-11-20T00:30:00.0000000Z', 'an offset of hours'],
    ['2024-02-29', '2024-02-29T00:00:00.0000000Z', 'a leap day'],
    ['0099-06-01', '0099-06-01T00:00:00.0000000Z', 'a year below 100'],
  ])('%s means %s: %s', (text, expected) => {
    const parsed = parseTicks(text);
    expect(parsed === null ? null : formatTicks(parsed)).toBe(expected);
  });

  it('is rounded up at the seventh decimal, so that half-open ranges compare exactly', () => {
    const at = parseTicks('2026-11-19T10:20:30.1234567Z') ?? 0n;
    expect(parseTicks('2026-11-19T10:20:30.12345670000Z')).toBe(at);
    expect(parseTicks('2026-11-19T10:20:30.12345670001Z')).toBe(at + 1n);
    expect(parseTicks('2026-11-19T10:20:30.99999999Z')).toBe(parseTicks('2026-11-19T10:20:31Z'));
  });

  it.each([
    '2025-02-29',
    '2026-04-31T00:00:00Z',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-01T24:00:00Z',
    // These have the form that the decoder writes, which has a parser of its own.
    '2026-02-30T00:00:00.0000000Z',
    '2025-02-29T23:59:59.9999999Z',
    '2026-04-31T00:00:00.0000000Z',
    '2026-01-00T00:00:00.0000000Z',
    '2026-13-01T00:00:00.0000000Z',
    '2026-01-01T24:00:00.0000000Z',
    '2026-01-01T10:60:00.0000000Z',
    '2026-01-01T10:00:60.0000000Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:60Z',
    '2026-01-01T10:00:00+24:00',
    '2026-01-01T10:00:00+01:60',
    '2026-01-01T10',
    '2026-01-01 10:00:00',
    ' 2026-01-01',
    '2026-1-1',
    '+12026-01-01',
    'yesterday',
    '1795046400000',
    '',
  ])('%j is no time', (text) => expect(parseTicks(text)).toBeNull());

  it('never makes the parser throw, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof parseTicks(text) !== 'undefined'));
  });
});

it('a local stretch changes with the local day, hour and month, and not with those of UTC', () => {
  const zone = new Zone('Asia/Kolkata');
  const times = [
    '2026-01-31T18:29:59Z',
    '2026-01-31T18:30:00Z',
    '2026-01-31T18:59:59Z',
    '2026-02-01T00:00:00Z',
  ];
  const named = (unit: 'hour' | 'day' | 'month') =>
    times.map((time) => zone.stretchOf(Date.parse(time), unit));
  expect(named('day')).toEqual(['2026-01-31', '2026-02-01', '2026-02-01', '2026-02-01']);
  expect(named('hour').map((name) => name.slice(8))).toEqual([
    '31 23:00',
    '01 00:00',
    '01 00:00',
    '01 05:00',
  ]);
  expect(named('month')).toEqual(['2026-01', '2026-02', '2026-02', '2026-02']);
});
