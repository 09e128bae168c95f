import { runCli } from '../support/cli';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';

const CHECK = `query($tenantId: String!) { auditLogCheck(tenantId: $tenantId, start: 0) {
  signed sound removed altered missing problems } }`;
const WEEK = '2026-01-05T00:00:00.000Z';

describe.each(ENGINES)('a week that an operator seals and restores on %s', (engine) => {
  useLimits({
    ...QUICK_LOG,
    checkpointMs: 1,
    archiveAnnounceMs: 0,
    foldMs: 50,
    foldRestMs: 0,
    indexMs: 50,
    indexQuietMs: 0,
    indexLiveQuietMs: 0,
  });
  const at = useWorld(engine);

  it('is listed, and all answers stay what they were', async () => {
    const tenant = await at.world.tenant();
    const events = Array.from({ length: 30 }, (_, i) =>
      anEvent({
        eventTime: `2026-01-${String(5 + (i % 10)).padStart(2, '0')}T08:00:00.000000${i % 10}Z`,
        statement: i % 3 === 0 ? `SELECT ${i}` : 'UPDATE Salary',
      }),
    );
    await tenant.ingest(events);
    const { url } = at.world.service;
    const run = (command: string) =>
      runCli(
        [
          ...['archive', command, tenant.tenantId, '--week', WEEK],
          ...['--service', url, '--operator-key', at.world.operatorKey, '--json'],
        ],
        {},
      );
    const answers = async () => {
      const list = await tenant.get('/audit-activity', { pageSize: 50 });
      const searched = await tenant.get('/audit-activity', { search: 'salary', pageSize: 50 });
      const summary = await tenant.get('/audit-activity/summary', {});
      const { recordId } = list.body.data.at(-1);
      const detail = await tenant.get(`/audit-activity/${recordId}`, {});
      const { auditLogCheck } = await at.world.operate(CHECK, { tenantId: tenant.tenantId });
      return [list, searched, summary, detail].map(({ body }) => body.data).concat(auditLogCheck);
    };
    const before = await until(answers, (all) => all.at(-1).signed === 30);
    expect(before.at(-1)).toMatchObject({ sound: 30, altered: [], missing: [], problems: [] });

    const sealed = await until(
      async () => JSON.parse((await run('run')).lines[0] ?? '{}'),
      ({ outcome }) => outcome !== 'waits',
    );
    expect(sealed).toMatchObject({ outcome: 'sealed', week: WEEK, events: 21 });
    // The log has an entry of the file, too.
    const after = [...before.slice(0, -1), { ...before.at(-1), signed: 31, sound: 31 }];
    expect(await until(answers, (all) => all.at(-1).signed === 31)).toEqual(after);
    const { sealedWeeks } = await at.world.operate('{ sealedWeeks { tenantId week events } }');
    expect(sealedWeeks).toEqual([{ tenantId: tenant.tenantId, week: WEEK, events: 21 }]);
    expect(await tenant.ingest(events)).toEqual({ accepted: 0, duplicates: 30, rejected: [] });

    expect(JSON.parse((await run('restore')).lines[0] ?? '{}')).toMatchObject({
      outcome: 'restored',
      events: 21,
    });
    expect(await answers()).toEqual(after);
  });
});
