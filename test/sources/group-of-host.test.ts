import type { AuditSource } from '../../src/modules/sources/audit-source';
import { notFollowing } from '../../src/modules/sources/following';
import {
  type AgentGroup,
  groupOf,
  NOTHING_WANTED,
  settingsAfter,
} from '../../src/modules/sources/groups/agent-group';
import { type AgentPackage, followingOf, packageOf } from '../../src/modules/sources/packages/agent-package';

const made = (name: string, hosts: readonly string[]): AgentGroup => ({
  ...{ groupId: name, tenantId: 3, name, position: 1, hosts, version: 1 },
  ...{ changedAt: new Date(0), settings: NOTHING_WANTED },
});
const matchesHost = (pattern: string, host: string) => groupOf([made('one', [pattern])], host) !== null;

describe('a pattern of host names', () => {
  it.each([
    ['sql01', 'SQL01', true],
    ['sql01', 'sql011', false],
    ['sql*', 'SQLPROD', true],
    ['sql*', 'mysql', false],
    ['*prod', 'sqlPROD', true],
    ['*prod', 'sqlprod2', false],
    ['*', '', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'acb', false],
    ['*ab*ab*', 'xabab', true],
    ['*ab*ab*', 'xab', false],
    ['a**b', 'ab', true],
    ['sql.1', 'sqlx1', false],
    ['sql?1', 'SQLx1', true],
    ['sql?1', 'sql1', false],
  ])('%s on %s: %s', (pattern, host, matches) => {
    expect(matchesHost(pattern, host)).toBe(matches);
  });
});

describe('the group of a host', () => {
  it('is the first that names it', () => {
    const groups = [made('a', ['web*']), made('b', ['x', 'sql*']), made('c', ['sql01'])];
    expect(groupOf(groups, 'SQL01')?.name).toBe('b');
    expect(groupOf(groups, 'db01')).toBeNull();
  });
});

describe('the settings of a group', () => {
  const before = { ...NOTHING_WANTED, batchMaxEvents: 100, databasesOn: ['a'], databasesOff: ['b'] };

  it('after a change are what it sets, also where it unsets the same, and else what they were', () => {
    expect(settingsAfter(before, { settings: { pollIntervalMs: 500, batchMaxEvents: undefined } })).toEqual({
      ...before,
      pollIntervalMs: 500,
    });
    const change = { settings: { databasesOn: ['c'] }, unset: ['Databases', 'BatchSize'] as const };
    expect(settingsAfter(before, change)).toEqual({ ...NOTHING_WANTED, databasesOn: ['c'] });
  });
});

describe('hosts that follow their group', () => {
  const AT = Date.parse('2026-01-05T08:00:00Z');
  const running = (version: number): AuditSource['running'] => ({
    ...{ version, pollIntervalMs: 100, batchMaxEvents: 100, logLevel: 'info', isOn: true, refused: [] },
  });
  const source = (hostName: string, minute: number, change: Partial<AuditSource> = {}): AuditSource => ({
    ...{ tenantId: 3, hostName, databaseName: `db ${minute}`, agentVersion: '1', lastEventTime: null },
    ...{ caughtUpAt: null, waitingBytes: 0, publishedCount: 0, problem: null, lastReceived: null },
    ...{ retiredAt: null, retiredReason: null, standbySince: null, isUnread: false, gapCount: 0 },
    lastReported: new Date(AT + minute * 60_000),
    running: running(1),
    package: null,
    ...change,
  });
  const offered: AgentPackage = {
    ...{ tenantId: 3, packageId: 'p', groupId: 'sql', version: '2.0.0', build: 1, size: 1, sha256: 'ab' },
    ...{ allowsOlder: false, signature: '', window: null, offeredAt: new Date(AT) },
  };
  const has = (state: 'INSTALLED' | 'REFUSED' | 'TAKEN_BACK', sha256 = 'ab') => ({
    package: { version: '2.0.0', sha256, state, reason: null },
  });
  const groups = [made('sql', ['sql*'])];
  const inUse = new Set([3]);
  const behind = { running: running(2) };

  it('are counted once each, by the source that reported last, without retired ones and disabled tenants', () => {
    const both = [source('sql1', 1, behind), source('sql1', 2)];
    for (const sources of [both, both.toReversed()])
      expect(notFollowing(sources, groups, [], inUse)).toEqual({ settings: 0, package: 0 });
    const late = [source('sql1', 1), source('sql1', 2, behind)];
    for (const sources of [late, late.toReversed()])
      expect(notFollowing(sources, groups, [], inUse)).toEqual({ settings: 1, package: 0 });
    expect(
      notFollowing([source('sql1', 1, { ...behind, retiredAt: new Date(AT) })], groups, [], inUse),
    ).toEqual({
      settings: 0,
      package: 0,
    });
    expect(notFollowing(late, groups, [], new Set())).toEqual({ settings: 0, package: 0 });
    expect(notFollowing([source('web1', 1, behind)], groups, [], inUse)).toEqual({ settings: 0, package: 0 });
  });

  it('have its package once they installed that one, and are offered only one whose file is here', () => {
    const sources = [
      source('sql1', 1, has('INSTALLED')),
      source('sql2', 1, has('INSTALLED', 'cd')),
      source('sql3', 1),
    ];
    expect(notFollowing(sources, groups, [offered], inUse)).toEqual({ settings: 0, package: 2 });
    const coming = { ...offered, packageId: 'q', offeredAt: null };
    expect(notFollowing(sources, groups, [coming], inUse)).toEqual({ settings: 0, package: 0 });
    expect(packageOf([coming, offered], groups[0] ?? null)?.packageId).toBe('p');
  });

  it('are told apart by what became of the package at the last report of each host', () => {
    const sources = [
      source('sql1', 1, has('REFUSED')),
      source('sql1', 2, has('INSTALLED')),
      source('sql2', 2, has('TAKEN_BACK')),
      source('sql2', 1, has('INSTALLED')),
      source('sql3', 1, { ...has('INSTALLED'), retiredAt: new Date(AT) }),
      source('sql4', 1, { ...has('INSTALLED'), tenantId: 4 }),
      source('web1', 1, has('INSTALLED')),
      source('sql5', 1, has('REFUSED')),
    ];
    expect(followingOf(offered, sources, groups)).toEqual({
      hosts: 3,
      installed: 1,
      takenBack: 1,
      refused: 1,
    });
  });
});
