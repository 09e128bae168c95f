import { Zone } from '../../src/event/zone';
import { cronProblems, EVERY, periodAt, scheduleTimes } from '../../src/modules/reports/schedules/timing';

const berlin = new Zone('Europe/Berlin');
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
const timesOf = (cron: string, zone: string, from: string, count: number) => {
  const times = scheduleTimes(cron, new Zone(zone));
  const found: string[] = [];
  for (let ms = Date.parse(from); found.length < count; found.push(iso(ms))) ms = times.next(ms);
  return found;
};

it.each([
  [
    'a local time that is left out comes at the change',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T00:00Z',
    ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30'],
  ],
  [
    'a local time that comes twice counts once',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24T00:00Z',
    ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
  ],
  [
    'a schedule of each hour has each moment once',
    '0 * * * *',
    'Europe/Berlin',
    '2026-03-28T23:30Z',
    ['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T02:00'],
  ],
  [
    'and counts the hour that comes twice once',
    '0 * * * *',
    'Europe/Berlin',
    '2026-10-24T23:30Z',
    ['2026-10-25T00:00', '2026-10-25T02:00', '2026-10-25T03:00'],
  ],
  [
    'a time of each hour that is left out is not made up, since the next one is in the same hour',
    '15 * * * *',
    'Europe/Berlin',
    '2026-03-28T23:30Z',
    ['2026-03-29T00:15', '2026-03-29T01:15', '2026-03-29T02:15'],
  ],
  [
    'a day that begins at the change begins once',
    '0 0 * * *',
    'America/Santiago',
    '2026-09-05T00:00Z',
    ['2026-09-05T04:00', '2026-09-06T04:00', '2026-09-07T03:00'],
  ],
  [
    'half an hour of summer time',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T00:00Z',
    ['2026-10-03T15:30', '2026-10-04T15:15'],
  ],
  [
    'the last day of February',
    '0 6 29 2 *',
    'UTC',
    '2026-01-01T00:00Z',
    ['2028-02-29T06:00', '2032-02-29T06:00'],
  ],
] as const)('%s', (_, cron, zone, from, wanted) => {
  expect(timesOf(cron, zone, from, wanted.length)).toEqual(wanted);
});

it('the last time before each moment of a year is one of the next times, and none lies between', () => {
  for (const zone of ['Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Kolkata'])
    for (const cron of ['30 2 * * *', '0 * * * *', '15 * * * *', '0 0 * * 1', '0 6 1 * *']) {
      const times = scheduleTimes(cron, new Zone(zone));
      for (let i = 0; i < 20; i++) {
        const ms = Date.parse('2026-01-01T00:00Z') + i * 18.3 * 86_400_000 + (i % 24) * 1_800_000;
        const last = times.last(ms);
        expect(last).toBeLessThanOrEqual(ms);
        expect(times.next(last - 1)).toBe(last);
        expect(times.next(last)).toBeGreaterThan(ms);
      }
    }
});

it('a run covers what its period says, whole local days too when they have 23 or 25 hours', () => {
  const covered = Date.parse('2026-03-20T00:00Z');
  const due = Date.parse('2026-03-30T04:00Z');
  const at = (period: (typeof EVERY)[keyof typeof EVERY]['period'] | 'schedule') => {
    const { fromMs, toMs } = periodAt({ period, zone: berlin }, due, covered);
    return [iso(fromMs), iso(toMs)];
  };
  expect(at('schedule')).toEqual(['2026-03-20T00:00', '2026-03-30T04:00']);
  expect(at('hour')).toEqual(['2026-03-30T03:00', '2026-03-30T04:00']);
  expect(at('day')).toEqual(['2026-03-28T23:00', '2026-03-29T22:00']);
  expect(at('week')).toEqual(['2026-03-22T23:00', '2026-03-29T22:00']);
  expect(at('month')).toEqual(['2026-01-31T23:00', '2026-02-28T23:00']);
});

it.each([
  ['Europe/Berlin', '2026-03-29', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-10-04'],
  ['America/Santiago', '2026-04-05', '2026-09-06'],
])('the hourly runs at the changes of clocks in %s cover each moment once', (name, ...changes) => {
  const zone = new Zone(name);
  for (const cron of [EVERY.hourly.cron, '45 * * * *'])
    for (const day of changes) {
      const times = scheduleTimes(cron, zone);
      const run = (ms: number) => periodAt({ period: 'hour', zone }, ms, 0);
      let ms = times.next(Date.parse(day) - 24 * 3_600_000);
      for (let i = 0; i < 48; i++) {
        const { toMs } = run(ms);
        ms = times.next(ms);
        expect(iso(run(ms).fromMs)).toBe(iso(toMs));
      }
    }
});

it.each([
  ['hourly', ['2026-01-05T06:15', '2026-01-05T07:15']],
  ['daily', ['2026-01-06T06:00', '2026-01-07T06:00']],
  // A Monday.
  ['weekly', ['2026-01-12T06:00', '2026-01-19T06:00']],
  ['monthly', ['2026-02-01T06:00', '2026-03-01T06:00']],
] as const)('the times that are called %s are as the documents have them', (name, wanted) => {
  const times = scheduleTimes(EVERY[name].cron, new Zone('UTC'));
  const first = times.next(Date.parse('2026-01-05T06:00Z'));
  expect([first, times.next(first)]).toEqual(wanted.map((text) => Date.parse(`${text}Z`)));
});

it.each([
  ['0 6 * * *', 0],
  ['*/15 * * * *', 0],
  ['*/10 * * * *', 1],
  ['0 6 31 2 *', 1],
  ['* * * * *', 1],
  ['*/7 * * * *', 1],
  ['0 0 6 * * *', 1],
  ['sixish', 1],
  ['', 1],
  ['0 6 * * MON', 0],
  ['@daily', 0],
])('the expression "%s" has %i problems', (text, count) => {
  expect(cronProblems(text, 'cron')).toHaveLength(count);
});
