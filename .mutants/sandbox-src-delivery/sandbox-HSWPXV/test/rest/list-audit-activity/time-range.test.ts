import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import type { Query, TestTenant } from '../../support/world';

/** Three events 100 ns apart, and one far before and one far after them. */
const [LONG_AGO, BEFORE, AT, AFTER, LATER] = [
  '2025-11-20T12:00:00.0000000Z',
  '2026-02-28T22:59:59.9999999Z',
  '2026-02-28T23:00:00.0000000Z',
  '2026-02-28T23:00:00.0000001Z',
  '2026-03-31T00:00:00.0000000Z',
] as const;

describe.each(ENGINES)('time range of GET /audit-activity on %s', (engine) => {
  const at = useWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
    for (const eventTime of [LONG_AGO, BEFORE, AT, AFTER, LATER]) await acme.audited({ eventTime });
  });
  const found = async (query: Query): Promise<string[]> => {
    const { data } = (await acme.get('/audit-activity', { sortDirection: 'asc', ...query })).body;
    return data.map((item: { eventTime: string }) => item.eventTime);
  };

  it('includes startTime, to 100 ns', async () => {
    expect(await found({ startTime: AT })).toEqual([AT, AFTER, LATER]);
    expect(await found({ startTime: AFTER })).toEqual([AFTER, LATER]);
  });

  it('excludes endTime, to 100 ns', async () => {
    expect(await found({ endTime: AT })).toEqual([LONG_AGO, BEFORE]);
    expect(await found({ endTime: AFTER })).toEqual([LONG_AGO, BEFORE, AT]);
  });

  it('selects the events of one moment with a range of 100 ns, and none with an empty range', async () => {
    expect(await found({ startTime: AT, endTime: AFTER })).toEqual([AT]);
    expect(await found({ startTime: AT, endTime: AT })).toEqual([]);
  });

  it('compares exactly with more decimals than events have', async () => {
    expect(await found({ startTime: '2026-02-28T23:00:00.00000001Z' })).toEqual([AFTER, LATER]);
    expect(await found({ endTime: '2026-02-28T23:00:00.00000001Z' })).toEqual([LONG_AGO, BEFORE, AT]);
  });

  it.each([
    ['with seconds', '2026-02-28T23:00:00Z'],
    ['without seconds', '2026-02-28T23:00Z'],
    ['with one decimal', '2026-02-28T23:00:00.0Z'],
    ['with a decimal comma', '2026-02-28T23:00:00,000Z'],
    ['in small letters', '2026-02-28t23:00:00z'],
    ['without an offset, which is UTC', '2026-02-28T23:00:00'],
    ['east of Greenwich', '2026-03-01T04:30:00+05:30'],
    ['east of Greenwich, in short', '2026-03-01T01:00:00+02'],
    ['west of Greenwich', '2026-02-28T15:00:00-08:00'],
    ['west of Greenwich, without a colon', '2026-02-28T19:30:00-0330'],
  ])('accepts a time %s', async (_, time) => {
    expect(await found({ startTime: time, endTime: LATER })).toEqual([AT, AFTER]);
  });

  it('accepts a date as its first moment in UTC', async () => {
    expect(await found({ startTime: '2026-02-28', endTime: '2026-03-01' })).toEqual([BEFORE, AT, AFTER]);
    expect(await found({ startTime: '2026-03-01', endTime: '2026-03-31' })).toEqual([]);
    expect(await found({ startTime: '2026-03-31' })).toEqual([LATER]);
  });

  it('may extend beyond all events', async () => {
    const all = [LONG_AGO, BEFORE, AT, AFTER, LATER];
    expect(await found({ startTime: '0001-01-01', endTime: '9999-12-31T23:59:59.9999999Z' })).toEqual(all);
    expect(await found({ endTime: '1970-01-01' })).toEqual([]);
    expect(await found({ startTime: '9999-12-31' })).toEqual([]);
  });
});
