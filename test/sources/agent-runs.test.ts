import fc from 'fast-check';
import { type AgentRun, agentsBeside, isForAnother, withReport } from '../../src/modules/sources/agent-runs';

const MINUTE = 60_000;
/** The number of agents after each report, of runs at minutes. */
const agentsAfter = (...reports: readonly (readonly [runId: string, minute: number])[]) => {
  let runs: readonly AgentRun[] = [];
  return reports.map(([runId, minute]) => {
    runs = withReport(runs, runId, minute * MINUTE);
    return agentsBeside(runs);
  });
};

describe('the agents that report a source', () => {
  it('are one, however often it starts again, also when a late report arrives', () => {
    expect(agentsAfter(['a', 0], ['a', 1], ['b', 1.2], ['b', 2], ['c', 2.1], ['c', 9])).toEqual([
      1, 1, 1, 1, 1, 1,
    ]);
    expect(agentsAfter(['a', 0], ['b', 1], ['a', 1.5], ['b', 2], ['b', 3])).toEqual([1, 1, 1, 1, 1]);
    expect(agentsAfter(['a', 0], ['b', 1], ['a', 2], ['b', 3])).toEqual([1, 1, 1, 1]);
  });

  it('reported last at their latest time, also by an instance of the service whose clock is behind', () => {
    const reports = [
      ['a', 0],
      ['b', 1],
      ['a', 2.1],
      ['a', 1.9],
      ['b', 2.2],
    ] as const;
    expect(agentsAfter(...reports).at(-1)).toBe(2);
  });

  it('are two or more once they go on side by side, until the others are silent', () => {
    expect(agentsAfter(['a', 0], ['b', 0.5], ['a', 1], ['b', 1.5], ['a', 2], ['b', 2.5])).toEqual([
      1, 1, 1, 1, 2, 2,
    ]);
    const three = agentsAfter(['a', 0], ['b', 1], ['c', 2], ['a', 3], ['b', 4], ['c', 5], ['a', 6], ['b', 7]);
    expect(three.slice(-2)).toEqual([3, 3]);
    expect(agentsAfter(['a', 0], ['b', 1], ['a', 3], ['b', 3.5], ['b', 7], ['b', 8.1]).slice(3)).toEqual([
      2, 2, 1,
    ]);
  });

  it('may be of two hosts of which one has the shared folder: its state counts, also when it is silent', () => {
    let runs: readonly AgentRun[] = [];
    const report = (runId: string, minute: number, isAway: boolean) => {
      runs = withReport(runs, runId, minute * MINUTE, isAway);
      return [agentsBeside(runs), isForAnother(runs)];
    };
    const [alone, without, forAnother] = [
      [1, false],
      [0, false],
      [0, true],
    ];
    // One agent that starts again while the folder is away.
    expect([
      report('a', 0, false),
      report('b', 1, true),
      report('a', 1.1, false),
      report('b', 9, true),
    ]).toEqual([...[alone, without, alone, without]]);
    // Two agents: the folder goes from one to the other, and back.
    runs = [];
    expect([
      report('a', 0, false),
      report('b', 0.5, true),
      report('a', 2, false),
      report('b', 2.5, true),
    ]).toEqual([...[alone, without, alone, forAnother]]);
    expect([
      report('b', 9, false),
      report('a', 9.1, true),
      report('b', 11, false),
      report('a', 11, true),
    ]).toEqual([...[alone, without, alone, forAnother]]);
    expect([report('a', 20, false), report('b', 20.1, true), report('a', 22, false)]).toEqual([
      ...[alone, without, alone],
    ]);
    // The one that has it ends, and says nothing.
    expect([report('b', 22.5, true), report('b', 90, true), report('b', 91, false)]).toEqual([
      ...[forAnother, forAnother, alone],
    ]);
  });

  it('are never more than report, and few are remembered', () => {
    const one = fc.tuple(fc.nat(30).map(String), fc.nat(4), fc.boolean());
    const reports = fc.array(one, { maxLength: 60 });
    fc.assert(
      fc.property(reports, (given) => {
        let [runs, atMs]: [readonly AgentRun[], number] = [[], 0];
        for (const [runId, minutes, isAway] of given) {
          atMs += minutes * MINUTE;
          runs = withReport(runs, runId, atMs, isAway);
          expect(runs.length).toBeLessThanOrEqual(8);
          expect(runs.at(-1)).toMatchObject({ runId, lastMs: atMs });
          expect(agentsBeside(runs)).toBeLessThanOrEqual(runs.length);
        }
      }),
    );
  });

  it('are one where each run ends before the next begins', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(90), { minLength: 1, maxLength: 5 }), { maxLength: 12 }),
        (starts) => {
          let [runs, atMs]: [readonly AgentRun[], number] = [[], 0];
          starts.forEach((waits, n) => {
            for (const seconds of waits) {
              atMs += seconds * 1_000;
              runs = withReport(runs, `run ${n}`, atMs);
              expect(agentsBeside(runs)).toBe(1);
            }
          });
        },
      ),
    );
  });
});
