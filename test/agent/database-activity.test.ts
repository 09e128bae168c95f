import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../agent/clock';
import { KeptSettings, toWanted } from '../../agent/settings/kept-settings';
import type { SourceState } from '../../agent/source/audit-source';
import { DatabaseActivity, fromEarlierRun } from '../../agent/status/database-activity';
import { fileProgressOf } from '../../agent/status/file-progress';

const NOW = Date.parse('2026-01-05T08:00:00Z');
const LISTED = Date.parse('2026-01-05T07:59:30Z');
const iso = (ms: number) => new Date(ms).toISOString();

it('an object that is uploaded again waits as a whole until it is read, and a copy under another key does not', () => {
  const path = 's3://bucket/a.sqlaudit';
  const bookmark = {
    ...{ file: 'a.sqlaudit', path, blockOffset: 1_024, index: 0 },
    endSize: 4_096,
    version: 'v1',
  };
  const waiting = (found: object) =>
    fileProgressOf(
      {
        name: 'a.sqlaudit',
        readableSize: 4_096,
        found: { path, size: 4_096, version: 'v1', isWhole: true, ...found },
      } as never,
      bookmark,
    ).waitingBytes;
  const copy = 's3://bucket/copy/a.sqlaudit';
  expect(
    [{}, { version: 'v2' }, { version: 'v2', path: copy }, { version: 'v2', isWhole: false }].map(waiting),
  ).toEqual([0, 4_096, 0, 0]);
});

describe('the activity on a database', () => {
  let activity: DatabaseActivity;
  let files: { name: string; offset: number; size: number; waitingBytes: number; isFinished: boolean }[];
  let unread: { path: string; reason: string; bytes: number }[];
  let listedAtMs: number | null;
  let isAway: boolean;
  let source: SourceState | null;
  beforeEach(() => {
    [files, unread, listedAtMs, isAway, source] = [[fileOf(0)], [], LISTED, false, null];
    activity = new DatabaseActivity('db', '7', { ...systemClock, now: () => NOW }, null);
    begin();
  });
  const begin = () =>
    activity.begin({
      files: () => files as never,
      unread: () => unread,
      listedAtMs: () => listedAtMs,
      isAway: () => isAway,
      pendingGaps: () => 3,
      source: () => source,
    });
  const fileOf = (waitingBytes: number) => ({
    ...{ name: 'a.sqlaudit', offset: 512, size: 512 + waitingBytes, waitingBytes },
    isFinished: false,
  });
  const tally = (accepted: number, duplicates = 0, rejected = 0) => ({ accepted, duplicates, rejected });
  const shown = () => {
    const { state, problem, waitingBytes, caughtUpAt } = activity.status();
    return [state, problem, waitingBytes, caughtUpAt];
  };

  it('is caught up at the listing after which nothing waits: no bytes, no records, no file that cannot be read', () => {
    expect(shown()).toEqual(['idle', null, 0, iso(LISTED)]);
    listedAtMs = LISTED + 5_000;
    activity.read(2);
    expect(shown()).toEqual(['publishing', null, 0, iso(LISTED)]);
    activity.acknowledged(2, null, tally(2));
    files = [fileOf(9), fileOf(5)];
    expect(shown()).toEqual(['publishing', null, 14, iso(LISTED)]);
    files = [fileOf(0)];
    unread = [{ path: 'p', reason: 'EACCES', bytes: 4 }];
    expect(shown()).toEqual(['publishing', 'p: EACCES', 4, iso(LISTED)]);
    unread = [];
    expect(shown()).toEqual(['idle', null, 0, iso(LISTED + 5_000)]);
  });

  it('is never caught up without a file, or without a listing', () => {
    files = [];
    expect(shown()).toEqual(['idle', 'no audit file matches AuditFilePath', 0, null]);
    [files, listedAtMs] = [[fileOf(0)], null];
    activity.recording({ info: () => {}, warn: () => {}, error: () => {} }).error('the folder is not there');
    expect(shown()).toEqual(['idle', 'the folder is not there', 0, null]);
    expect(activity.hasLooked).toBe(false);
  });

  it('counts what waits in a store too, whose problem it shows', () => {
    source = { requests: 5, bytes: 6, waitingBytes: 7, completeAtMs: LISTED, problem: 'no object' };
    expect(shown()).toEqual(['publishing', 'no object', 7, null]);
    expect(activity.status().store).toEqual({ requests: 5, bytes: 6 });
  });

  it('is caught up as of the time of which a store was listed whole', () => {
    source = { requests: 5, bytes: 6, waitingBytes: 0, completeAtMs: null, problem: null };
    expect(shown()).toEqual(['idle', null, 0, null]);
    source = { ...source, completeAtMs: LISTED - 40_000 };
    expect(shown()).toEqual(['idle', null, 0, iso(LISTED - 40_000)]);
  });

  it('names the first of what cannot be read, and how many more there are', () => {
    unread = ['a', 'b', 'c'].map((path) => ({ path, reason: 'EIO', bytes: 1 }));
    expect(shown().slice(0, 3)).toEqual(['publishing', 'a: EIO; and 2 more', 3]);
  });

  it('shows what keeps it from publishing, the agent itself first', () => {
    files = [fileOf(9)];
    [isAway, listedAtMs] = [true, null];
    expect(shown().slice(0, 3)).toEqual(['standby', null, 0]);
    activity.serviceProblem = { kind: 'keyRefused', message: 'unauthorized' };
    expect(shown().slice(0, 2)).toEqual(['keyRefused', 'unauthorized']);
    activity.offBy = 4;
    expect(shown()).toEqual(['off', expect.stringContaining('version 4'), 0, null]);
    activity.ownProblem = 'ENOSPC';
    expect(shown().slice(0, 2)).toEqual(['failed', 'ENOSPC']);
    begin();
    expect([activity.ownProblem, activity.serviceProblem]).toEqual([null, null]);
  });

  it('counts what was acknowledged over all of its runs, and what the service was not told of yet', () => {
    activity.read(5);
    activity.acknowledged(3, '2026-01-05T07:00:00.0000000Z', tally(2, 1));
    activity.acknowledged(0, '2026-01-05T07:59:00.0000000Z', tally(9));
    activity.acknowledged(1, '2026-01-05T06:00:00.0000000Z', tally(2, 1, 1));
    expect(activity.status()).toMatchObject({
      waitingRecords: 1,
      tally: tally(2, 1, 1),
      unreportedCount: 3,
      lastEventTime: '2026-01-05T07:00:00.0000000Z',
      lastAcknowledgedAt: iso(NOW),
      gaps: { reported: 0, pending: 3 },
    });
    activity.reported(2, 1);
    expect(activity.status()).toMatchObject({ unreportedCount: 1, gaps: { reported: 1, pending: 3 } });
    activity.end();
    expect(activity.status()).toMatchObject({ waitingRecords: 0 });
    begin();
    activity.acknowledged(4, null, tally(4));
    expect(activity.status()).toMatchObject({ tally: tally(6, 1, 1), unreportedCount: 5 });
    expect(fromEarlierRun(activity.status())).toMatchObject({
      ...{ unreportedCount: 5, tally: tally(0), waitingRecords: 0, fileCount: 0, file: null },
      ...{ lastEventTime: '2026-01-05T07:00:00.0000000Z', gaps: { reported: 1, pending: 3 } },
    });
  });
});

