import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { type Gap, toGap } from '../../agent/gaps/gap';
import { AGENT_VERSION } from '../../agent/version';
import { AgentWorld, FILES_2017, FILES_2022 } from './support/agent-world';
import { type ReportFault, refuse, respond } from './support/fake-ingest-service';
import { until } from './support/until';

const serverError: ReportFault = (_, response) => {
  refuse(response, 500, 'internal_error');
  return true;
};
const silence: ReportFault = () => true;
const olderService: ReportFault = (_, response) => {
  const message = 'Unknown type "AuditSourceReport". Did you mean "AuditEventBatch"?';
  respond(response, 400, { errors: [{ message, extensions: { code: 'invalid_parameter' } }] });
  return true;
};
const gaps = (count: number): Gap[] =>
  Array.from({ length: count }, (_, n) =>
    toGap({
      database: 'Payroll',
      reason: 'FILE_DELETED',
      fileName: `${n}.sqlaudit`,
      fileGuid: null,
      range: 'all',
      detail: 'was removed unread',
      afterTime: null,
      beforeTime: '2025-04-16T00:00:00.0000000Z',
      detectedAtMs: 0,
    }),
  );

describe('an agent that reports to the service', () => {
  let world: AgentWorld;
  let gapsPath: string;
  beforeEach(async () => {
    world = await AgentWorld.create();
    gapsPath = join(world.dataDir, 'gaps/7/Payroll.ndjson');
  });
  afterEach(async () => {
    expect(world.service.mistakes).toEqual([]);
    await world.close();
  });
  const reportedCount = () =>
    world.service.reports.reduce((sum, { publishedCount }) => sum + publishedCount, 0);
  const leaveGaps = (count: number) => {
    mkdirSync(dirname(gapsPath), { recursive: true });
    writeFileSync(
      gapsPath,
      gaps(count)
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(''),
    );
  };

  it('reports how much is published, up to which event, and whether that is everything', async () => {
    world.copy(FILES_2022);
    world.follow();
    await until('all reported', () => reportedCount() === 150);
    const last = await until('caught up', () =>
      world.service.reports.find(({ caughtUpAt, waitingBytes }) => caughtUpAt !== null && waitingBytes === 0),
    );
    const newest = world.service.events
      .map(({ eventTime }) => eventTime)
      .toSorted()
      .at(-1);
    expect(last).toEqual({
      tenantId: '7',
      hostName: hostname(),
      databaseName: 'Payroll',
      agentVersion: AGENT_VERSION,
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      publishedCount: expect.any(Number),
      lastEventTime: newest,
      waitingBytes: 0,
      caughtUpAt: expect.stringMatching(/^\d{4}-.*Z$/),
      problem: null,
      gaps: [],
      running: {
        version: null,
        pollIntervalMs: 10,
        batchMaxEvents: 1_000,
        logLevel: 'info',
        isOn: true,
        refused: [],
      },
    });
  });

  it('reports while nothing happens, and each report moves on the time up to which all is acknowledged', async () => {
    world.copy(FILES_2022);
    world.follow();
    await until('all reported', () => reportedCount() === 150);
    const before = world.service.reports.length;
    await until('heartbeats', () => world.service.reports.length >= before + 3);
    const times = world.service.reports.slice(before).map(({ caughtUpAt }) => caughtUpAt ?? '');
    expect(times.at(-1)).not.toBe(times[0]);
    expect(times).toEqual(times.toSorted());
  });

  it.each([
    ['fail', serverError],
    ['are not answered', silence],
    ['are not known to the service', olderService],
  ])('publishes even if reports %s, and later reports everything', async (_, fault) => {
    world.service.reportFault = fault;
    world.copy(FILES_2022);
    world.follow({ reportTimeoutMs: 300 });
    await until('all published', () => world.service.stored.size === 150);
    expect(world.service.reports).toEqual([]);
    world.service.reportFault = () => false;
    await until('all reported', () => reportedCount() === 150);
  });

  it('tells the run of the agent, another after a restart, and no service that does not know runs', async () => {
    world.copy(FILES_2022);
    const agent = world.follow();
    await until('reports', () => world.service.reports.length > 2);
    await agent.stop();
    const [first, ...others] = new Set(world.service.reports.map(({ runId }) => runId));
    expect(others).toEqual([]);
    world.service.reports.splice(0);
    let refused = 0;
    world.service.reportFault = ({ runId }, response) => {
      if (runId === undefined) return false;
      refused += Number(runId !== first);
      const message =
        'Variable "$report" got invalid value { … }; Field "runId" is not defined by type "AuditSourceReport".';
      respond(response, 400, { errors: [{ message, extensions: { code: 'invalid_parameter' } }] });
      return true;
    };
    world.follow();
    await until('reports again', () => world.service.reports.length > 2);
    expect(refused).toBe(1);
  });

  it('logs once that the service knows no reports', async () => {
    let asked = 0;
    world.service.reportFault = (...given) => {
      asked++;
      return olderService(...given);
    };
    world.copy(FILES_2022);
    world.follow();
    await until('some attempts', () => asked > 2);
    expect(world.log.match(/takes no reports yet/g)).toHaveLength(1);
    expect(world.log).not.toContain('error');
  });

  it('reports gaps at once, in groups, and keeps them until the service has them', async () => {
    leaveGaps(130);
    world.copy(FILES_2022);
    world.service.reportFault = serverError;
    const agent = world.follow();
    await until('a failure', () => world.log.includes('could not be reported'));
    await agent.stop();
    expect(readFileSync(gapsPath, 'utf8').trim().split('\n')).toHaveLength(130);

    // Everything is published before the first report is taken.
    world.service.reportFault = (...given) => world.service.stored.size < 150 && serverError(...given);
    world.follow();
    await until('all gaps acknowledged', () => readFileSync(gapsPath, 'utf8') === '');
    const [first, second] = world.service.reports.filter((report) => report.gaps.length > 0);
    expect([first?.gaps.length, second?.gaps.length]).toEqual([100, 30]);
    expect([...(first?.gaps ?? []), ...(second?.gaps ?? [])]).toEqual(gaps(130));
    // Until the service has all gaps, none lies before the time up to which the source is complete.
    expect(first?.caughtUpAt).toBeNull();
    await until('caught up', () => world.service.reports.some(({ caughtUpAt }) => caughtUpAt !== null));
  });

  it('keeps gaps that the service did not store', async () => {
    leaveGaps(2);
    world.service.reportFault = (_, response) => {
      respond(response, 200, { data: { reportAuditSource: { gapsKept: 1 } } });
      return true;
    };
    world.follow();
    await until('the complaint', () => world.log.includes('the service kept 1 of 2 gaps'));
    expect(readFileSync(gapsPath, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('reports in a single run too, with what an earlier run could not report', async () => {
    world.copy(FILES_2022);
    world.service.reportFault = serverError;
    expect(await world.once()).toBe(0);
    world.service.reportFault = () => false;
    world.copy(FILES_2017);
    expect(await world.once()).toBe(0);
    expect(reportedCount()).toBe(230);
    expect(world.service.reports.at(-1)).toMatchObject({ waitingBytes: 0, problem: null });
  });

  it('reports what keeps it from publishing', async () => {
    world.configure({}, { Databases: [] });
    world.follow();
    world.configure();
    const report = await until('a report', () =>
      world.service.reports.find(({ problem }) => problem !== null),
    );
    expect(report).toMatchObject({ problem: 'no audit file matches AuditFilePath', caughtUpAt: null });
  });

  it('reports that it cannot save its bookmarks, and when it can again', async () => {
    const draft = join(world.dataDir, 'checkpoints/7/Payroll.json.new');
    mkdirSync(draft, { recursive: true });
    world.copy(FILES_2022);
    world.follow();
    const failed = await until('the problem', () =>
      world.service.reports.find(({ problem }) => problem !== null),
    );
    expect(failed.problem).toMatch('EISDIR');
    rmSync(draft, { recursive: true });
    await until('all well', () => {
      const last = world.service.reports.at(-1);
      return last?.problem === null && last.waitingBytes === 0;
    });
    expect(world.service.stored.size).toBe(150);
  });
});
