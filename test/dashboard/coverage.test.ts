interface Source {
  readonly tenantId: string;
  readonly hostName: string;
  readonly databaseName: string;
  readonly lastEventTime: string | null;
  readonly lastReported: string;
  readonly completeThrough: string | null;
  readonly hasProblem: boolean;
  readonly retiredAt: string | null;
  readonly standbySince: string | null;
}
type Missing = { readonly fromMs: number; readonly toMs: number; readonly source: string };
type Coverage = { readonly sources: readonly Source[]; readonly gaps: readonly object[] };
type Stretch = Omit<Missing, 'source'>;
const { missingIn, placeIn, stretchesOf } = jest.requireActual<{
  placeIn: (stretch: Stretch, range: Stretch) => { readonly left: number; readonly width: number };
  stretchesOf: (missing: readonly Missing[]) => readonly { fromMs: number; toMs: number }[];
  missingIn: (coverage: Coverage, fromMs: number, toMs: number, nowMs: number) => readonly Missing[];
}>('../../dashboard/src/explore/coverage/missing');

const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-01-05T12:00:00Z');
const FROM = NOW - 24 * 60 * MINUTE_MS;
const ago = (minutes: number) => new Date(NOW - minutes * MINUTE_MS).toISOString();
const aSource = (change: Partial<Source> = {}): Source => ({
  tenantId: '1',
  hostName: 'SQL01',
  databaseName: 'Payroll',
  lastEventTime: ago(1),
  lastReported: ago(1),
  completeThrough: ago(1),
  hasProblem: false,
  retiredAt: null,
  standbySince: null,
  ...change,
});
const lackingFrom = (change: Partial<Source>) =>
  missingIn({ sources: [aSource(change)], gaps: [] }, FROM, NOW, NOW).map(({ fromMs }) => fromMs);

describe('the stretch of the last day for which events of a source may be missing', () => {
  it.each([
    ['empty if the source reports and is caught up', {}, null],
    ['all since it was caught up if the source is behind', { completeThrough: ago(300) }, 300],
    ['empty if the source is retired', { completeThrough: ago(300), retiredAt: ago(200) }, null],
    ['empty if another host has its folder', { completeThrough: ago(300), standbySince: ago(200) }, null],
    ['the whole day if the source reports and was never caught up', { completeThrough: null }, 24 * 60],
    [
      'all since it was caught up if the source is silent',
      { lastReported: ago(30), completeThrough: ago(31) },
      31,
    ],
    [
      'the whole day if the source has a problem and was never caught up',
      { completeThrough: null, hasProblem: true },
      24 * 60,
    ],
    [
      'all since it was caught up if the source has a problem',
      { completeThrough: ago(2), hasProblem: true },
      2,
    ],
  ])('is %s', (_, change, minutes) => {
    expect(lackingFrom(change)).toEqual(minutes === null ? [] : [NOW - minutes * MINUTE_MS]);
  });

  it('is hatched once, however many sources it concerns', () => {
    const lacking = [
      [5, 9],
      [1, 3],
      [2, 4],
      [4, 5],
      [6, 7],
      [20, 20],
    ].map(([fromMs = 0, toMs = 0], i) => ({ fromMs, toMs, source: `${i}` }));
    expect(stretchesOf(lacking)).toEqual([
      { fromMs: 1, toMs: 9 },
      { fromMs: 20, toMs: 20 },
    ]);
  });

  it('is that of a gap, up to the ends of the range where its times are not known', () => {
    const gap = {
      tenantId: '1',
      hostName: 'SQL01',
      databaseName: 'Payroll',
      afterTime: null,
      beforeTime: null,
    };
    const of = (change: object) =>
      missingIn({ sources: [], gaps: [{ ...gap, ...change }] }, FROM, NOW, NOW).map(({ fromMs, toMs }) => [
        (NOW - fromMs) / MINUTE_MS,
        (NOW - toMs) / MINUTE_MS,
      ]);
    expect(of({})).toEqual([[24 * 60, 0]]);
    expect(of({ afterTime: ago(30) })).toEqual([[30, 0]]);
    expect(of({ beforeTime: ago(30) })).toEqual([[24 * 60, 30]]);
    expect(of({ afterTime: ago(3_000), beforeTime: ago(20) })).toEqual([[24 * 60, 20]]);
    expect(of({ afterTime: ago(3_000), beforeTime: ago(2_900) })).toEqual([]);
  });

  it('begins after five minutes of silence', () => {
    const silent = (minutes: number) => lackingFrom({ lastReported: ago(minutes), completeThrough: ago(1) });
    expect([silent(5), silent(6)]).toEqual([[], [NOW - MINUTE_MS]]);
  });

  it('is shown only for the source concerned, not for one of another tenant with the same name', () => {
    const sources = [aSource({ completeThrough: null }), aSource({ tenantId: '2' })];
    expect(missingIn({ sources, gaps: [] }, FROM, NOW, NOW).map(({ source }) => source)).toEqual([
      '1 SQL01 (Payroll)',
    ]);
  });

  it.each([
    ['the first quarter', [100, 150], { left: 0, width: 25 }],
    ['what lies within the range', [50, 200], { left: 0, width: 50 }],
    ['what lies within the range, at its end', [250, 900], { left: 75, width: 25 }],
    ['a place without width', [200, 200], { left: 50, width: 0 }],
    ['the end, after the range', [400, 500], { left: 100, width: 0 }],
  ])('has a place below the bars: %s', (_, [fromMs = 0, toMs = 0], place) => {
    expect(placeIn({ fromMs, toMs }, { fromMs: 100, toMs: 300 })).toEqual(place);
  });
});
