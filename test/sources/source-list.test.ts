import type { AuditSource } from '../../src/modules/sources/audit-source';
import { type SourceListQuestion, sourceList } from '../../src/modules/sources/source-list';

const NOW = Date.parse('2026-01-05T08:00:00Z');
const source = (i: number, change: Partial<AuditSource> = {}): AuditSource => ({
  tenantId: (i % 3) + 1,
  hostName: `HOST${i}`,
  databaseName: 'Ledger',
  agentVersion: '0.1.0+g1a2b3c4',
  lastEventTime: '2026-01-05T07:59:58.1234567Z',
  caughtUpAt: '2026-01-05T07:59:59.0000000Z',
  waitingBytes: 4_096,
  publishedCount: 1_234_567,
  problem: null,
  retiredAt: null,
  retiredReason: null,
  standbySince: null,
  isUnread: true,
  running: null,
  package: null,
  gapCount: 0,
  lastReceived: new Date(NOW - 1_000),
  lastReported: new Date(NOW - 1_000),
  ...change,
});
const SILENT = { lastReported: new Date(NOW - 301_000) };
const ALL = Array.from({ length: 2_000 }, (_, i) => {
  if (i === 1_777) return source(i, { problem: 'the disk is full', gapCount: 2 });
  if (i === 1_888) return source(i, SILENT);
  return i === 1_999 ? source(i, { gapCount: 1 }) : source(i);
});
const list = (asked: Partial<SourceListQuestion> = {}) =>
  sourceList(
    ALL,
    (tenantId) => ['', 'Contoso', 'Fabrikam', 'Acme'][tenantId] ?? '',
    { state: null, search: '', page: 1, pageSize: 50, ...asked },
    NOW,
  );
const hosts = (asked: Partial<SourceListQuestion> = {}) => list(asked).items.map(({ hostName }) => hostName);

describe('the list of sources', () => {
  it('has a page, the worst states first, and the numbers of all sources', () => {
    const { items, ...numbers } = list();
    expect(numbers).toEqual({
      totalCount: 2_000,
      withGaps: 2,
      states: [
        { state: 'stale', sources: 1 },
        { state: 'problem', sources: 1 },
        { state: 'gaps', sources: 1 },
        { state: 'current', sources: 1_997 },
      ],
    });
    const { totalCount, ...ofAll } = list({ state: 'stale' });
    expect([totalCount, ofAll.withGaps, ofAll.states]).toEqual([1, 2, numbers.states]);
    expect(items).toHaveLength(50);
    expect(hosts().slice(0, 4)).toEqual(['HOST1888', 'HOST1777', 'HOST1999', 'HOST0']);
    expect(items.slice(0, 4).map(({ state }) => state)).toEqual(['stale', 'problem', 'gaps', 'current']);
    expect(JSON.stringify(items).length).toBeLessThan(25_000);
  });

  it.each([
    ['reported five minutes ago', { lastReported: new Date(NOW - 300_000) }, 'current'],
    ['is silent for longer, whatever else', { ...SILENT, problem: 'no key', gapCount: 2 }, 'stale'],
    ['is retired, whatever else', { ...SILENT, retiredAt: new Date(NOW), problem: 'no key' }, 'retired'],
    [
      'stands by for another host, whatever its lag',
      { standbySince: new Date(NOW - 7_200_000), isUnread: false, caughtUpAt: null, gapCount: 1 },
      'standby',
    ],
    [
      'stands by for an hour while no host has the folder',
      { standbySince: new Date(NOW - 3_600_000), caughtUpAt: null },
      'standby',
    ],
    [
      'stands by for longer while no host has the folder',
      { standbySince: new Date(NOW - 3_600_001), caughtUpAt: null },
      'lagging',
    ],
    [
      'stands by and has a problem, as nobody may see that it reads nothing',
      { standbySince: new Date(NOW - 1_000), problem: 'no key' },
      'problem',
    ],
    [
      'has a problem, whatever its lag and its gaps',
      { problem: 'no key', caughtUpAt: null, gapCount: 1 },
      'problem',
    ],
    [
      'was caught up an hour ago and has gaps',
      { caughtUpAt: '2026-01-05T07:00:00.0000000Z', gapCount: 1 },
      'gaps',
    ],
    ['was never caught up', { caughtUpAt: null, gapCount: 1 }, 'lagging'],
    ['was caught up two hours ago', { caughtUpAt: '2026-01-05T06:00:00.0000000Z' }, 'lagging'],
  ] as const)('tells how a source is that %s: %s', (_, change, state) => {
    const asked = { state: null, search: '', page: 1, pageSize: 9 };
    expect(sourceList([source(0, change)], () => '', asked, NOW).states).toEqual([{ state, sources: 1 }]);
  });

  it('goes on with the next page, and ends with the last', () => {
    expect(hosts({ page: 2, pageSize: 3 })).toEqual(['HOST0', 'HOST1', 'HOST2']);
    expect(hosts({ page: 41 })).toEqual([]);
  });

  it('leaves those in a state, and those with all words in host, database or tenant', () => {
    expect(hosts({ state: 'problem' })).toEqual(['HOST1777']);
    expect(hosts({ state: 'lagging' })).toEqual([]);
    expect(hosts({ search: ' host1777  LEDGER ' })).toEqual(['HOST1777']);
    expect(hosts({ search: 'host1777 payroll' })).toEqual([]);
    const { totalCount, states } = list({ search: 'fabri', pageSize: 1 });
    expect(totalCount).toBe(ALL.filter(({ tenantId }) => tenantId === 2).length);
    expect(states).toHaveLength(4);
  });
});