describe('what the service wants an agent to run', () => {
  it('is its version and each setting, in place of a value that is too long one that no setting takes', () => {
    expect([toWanted(undefined, {}), toWanted(null, {})]).toEqual([undefined, null]);
    const none = { pollIntervalMs: null, batchMaxEvents: null, logLevel: null };
    expect(
      toWanted(3, { pollIntervalMs: 5, other: 1, databasesOn: ['a'], databasesOff: ['x'.repeat(20_000)] }),
    ).toEqual({
      version: 3,
      settings: { ...none, pollIntervalMs: 5, databasesOn: ['a'], databasesOff: {} },
    });
    expect(toWanted(3, null)).toEqual({
      version: 3,
      settings: { ...none, databasesOn: null, databasesOff: null },
    });
    const just = 'x'.repeat(16_384 - 2);
    expect(toWanted(3, { logLevel: just })?.settings.logLevel).toBe(just);
    expect(toWanted(3, { logLevel: `${just}x` })?.settings.logLevel).toEqual({});
  });

  it('is that of one tenant, as it is kept', () => {
    const text = JSON.stringify({ tenantId: '7', wanted: { version: 3, settings: {} } });
    expect(KeptSettings.wanted(text, '7')).toEqual({ version: 3, settings: {} });
    for (const [kept, tenantId] of [
      [text, '8'],
      [text, null],
      [null, '7'],
      ['{', '7'],
      ['{"tenantId":"7"}', '7'],
    ] as const)
      expect(KeptSettings.wanted(kept, tenantId)).toBeNull();
  });

  it('is what the last question was answered, although an earlier one is answered after it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-settings-'));
    try {
      const kept = new KeptSettings(folder);
      const wants = (version: number) => ({ version, settings: {} });
      const version = async () => KeptSettings.wanted(await kept.text(), '7')?.version ?? null;
      const [first, second, third] = [kept.asking('7'), kept.asking('7'), kept.asking('7')];
      await second(wants(4));
      await first(wants(3));
      expect(await version()).toBe(4);
      // The agent is of another group from now on, whose settings have a lower version.
      await third(wants(2));
      expect(await version()).toBe(2);
      await kept.asking('7')(null);
      expect(await version()).toBeNull();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
