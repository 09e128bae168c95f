import type { Definition } from '../../src/modules/reports/schedules/schedule';
import { AN_ATTEMPT } from '../support/attempt';
import { ENGINES } from '../support/engines';
import { until } from '../support/until';
import { at, DAILY, MINUTE, useStage } from './support/schedule-stage';

describe.each(ENGINES.slice(0, 1))('schedules on %s', (engine) => {
  const opened = useStage(engine);
  const { stage } = opened;

  it('have one run for a time, of two instances, and none before', async () => {
    const { clock, instance, done, sent, look, periods } = await stage(DAILY, '2026-03-28T10:00:00Z');
    await instance().round();
    expect(done.size).toBe(0);
    clock.ms = at('2026-03-29T04:00:30Z');
    await Promise.all([instance().round(), instance().round(), instance().round()]);
    expect([done.size, sent]).toEqual([1, [...done.keys()]]);
    expect(periods()).toEqual([['2026-03-27T23:00', '2026-03-28T23:00']]);
    expect(await look()).toMatchObject({
      dueAt: new Date('2026-03-30T04:00:00Z'),
      lastRunId: sent[0],
      pending: null,
      failures: 0,
    });
  });

  it('have no run before their time by either of two clocks: it would lack the events up to that time', async () => {
    const { clock, instance, done } = await stage(DAILY, '2026-03-28T10:00:00Z');
    clock.ms = at('2026-03-29T03:50:00Z');
    clock.databaseAheadMs = 20 * 60_000;
    await instance().round();
    expect(done.size).toBe(0);
    clock.ms += 20 * 60_000;
    clock.databaseAheadMs = -20 * 60_000;
    await instance().round();
    expect(done.size).toBe(0);
    clock.databaseAheadMs = 0;
    await instance().round();
    expect(done.size).toBe(1);
  });

  it('that are made, changed or resumed by an instance whose clock is ahead leave out no time', async () => {
    const { clock, schedules, tenantId } = await stage(DAILY, '2026-03-29T12:00:00Z');
    clock.databaseAheadMs = at('2026-03-28T10:00:00Z') - clock.ms;
    const { scheduleId, ...made } = await schedules.create(tenantId, DAILY, 'ops', AN_ATTEMPT);
    expect(made).toMatchObject({
      dueAt: new Date('2026-03-29T04:00:00Z'),
      coveredUntil: new Date('2026-03-28T05:00:00Z'),
    });
    const atNoon = { ...DAILY, every: null, cron: '0 12 * * *' };
    const changed = await schedules.update(tenantId, scheduleId, () => atNoon, AN_ATTEMPT);
    expect(changed?.dueAt).toEqual(new Date('2026-03-28T11:00:00Z'));
    clock.databaseAheadMs += 2 * 60 * MINUTE;
    await schedules.setPaused(tenantId, scheduleId, true, AN_ATTEMPT);
    const resumed = await schedules.setPaused(tenantId, scheduleId, false, AN_ATTEMPT);
    expect(resumed?.dueAt).toEqual(new Date('2026-03-29T10:00:00Z'));
  });

  it('go on from now after both clocks were ahead, and leave out no time', async () => {
    const HOUR = 60 * MINUTE;
    const hourly = { ...DAILY, every: null, cron: '0 * * * *', period: 'schedule' } as const;
    const { clock, instance, tenantId, periods, look, told, lines } = await stage(
      hourly,
      '2026-03-10T10:30:00Z',
    );
    for (const wrong of ['2026-03-11T12:00:05Z', '2026-03-11T13:00:05Z']) {
      clock.ms = at(wrong);
      await instance().round();
    }
    const ahead = periods();
    expect(ahead).toEqual([
      ['2026-03-10T10:00', '2026-03-11T12:00'],
      ['2026-03-11T12:00', '2026-03-11T13:00'],
    ]);
    for (const [n, [startTime, endTime]] of ahead.entries())
      await opened.store.query(
        `INSERT INTO report_run (tenant_id, run_id, report_id, state, created_by, created_at, expires_at, number, manifest)
         VALUES ($1::int, gen_random_uuid(), 'log-ons', 'done', 'schedule Daily', now(), now(), $2::int, $3)`,
        ...[tenantId, n + 1, JSON.stringify({ question: { startTime, endTime } })],
      );

    // One clock that is behind is no reason: the other one has come so far.
    clock.ms -= 24 * HOUR;
    clock.databaseAheadMs = 24 * HOUR;
    await instance().round();
    clock.databaseAheadMs = 0;
    // As much as clocks are set right by leaves it as it is.
    clock.ms = at('2026-03-11T12:46:00Z');
    await instance().round();
    expect([(await look()).dueAt, told]).toEqual([new Date('2026-03-11T14:00:00Z'), []]);

    clock.ms = at('2026-03-10T10:40:00Z');
    await instance().round();
    await instance().round();
    expect(await look()).toMatchObject({
      dueAt: new Date('2026-03-10T11:00:00Z'),
      coveredUntil: new Date('2026-03-10T10:00:00Z'),
    });
    expect(told.map(({ group }) => group.error)).toEqual([
      expect.stringContaining('2026-03-11T13:00:00.000Z'),
    ]);
    expect(lines.filter((line) => line.includes('has not come'))).toHaveLength(1);
    clock.ms = at('2026-03-10T11:00:05Z');
    await instance().round();
    expect(periods().slice(2)).toEqual([['2026-03-10T10:00', '2026-03-10T11:00']]);
  });

  it('try a run again in time after both clocks were ahead, and not early where one of them is behind', async () => {
    const { clock, instance, attempts, faults, look } = await stage(DAILY, '2026-03-28T10:00:00Z');
    const HOUR = 60 * MINUTE;
    faults.send = 'HTTP 503';
    clock.ms = at('2026-03-29T11:00:00Z');
    await instance().round();
    clock.ms -= 6 * HOUR;
    await instance().round();
    expect([attempts(), (await look()).retryAt]).toEqual([2, new Date('2026-03-29T05:00:30Z')]);

    for (const [behindMs, databaseAheadMs] of [
      [5 * HOUR, 5 * HOUR],
      [0, -5 * HOUR],
    ] as const) {
      clock.ms = at('2026-03-29T05:00:20Z') - behindMs;
      clock.databaseAheadMs = databaseAheadMs;
      await instance().round();
      expect(attempts()).toBe(2);
    }
  });

  it('have runs as they say: of their report, with their parameters, in their time zone, for as long as they are kept', async () => {
    const asked = async (more: Partial<Definition>) => {
      const { instance, done, clock, look } = await stage({ ...DAILY, ...more }, '2026-03-10T04:00:00Z');
      clock.ms = (await look()).dueAt.getTime();
      await instance().round();
      const [request, ...others] = [...done.values()];
      expect(others).toEqual([]);
      return request;
    };
    expect(await asked({ keepDays: 7, formats: ['pdf', 'csv'], parameters: { search: 'x' } })).toMatchObject({
      report: { reportId: 'log-ons' },
      values: { format: 'pdf', timeZone: 'Europe/Berlin', search: 'x' },
      run: { days: 7 },
      createdBy: 'schedule Daily',
    });
    const usual = await asked({ keepDays: null, formats: ['csv'] });
    expect(usual).toMatchObject({ values: { format: 'html' } });
    expect(usual?.run).not.toHaveProperty('days');
  });

  it('make up for missed times once', async () => {
    const definition = { ...DAILY, period: 'schedule' } as const;
    const { clock, instance, periods, look } = await stage(definition, '2026-03-25T10:00:00Z');
    clock.ms = at('2026-03-30T21:00:00Z');
    await instance().round();
    await instance().round();
    expect(periods()).toEqual([['2026-03-25T05:00', '2026-03-30T04:00']]);
    expect((await look()).dueAt).toEqual(new Date('2026-03-31T04:00:00Z'));
  });

  it('make a run at once when somebody asks, also while paused, and keep their times', async () => {
    const { clock, instance, done, sent, schedules, tenantId, scheduleId, look } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    await schedules.setPaused(tenantId, scheduleId, true, AN_ATTEMPT);
    clock.ms = at('2026-03-29T05:00:00Z');
    await instance().round();
    expect(done.size).toBe(0);
    await schedules.ask(tenantId, scheduleId, AN_ATTEMPT);
    await Promise.all([instance().round(), instance().round()]);
    await instance().round();
    expect([done.size, sent.length]).toEqual([1, 1]);
    expect(await look()).toMatchObject({ asked: false, paused: true, pending: null });
    const resumed = await schedules.setPaused(tenantId, scheduleId, false, AN_ATTEMPT);
    expect(resumed?.dueAt).toEqual(new Date('2026-03-30T04:00:00Z'));
    await instance().round();
    expect(done.size).toBe(1);
  });

  it('send a run that somebody asked for, and then that of the next time, which begins where the one before it ended', async () => {
    const definition = { ...DAILY, period: 'schedule' } as const;
    const { clock, instance, sent, faults, schedules, tenantId, scheduleId, periods } = await stage(
      definition,
      '2026-03-28T10:00:00Z',
    );
    clock.ms = at('2026-03-28T12:00:00Z');
    await schedules.ask(tenantId, scheduleId, AN_ATTEMPT);
    faults.send = 'HTTP 503';
    await instance().round();
    clock.ms = at('2026-03-29T05:00:00Z');
    delete faults.send;
    await instance().round();
    await instance().round();
    expect(periods()).toEqual([
      ['2026-03-28T05:00', '2026-03-28T12:00'],
      ['2026-03-28T05:00', '2026-03-29T04:00'],
    ]);
    expect(sent).toHaveLength(2);
  });

  it('are tried at once when somebody asks', async () => {
    const { clock, instance, sent, faults, schedules, tenantId, scheduleId } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.send = 'HTTP 503';
    await instance().round();
    delete faults.send;
    await schedules.ask(tenantId, scheduleId, AN_ATTEMPT);
    await instance().round();
    expect(sent).toHaveLength(1);
  });

  it('forget at a pause what somebody asked before', async () => {
    const { clock, instance, done, schedules, tenantId, scheduleId } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    await schedules.ask(tenantId, scheduleId, AN_ATTEMPT);
    await schedules.setPaused(tenantId, scheduleId, true, AN_ATTEMPT);
    clock.ms += MINUTE;
    await instance().round();
    expect(done.size).toBe(0);
  });

  it('of a tenant do not wait for a long run of another one, and have one run at a time', async () => {
    const { tenantId, clock, schedules, instance, done, sent, held } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    const other = (await opened.store.forNewTenant()).tenantId;
    for (const [of, name] of [
      [tenantId, 'Second'],
      [other, 'Third'],
      [other, 'Fourth'],
    ] as const)
      await schedules.create(of, { ...DAILY, name }, 'ops', AN_ATTEMPT);
    let release = () => {};
    held.set(
      tenantId,
      new Promise((resolve) => {
        release = resolve;
      }),
    );
    clock.ms = at('2026-03-29T05:00:00Z');
    const runner = instance(0);
    const ofTenants = () => [...done.values()].map(({ tenants }) => [...tenants][0]);
    // A round that comes before a run has wholly ended begins none.
    await until(
      async () => {
        expect(await runner.round()).toBe(0);
        return sent.length;
      },
      (n) => n === 2,
    );
    expect(ofTenants()).toEqual([other, other]);
    expect(await schedules.due(10)).toEqual([{ tenantId, scheduleId: expect.any(String) }]);
    expect(await runner.round()).toBe(0);

    release();
    await runner.stop();
    expect(ofTenants()).toEqual([other, other, tenantId]);
    expect(await instance().round()).toBe(1);
    expect(await instance().round()).toBe(0);
    expect(ofTenants()).toEqual([other, other, tenantId, tenantId]);
  });

  it('leave an entry of each run in the access log, made or not', async () => {
    const { tenantId, scheduleId, clock, instance, done, noted, faults } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.make = new Error('the database is away');
    await instance().round();
    delete faults.make;
    clock.ms += 15_000;
    await instance().round();
    const [refused, made] = noted;

    expect(noted).toHaveLength(2);
    expect(refused).toMatchObject({ outcome: 'internal_error', rows: null });
    expect(made).toMatchObject({
      ...{ operation: 'makeReport', entrance: 'service', outcome: 'ok', tenantIds: [tenantId] },
      ...{ subject: [...done.keys()][0], at: new Date(clock.ms) },
    });
    expect(JSON.parse(made?.parameters ?? '')).toMatchObject({
      ...{ scheduleId, schedule: 'Daily', reportId: 'log-ons', timeZone: 'Europe/Berlin' },
      startTime: '2026-03-27T23:00:00.0000000Z',
    });
  });

  it('leave a run to other instances when the service stops, and count no failure', async () => {
    const { clock, instance, done, look, faults } = await stage(DAILY, '2026-03-28T10:00:00Z');
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.stop = true;
    await instance().round();
    expect(done.size).toBe(0);
    expect(await look()).toMatchObject({ failures: 0, error: null, dueAt: new Date('2026-03-29T04:00:00Z') });
  });

  it('of a tenant that is disabled, or that were removed, make nothing', async () => {
    const { clock, instance, done, schedules, tenantId, scheduleId } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    clock.ms = at('2026-03-29T05:00:00Z');
    await opened.store.query(
      `UPDATE tenant SET disabled_at = now(), disabled_reason = 'x' WHERE tenant_id = ${tenantId}`,
    );
    await instance().round();
    expect(done.size).toBe(0);
    await opened.store.query(
      `UPDATE tenant SET disabled_at = NULL, disabled_reason = NULL WHERE tenant_id = ${tenantId}`,
    );
    expect(await schedules.remove(tenantId, scheduleId, AN_ATTEMPT)).toBe(true);
    expect(await schedules.remove(tenantId, scheduleId, AN_ATTEMPT)).toBe(false);
    await instance().round();
    expect(done.size).toBe(0);
  });
});
