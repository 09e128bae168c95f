import { parseTicks } from '../../src/event/event-time';
import { EXPECTED, MOMENTS } from '../compliance/support/expected-answers';
import { HISTORY, hoursAgo } from '../compliance/support/known-history';
import { signed } from '../evidence/signed-tenant';
import { aGap, aReport, REPORT, reportOf } from '../support/audit-sources';
import { ONE_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

type Row = Readonly<Record<string, string | number | null>>;
interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

const DAY_MS = 86_400_000;
const CHECK = `query($tenantId: String!) { auditLogCheck(tenantId: $tenantId, start: 0) { wrong } }`;

describe.each(ONE_ENGINE)('reports on what the service knows on %s', (engine) => {
  useLimits({ ...QUICK_LOG, checkpointMs: 1, retentionMs: 100 });
  const at = useWorld(engine);

  const keyOf = async ({ tenantId }: TestTenant) =>
    (
      await at.world.key({
        tenantIds: [tenantId],
        scopes: ['read:reports', 'read:compliance', 'read:audit-activity'],
      })
    ).key;
  const make = async (key: string, reportId: string, query: Readonly<Record<string, string>>) => {
    const { status, body, text } = await at.world.get(`/reports/${reportId}/content`, key, {
      query: { ...query, format: 'json' },
    });
    expect([status, text.slice(0, 300)]).toEqual([200, expect.stringContaining(reportId)]);
    const sectionOf = (title: string): readonly Row[] =>
      body.sections.find((section: Section) => section.title === title).rows;
    return { rows: body.rows as readonly Row[], end: body.end, sectionOf };
  };

  describe('trail-health', () => {
    const NOW_MS = Date.now();
    const [FROM_MS, TO_MS] = [NOW_MS - 20 * DAY_MS, NOW_MS + DAY_MS];
    const timeAt = (ms: number) => `${new Date(ms).toISOString().slice(0, 23)}0000Z`;
    const PERIOD = { startTime: timeAt(FROM_MS), endTime: timeAt(TO_MS) };
    /** The ends of gaps, around both ends of the period. Null: unknown. */
    const EDGES = [null, FROM_MS - 2 * DAY_MS, FROM_MS - 1, FROM_MS, FROM_MS + 1, NOW_MS - 1_000];
    const GAPS = EDGES.flatMap((from) =>
      EDGES.filter((to) => to === null || from === null || from < to).map((to) => ({ from, to })),
    );
    const SOURCES = [
      { hostName: 'PAY01', databaseName: 'Payroll', behindMs: 40_000, gaps: GAPS.slice(0, 12) },
      { hostName: 'PAY01', databaseName: 'Shop', behindMs: 3 * 3_600_000, gaps: GAPS.slice(12) },
      { hostName: 'WEB01', databaseName: 'Übung 管理', behindMs: null, gaps: [] },
    ];
    const EVENTS = 40;
    const OLD = 7;
    let tenant: TestTenant;
    let key: string;
    beforeAll(async () => {
      tenant = await at.world.tenant();
      key = await keyOf(tenant);
      await tenant.ingest([
        ...Array.from({ length: EVENTS }, (_, i) => anEvent({ eventTime: timeAt(NOW_MS - i * 60_000) })),
        ...Array.from({ length: OLD }, (_, i) => anEvent({ eventTime: timeAt(NOW_MS - (90 + i) * DAY_MS) })),
      ]);
      for (const { hostName, databaseName, behindMs, gaps } of SOURCES) {
        const report = aReport({
          ...{ tenantId: tenant.tenantId, hostName, databaseName, publishedCount: 3 },
          lastEventTime: timeAt(NOW_MS - 60_000),
          caughtUpAt: behindMs === null ? null : timeAt(NOW_MS - behindMs),
          gaps: gaps.map(({ from, to }, i) =>
            aGap({
              reason: i % 2 === 0 ? 'BLOCKS_MISSING' : 'UNREADABLE',
              afterTime: from === null ? null : timeAt(from),
              beforeTime: to === null ? null : timeAt(to),
            }),
          ),
        });
        reportOf((await at.world.graphql(tenant.agentKey, REPORT, { report })).body);
      }
      await signed(tenant, EVENTS + OLD);
      await at.world.operate(CHECK, { tenantId: tenant.tenantId });
      await at.world.operate(
        `mutation { setTenantRetention(tenantId: "${tenant.tenantId}", days: 30) { tenantId } }`,
      );
      await until(
        async () => (await make(key, 'trail-health', PERIOD)).sectionOf('Removed by retention'),
        (rows) => rows.length > 0,
      );
    });

    it('has the sources, the gaps that touch the period, and the minutes of each lag, as they were reported', async () => {
      const { rows, end, sectionOf } = await make(key, 'trail-health', PERIOD);
      const nameOf = ({ hostName, databaseName }: Row | (typeof SOURCES)[number]) =>
        `${hostName} ${databaseName}`;
      expect(rows.map(nameOf).sort()).toEqual(SOURCES.map(nameOf).sort());
      expect(end.rows).toBe(SOURCES.length);
      for (const source of SOURCES) {
        const row = rows.find((one) => nameOf(one) === nameOf(source)) as Row;
        expect(row).toMatchObject({ gapCount: source.gaps.length, lastEventTime: timeAt(NOW_MS - 60_000) });
        const lagSeconds = row.lagSeconds === null ? null : Number(row.lagSeconds);
        if (source.behindMs === null) expect(lagSeconds).toBeNull();
        else expect(lagSeconds).toBeGreaterThanOrEqual(Math.floor(source.behindMs / 1_000));
      }
      // By hand, moment by moment: a gap touches the period if one of its moments lies in it.
      const isIn = (from: number | null, to: number | null) => {
        const moments = [...EDGES, TO_MS - 1, TO_MS, NOW_MS - 3_000 * DAY_MS]
          .flatMap((edge) => (edge === null ? [] : [edge - 0.5, edge + 0.5]))
          .filter((moment) => moment >= FROM_MS && moment < TO_MS);
        return moments.some((moment) => (from === null || moment > from) && (to === null || moment < to));
      };
      const wanted = SOURCES.flatMap((source) =>
        source.gaps
          .filter(({ from, to }) => isIn(from, to))
          .map(({ from, to }) => [
            nameOf(source),
            from === null ? null : timeAt(from),
            to === null ? null : timeAt(to),
          ]),
      );
      const found = sectionOf('Gaps in the period').map((gap) => [
        nameOf(gap),
        gap.afterTime,
        gap.beforeTime,
      ]);
      expect(found.map((gap) => JSON.stringify(gap)).sort()).toEqual(
        wanted.map((gap) => JSON.stringify(gap)).sort(),
      );
      expect(wanted.length).toBeGreaterThan(10);
      expect(wanted.length).toBeLessThan(GAPS.length);
      const lags = sectionOf('Lag in the period, noted each minute');
      for (const source of SOURCES) {
        const lag = lags.find((one) => nameOf(one) === nameOf(source));
        if (source.behindMs === null) expect(lag?.minutes ?? 0).toBe(0);
        else {
          // One report was noted, so half of the minutes and the worst one are the same.
          expect(lag).toMatchObject({
            minutes: 1,
            p50Seconds: lag?.worstSeconds,
            p99Seconds: lag?.worstSeconds,
          });
          expect(Number(lag?.worstSeconds)).toBeGreaterThanOrEqual(source.behindMs / 1_000);
          expect(Number(lag?.worstSeconds)).toBeLessThan(source.behindMs / 1_000 + 120);
        }
      }
    });

    it('as any report, names the sources that are not complete for its period, in each file and in what is signed', async () => {
      const behindAt = async (endMs: number) => {
        const { end } = await make(key, 'log-ons', { startTime: PERIOD.startTime, endTime: timeAt(endMs) });
        return end.behind;
      };
      const completeOf = (i: number) => {
        const { hostName = '', databaseName = '', behindMs = null } = SOURCES[i] ?? {};
        const completeThrough = behindMs === null ? null : timeAt(NOW_MS - behindMs);
        return { hostName, databaseName, completeThrough };
      };
      const [shop, web] = [completeOf(1), completeOf(2)];
      expect(await behindAt(TO_MS)).toEqual([shop, web]);
      expect(await behindAt(NOW_MS - 3_600_000)).toEqual([shop, web]);
      expect(await behindAt(NOW_MS - 4 * 3_600_000)).toEqual([web]);
      const question = { startTime: PERIOD.startTime, endTime: timeAt(NOW_MS - 3_600_000) };
      const files = async (format: string) =>
        (await at.world.get('/reports/log-ons/content', key, { query: { ...question, format } })).text;
      expect(await files('csv')).toContain(`\r\n"#behind","PAY01","Shop","${shop.completeThrough}"\r\n`);
      expect(await files('html')).toContain('PAY01, Shop: complete through ');
      const { body } = await at.world.get('/reports', key);
      const { runs } = body.data.find(({ reportId }: { reportId: string }) => reportId === 'log-ons');
      const run = await at.world.get(`/reports/runs/${runs[0].runId}`, key);
      expect(JSON.parse(run.body.data.manifest).behind).toEqual([shop, web]);
    });

    it('has the entries of the log, the verification of them, and what retention removed', async () => {
      const { sectionOf } = await make(key, 'trail-health', PERIOD);
      expect(sectionOf('Evidence log')).toEqual([
        { size: EVENTS + OLD, waiting: 0, refused: 0, problem: null },
      ]);
      const verifications = sectionOf('Verifications in the period');
      expect(verifications.at(-1)).toMatchObject({ entries: EVENTS + OLD, wrong: 0, problem: null });
      const removed = sectionOf('Removed by retention').reduce((sum, { events }) => sum + Number(events), 0);
      expect(removed).toBe(OLD);
      const [{ from, to } = {}] = sectionOf('Removed by retention');
      expect(Date.parse(String(from))).toBeLessThanOrEqual(NOW_MS - (89 + OLD) * DAY_MS);
      expect(Date.parse(String(to))).toBeLessThanOrEqual(NOW_MS - 30 * DAY_MS);
      const gone = { startTime: timeAt(NOW_MS - 120 * DAY_MS), endTime: timeAt(NOW_MS - 60 * DAY_MS) };
      expect((await make(key, 'log-ons', gone)).end).toMatchObject({ rows: 0, removed: { events: OLD } });
      expect((await make(key, 'log-ons', PERIOD)).end.removed).toBeNull();
      const earlier = await make(key, 'trail-health', {
        startTime: timeAt(FROM_MS - DAY_MS),
        endTime: timeAt(FROM_MS),
      });
      expect(earlier.sectionOf('Verifications in the period')).toEqual([]);
    });
  });

  describe('controls', () => {
    let tenant: TestTenant;
    let key: string;
    beforeAll(async () => {
      tenant = await at.world.tenant();
      key = await keyOf(tenant);
      await tenant.ingest(HISTORY.map((event) => anEvent(event)));
    });

    /** Controls that events alone decide: without agents, declarations and alerts, the answer is that of the table. */
    const OF_EVENTS: Readonly<Record<string, readonly string[]>> = {
      'stig-2022': ['SQLI-22-004600', 'SQLI-22-011800', 'SQLI-22-013800', 'SQLI-22-014800'],
      'stig-2016': ['SQL6-D0-004600', 'SQL6-D0-014400', 'SQL6-D0-015000', 'SQL6-D0-015200'],
      cis: ['5.1', '5.2', '5.3', '5.4'],
      'pci-dss': ['10.2.1.2', '10.2.1.3', '10.2.1.4', '10.2.1.5', '10.2.1.6', '10.2.1.7'],
      hipaa: ['164.308(a)(5)(ii)(C)'],
      'iso-27001': ['A.8.2'],
      'nist-800-53': ['AC-2 (4)', 'AC-6 (9)', 'AU-12 c', 'CM-5 (1)'],
    };
    const LETTERS: Readonly<Record<string, string>> = {
      p: 'pass',
      f: 'fail',
      u: 'unknown',
      n: 'not_applicable',
    };
    const NAMES = Object.keys(MOMENTS) as (keyof typeof MOMENTS)[];

    it.each(['beforeAll', 'recording', 'withoutLogins', 'recordingAgain'] as const)(
      'has, at the moment %s, each control on each instance as the table by hand says',
      async (moment) => {
        const endTime = hoursAgo(MOMENTS[moment]);
        const { rows, end, sectionOf } = await make(key, 'controls', { startTime: hoursAgo(700), endTime });
        expect(end.rows).toBe(rows.length);
        const whole = rows.filter(({ databaseName }) => databaseName === null);
        // Every control of every framework, on both instances, and nothing twice.
        const nameOf = ({ frameworkId, controlId, serverInstanceName }: Row) =>
          `${frameworkId} ${controlId} ${serverInstanceName}`;
        const all = Object.entries(EXPECTED).flatMap(([frameworkId, controls]) =>
          Object.keys(controls).flatMap((controlId) =>
            ['PAY01', 'WEB01'].map((instance) => `${frameworkId} ${controlId} ${instance}`),
          ),
        );
        expect(whole.map(nameOf).sort()).toEqual(all.sort());
        const place = NAMES.indexOf(moment);
        let compared = 0;
        for (const [frameworkId, controlIds] of Object.entries(OF_EVENTS))
          for (const controlId of controlIds) {
            const columns = EXPECTED[frameworkId]?.[controlId]?.split(' ') ?? [];
            for (const [i, instance] of ['PAY01', 'WEB01'].entries()) {
              const row = whole.find((one) => nameOf(one) === `${frameworkId} ${controlId} ${instance}`);
              const letter = columns[i]?.[place] ?? '';
              expect([controlId, instance, row?.status]).toEqual([controlId, instance, LETTERS[letter]]);
              compared++;
            }
          }
        expect(compared).toBe(2 * Object.values(OF_EVENTS).flat().length);
        // The sums are those of the rows.
        const sums = sectionOf('By framework');
        expect(sums.map(({ frameworkId }) => frameworkId)).toEqual(Object.keys(EXPECTED).sort());
        for (const sum of sums)
          for (const status of Object.values(LETTERS))
            expect([sum.frameworkId, status, sum[status]]).toEqual([
              ...[sum.frameworkId, status],
              rows.filter((row) => row.frameworkId === sum.frameworkId && row.status === status).length,
            ]);
      },
    );

    it('has for one framework what the controls of REST answer for the end of the period', async () => {
      const endTime = hoursAgo(MOMENTS.withoutLogins);
      const { rows } = await make(key, 'controls', {
        ...{ startTime: hoursAgo(700), endTime },
        framework: 'pci-dss',
      });
      const { body } = await at.world.get('/compliance/controls', key, {
        query: { framework: 'pci-dss', asOf: endTime, pageSize: 100 },
      });
      const shown = ({ controlId, serverInstanceName, databaseName, status, since, reason }: Row) =>
        JSON.stringify([controlId, serverInstanceName, databaseName, status, since, reason]);
      expect(rows.map(shown).sort()).toEqual(body.data.map(shown).sort());
      const failed = rows
        .filter(({ status }) => status === 'fail')
        .map(({ since }) => parseTicks(String(since)));
      expect(failed.length).toBeGreaterThan(0);
    });
  });
});
