import type { Clock } from '../../agent/clock';
import { LineLog } from '../../agent/log';
import type { ReportAnswer } from '../../agent/report/report-client';
import type { SourceReport } from '../../agent/report/source-report';
import { SourceReporter } from '../../agent/report/source-reporter';
import { DatabaseActivity } from '../../agent/status/database-activity';
import { AGENT_TIMES } from '../../agent/times';

const RUNNING: SourceReport['running'] & object = {
  version: null,
  pollIntervalMs: 1_000,
  batchMaxEvents: 1_000,
  logLevel: 'info',
  isOn: true,
  refused: [],
};

interface ReportedDatabase {
  waiting: number;
  published: number;
  gaps: number;
  /** Gaps that one report does not take. */
  left?: number;
  isAway?: boolean;
  /** The service has been told of the gaps before, without their end. */
  isKnown?: boolean;
}

/** The seconds at which an agent reports, with the usual waiting times. `happens` is called every second. */
async function reportTimes(
  seconds: number,
  happens: (second: number, database: ReportedDatabase, activity: DatabaseActivity) => void,
  answer: (report: SourceReport, second: number, abandoned: AbortController) => ReportAnswer = ({
    gaps,
  }) => ({
    kind: 'kept',
    gapsKept: gaps.length,
  }),
  proven: (second: number) => void = () => {},
): Promise<number[]> {
  const abandoned = new AbortController();
  const database: ReportedDatabase = { waiting: 0, published: 0, gaps: 0 };
  const end = new AbortController();
  let nowMs = 0;
  let tally = 0;
  const clock: Clock = {
    // Somebody sets it back, which changes no time of a report.
    now: () => (nowMs < 3_000 ? nowMs : nowMs - 1_200_000),
    elapsed: () => nowMs,
    async wait(ms) {
      nowMs += ms;
      if (nowMs > seconds * 1000) return end.abort();
      happens(nowMs / 1000, database, activity);
      tally += database.published;
      if (database.published > 0) {
        const sums = { accepted: tally, duplicates: 0, rejected: 0 };
        activity.acknowledged(database.published, '2026-01-01T00:00:00.0000000Z', sums);
      }
      database.published = 0;
    },
  };
  const activity = new DatabaseActivity('X', '7', clock, null);
  activity.begin({
    files: () => [{ name: 'a', offset: 0, size: 10, waitingBytes: database.waiting }],
    unread: () => [],
    listedAtMs: () => nowMs,
    isAway: () => database.isAway === true,
    pendingGaps: () => database.gaps,
  });
  const times: number[] = [];
  let asked = 0;
  const reporter = new SourceReporter({
    activity,
    clock,
    sharing: null,
    asking: () => {
      asked += 1;
      return async () => {};
    },
    packages: { wants: () => {}, reported: () => null, acknowledged: () => proven(nowMs / 1000) },
    times: AGENT_TIMES,
    log: new LineLog(() => {}),
    reporter: { hostName: 'h', agentVersion: '1', runId: 'r', running: RUNNING },
    client: {
      send: async (report) => {
        times.push(nowMs / 1000);
        // The question is asked before the service answers it.
        expect(asked).toBe(times.length);
        return answer(report, nowMs / 1000, abandoned);
      },
    },
    gaps: {
      get count() {
        return database.gaps + (database.left ?? 0);
      },
      pending: () => Array.from({ length: database.gaps }, () => ({ gapId: 'g' }) as never),
      acknowledge: async () => {
        database.gaps = 0;
      },
      isReported: () => database.isKnown === true,
    },
  });
  end.signal.addEventListener('abort', () => abandoned.abort());
  await reporter.run(end.signal, abandoned.signal);
  return times;
}

describe('reports on a database are sent', () => {
  it('at the start, and every minute while nothing happens', async () => {
    expect(await reportTimes(185, () => {})).toEqual([0, 60, 120, 180]);
  });

  it('no more once they are abandoned, also while the agent still works: each would fail at once', async () => {
    let sent = 0;
    const times = await reportTimes(
      10,
      () => {},
      (_, second, abandoned) => {
        abandoned.abort();
        sent += 1;
        if (second === 0 && sent > 1_000) throw new Error('reports without end');
        return { kind: 'failed', message: 'x' };
      },
    );
    expect(times).toEqual([0]);
  });

  it('at most every ten seconds while it publishes', async () => {
    const steady = await reportTimes(45, (_, database) => {
      database.published = 5;
    });
    expect(steady).toEqual([0, 10, 20, 30, 40]);
  });

  it('at once when the agent has caught up', async () => {
    const times = await reportTimes(40, (second, database) => {
      database.published = second < 24 ? 5 : 0;
      database.waiting = second < 24 ? 1_000 : 0;
    });
    expect(times).toEqual([0, 10, 20, 24]);
  });

  it('at once when a gap is found', async () => {
    const times = await reportTimes(10, (second, database) => {
      if (second === 4) database.gaps = 1;
    });
    expect(times).toEqual([0, 4]);
  });

  it('at once when another host has the folder, and when it is back', async () => {
    const times = await reportTimes(40, (second, database) => {
      database.isAway = second >= 7 && second < 19;
    });
    expect(times).toEqual([0, 7, 19]);
  });

  it('as complete only once the service is told of every gap', async () => {
    const told: (string | null)[] = [];
    await reportTimes(
      125,
      (second, database) => {
        database.left = second < 61 ? 3 : 0;
      },
      ({ gaps, caughtUpAt }) => {
        told.push(caughtUpAt);
        return { kind: 'kept', gapsKept: gaps.length };
      },
    );
    expect(told).toEqual([expect.any(String), null, expect.any(String)]);
  });

  it('and a gap counts once, also where a later report brings its end', async () => {
    const counted: number[] = [];
    const times = await reportTimes(30, (second, database, activity) => {
      if (second === 5 || second === 15) database.gaps = 2;
      database.isKnown = second >= 15;
      counted.push(activity.status().gaps.reported);
    });
    expect([times, counted.at(9), counted.at(-1)]).toEqual([[0, 5, 15], 2, 2]);
  });

  it('and prove a package only where events were acknowledged or none wait', async () => {
    const proved: number[] = [];
    const times = await reportTimes(
      125,
      (second, database) => {
        database.waiting = second >= 41 && second < 99 ? 1_000 : 0;
      },
      undefined,
      (second) => void proved.push(second),
    );
    expect([times, proved]).toEqual([
      [0, 60, 99],
      [0, 99],
    ]);
  });

  it('again ten seconds after a report that failed, whatever else is pending', async () => {
    const times = await reportTimes(
      35,
      (_, database) => {
        database.gaps = 1;
      },
      () => ({ kind: 'failed', message: 'x' }),
    );
    expect(times).toEqual([0, 10, 20, 30]);
  });

  it('once an hour to a service that does not know reports', async () => {
    const times = await reportTimes(
      7_300,
      (_, database) => {
        database.gaps = 1;
      },
      () => ({ kind: 'unknown' }),
    );
    expect(times).toEqual([0, 3_600, 7_200]);
  });
});
