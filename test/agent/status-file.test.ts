import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineLog } from '../../agent/log';
import { DatabaseActivity } from '../../agent/status/database-activity';
import { loadStatus, StatusFile } from '../../agent/status/status-file';
import { AGENT_TIMES } from '../../agent/times';

it('the status file is written after a change, at most once a second, and every ten seconds without a change', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'audit-status-'));
  const end = new AbortController();
  const writtenAt: number[] = [];
  let nowMs = 0;
  let waitingBytes = 0;
  const clock = {
    now: () => nowMs,
    elapsed: () => 5_000 + nowMs,
    async wait(ms: number) {
      const status = await loadStatus(dataDir);
      const second = Date.parse(status?.writtenAt ?? '') / 1000;
      if (writtenAt.at(-1) !== second) writtenAt.push(second);
      nowMs += ms;
      if (nowMs === 13_000) waitingBytes = 5;
      if (nowMs > 30_000) end.abort();
    },
  };
  const activity = new DatabaseActivity('X', '7', clock, null);
  activity.begin({
    // The time up to which everything is acknowledged moves on in every poll, and must cause no write.
    files: () => [{ name: 'a', offset: 0, size: 10, waitingBytes }],
    unread: () => [],
    listedAtMs: () => nowMs,
    isAway: () => false,
    pendingGaps: () => 0,
  });
  const file = new StatusFile({
    dataDir,
    clock,
    times: AGENT_TIMES,
    log: new LineLog(() => {}),
    status: () => ({
      version: 1,
      agentVersion: '1',
      pid: 1,
      configPath: '',
      startedAt: '',
      obstacle: null,
      databases: [activity.status()],
    }),
  });
  await file.keep(end.signal);
  expect(writtenAt).toEqual([0, 10, 13, 23]);
  expect((await loadStatus(dataDir))?.running).toBe(false);
  rmSync(dataDir, { recursive: true });
});
