import { toSourceReport } from '../../agent/report/source-report';
import { REPORT_CHARS_MAX, REPORT_PUBLISHED_MAX } from '../../src/event/source-report';

const STATUS = {
  ...{
    name: 'Payroll',
    tenantId: '7',
    state: 'publishing',
    unreportedCount: 3,
    waitingBytes: 5,
    problem: null,
  },
  ...{ lastEventTime: '2026-01-05T08:00:00Z', caughtUpAt: null },
};
const REPORTER = { hostName: 'SQL01', agentVersion: '1.0.0', runId: 'r', running: { version: 2 } };
const reportOf = (status: object = {}, reporter: object = {}, whole: readonly string[] | null = null) =>
  toSourceReport({ ...REPORTER, ...reporter } as never, { ...STATUS, ...status } as never, [], whole);

describe('the report on a database', () => {
  it('has what its status says, and no more', () => {
    expect(reportOf()).toEqual({
      ...{ tenantId: '7', hostName: 'SQL01', databaseName: 'Payroll', agentVersion: '1.0.0', runId: 'r' },
      ...{ publishedCount: 3, lastEventTime: STATUS.lastEventTime, caughtUpAt: null, waitingBytes: 5 },
      ...{ problem: null, gaps: [], running: REPORTER.running },
    });
  });

  it('has no more than a service takes: of names, problems and counts', () => {
    const { hostName, problem } = REPORT_CHARS_MAX;
    const long = reportOf(
      { problem: 'p'.repeat(problem + 1), unreportedCount: REPORT_PUBLISHED_MAX + 1 },
      { hostName: 'h'.repeat(hostName + 1) },
    );
    expect([long.hostName.length, long.problem?.length, long.publishedCount]).toEqual([
      ...[hostName, problem, REPORT_PUBLISHED_MAX],
    ]);
    expect(reportOf({}, { hostName: '' }).hostName).toBe('unknown');
  });

  it('names the package that is offered, and the whole files of a shared folder', () => {
    const ofPackage = { sha256: 's', version: '2', state: 'TRIAL', reason: null };
    expect(reportOf({}, { ofPackage }).package).toEqual(ofPackage);
    expect(reportOf({}, {}, ['a']).shared).toEqual({ isStandby: false, wholeFiles: ['a'] });
    expect(reportOf({ state: 'standby' }, {}, []).shared).toEqual({ isStandby: true, wholeFiles: [] });
  });
});
