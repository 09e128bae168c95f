import { randomUUID } from 'node:crypto';
import { DomainError } from '../../src/errors';
import { AN_ATTEMPT } from '../support/attempt';
import { ENGINES } from '../support/engines';
import { at, DAILY, MINUTE, useStage } from './support/schedule-stage';

describe.each(ENGINES.slice(0, 1))('schedules on %s', (engine) => {
  const { stage } = useStage(engine);

  it('send a run that was made before a crash, and make one anew that was not', async () => {
    const { clock, instance, done, sent, givenUp, faults, schedules, tenantId, scheduleId, look } =
      await stage(DAILY, '2026-03-28T10:00:00Z');
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.crash = true;
    await instance().round();
    faults.crash = false;
    expect([done.size, sent.length]).toEqual([1, 0]);
    await instance().round();
    expect([done.size, sent]).toEqual([1, [...done.keys()]]);

    // An instance that ends while it makes a run leaves its lease and the id of the run.
    clock.ms = at('2026-03-30T05:00:00Z');
    const gone = randomUUID();
    await schedules.take({ tenantId, scheduleId }, gone);
    const pending = {
      runId: randomUUID(),
      dueMs: clock.ms,
      fromMs: 0,
      toMs: clock.ms,
      isAsked: false,
      told: [],
    };
    await schedules.renew({ tenantId, scheduleId }, gone, { pending });
    await instance().round();
    expect(done.size).toBe(1);
    clock.ms += 2 * MINUTE;
    await instance().round();
    expect(done.size).toBe(2);
    expect([done.has(pending.runId), givenUp]).toEqual([false, [pending.runId]]);
    expect(await schedules.renew({ tenantId, scheduleId }, gone, { error: 'late' })).toBeNull();
    expect((await look()).error).toBeNull();
  });

  it('are left to other instances by one that cannot sign reports', async () => {
    const { instance, clock, canSign, done, look } = await stage(DAILY, '2026-03-01T12:00:00Z');
    clock.ms = at('2026-03-02T05:00:00Z');
    canSign.now = false;
    expect(await instance().round()).toBe(0);
    expect([done.size, (await look()).failures]).toEqual([0, 0]);
    canSign.now = true;
    await instance().round();
    expect(done.size).toBe(1);
  });

  it('send a run that is there though its making failed, at a later attempt too, and make no other one', async () => {
    const { instance, clock, faults, done, sent, look } = await stage(DAILY, '2026-03-01T12:00:00Z');
    clock.ms = at('2026-03-02T05:00:00Z');
    faults.make = new Error('the database is away');
    await instance().round();
    expect(await look()).toMatchObject({ failures: 1 });
    delete faults.make;
    faults.unanswered = new Error('the connection was lost');
    clock.ms += MINUTE;
    await instance().round();
    expect(await look()).toMatchObject({ failures: 2 });
    delete faults.unanswered;
    clock.ms += MINUTE;
    await instance().round();
    expect(sent).toHaveLength(1);
    expect([...done.keys()]).toEqual(sent);
  });

  it('show why a run was not sent, try it again after growing waits, and give way to the next time', async () => {
    const { clock, instance, done, sent, faults, look } = await stage(DAILY, '2026-03-28T10:00:00Z');
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.send = 'HTTP 503';
    await instance().round();
    await instance().round();
    expect(await look()).toMatchObject({
      failures: 1,
      error: 'HTTP 503',
      retryAt: new Date(clock.ms + 15_000),
    });
    clock.ms += 15_000;
    await instance().round();
    expect(await look()).toMatchObject({ failures: 2, retryAt: new Date(clock.ms + 30_000) });
    expect([done.size, sent.length]).toEqual([1, 0]);
    clock.ms = at('2026-03-30T05:00:00Z');
    delete faults.send;
    await instance().round();
    expect([done.size, sent.length]).toEqual([2, 1]);
    expect(await look()).toMatchObject({ failures: 0, error: null, lastRunId: sent[0] });
  });

  it('are tried at once after a change: the failure may have been of what was changed', async () => {
    const { clock, instance, sent, faults, schedules, tenantId, scheduleId, look } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.send = 'no such address';
    await instance().round();
    delete faults.send;
    await schedules.update(tenantId, scheduleId, () => ({ ...DAILY, emails: ['b@example.com'] }), AN_ATTEMPT);
    expect(await look()).toMatchObject({ failures: 0, retryAt: null });
    await instance().round();
    expect(sent).toHaveLength(1);
  });

  it('pass over a run that can never be made, with its reason', async () => {
    const { clock, instance, faults, look } = await stage(DAILY, '2026-03-28T10:00:00Z');
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.make = new DomainError('invalid_parameter', { public: 'The report would have more rows.' });
    await instance().round();
    expect(await look()).toMatchObject({
      error: 'The report would have more rows.',
      pending: null,
      dueAt: new Date('2026-03-30T04:00:00Z'),
    });
  });

  it('whose run cannot be sent for a reason of the service show it, and try it again after growing waits', async () => {
    const { clock, instance, faults, attempts, look, told } = await stage(DAILY, '2026-03-28T10:00:00Z');
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.unsendable = new Error('a piece of a report is missing');
    const tries: number[] = [];
    for (const seconds of [0, 1, 15, 30, 60]) {
      clock.ms += seconds * 1000;
      await instance().round();
      tries.push((await look()).failures);
    }
    expect([tries, told.length, attempts()]).toEqual([[1, 1, 2, 3, 4], 1, 0]);
    expect(await look()).toMatchObject({
      error: 'the run could not be sent: see the log',
      retryAt: new Date(clock.ms + 120_000),
    });
  });

  it('make a run anew whose files were removed before everybody had it', async () => {
    const { clock, instance, faults, done, over, sent, look } = await stage(DAILY, '2026-03-28T10:00:00Z');
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.send = 'HTTP 503';
    await instance().round();
    clock.ms += MINUTE;
    await instance().round();
    const [kept] = done.keys();
    expect([done.size, (await look()).pending?.runId]).toEqual([1, kept]);
    over.add(kept ?? '');
    delete faults.send;
    clock.ms += MINUTE;
    await instance().round();
    expect(sent).toEqual([[...done.keys()][1]]);
    expect([done.size, await look()]).toMatchObject([2, { lastRunId: sent[0], error: null }]);
  });

  it('whose run can never be made say so in the log and by an alert, for each such run', async () => {
    const { clock, instance, faults, told, lines, tenantId, scheduleId } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    const key = `report schedule ${scheduleId}`;
    const begins = ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'];
    for (const [i, error] of ['It has too many rows.', 'It takes too long.'].entries()) {
      clock.ms = at(`2026-03-3${i}T05:00:00Z`);
      faults.make = new DomainError('invalid_parameter', { public: error });
      await instance().round();
      const group = { problem: 'A scheduled report can never be made', schedule: 'Daily', error };
      expect(told[i]).toEqual({ tenantId, key, since: new Date(clock.ms), group });
      expect(JSON.parse(lines[i] ?? '')).toMatchObject({
        ...{ tenantId, scheduleId, error, from: begins[i] },
        msg: 'a scheduled report can never be made; its receivers do not get it',
      });
    }
    expect([told.length, lines.length]).toEqual([2, 2]);
  });

  it('whose run can never be made are at work on it until somebody is told', async () => {
    const { clock, instance, faults, told, look } = await stage(DAILY, '2026-03-28T10:00:00Z');
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.make = new DomainError('invalid_parameter', { public: 'It has too many rows.' });
    faults.tell = new Error('the database is away');
    await instance().round();
    expect(await look()).toMatchObject({
      ...{ failures: 1, error: 'It has too many rows.', retryAt: new Date(clock.ms + 15_000) },
      dueAt: new Date('2026-03-29T04:00:00Z'),
    });
    delete faults.tell;
    clock.ms += 15_000;
    await instance().round();
    expect([told.length, await look()]).toMatchObject([
      1,
      { pending: null, retryAt: null, dueAt: new Date('2026-03-30T04:00:00Z') },
    ]);
  });

  it('that fail four times, or that this instance leaves four times to others, are told by an alert of the run that waits', async () => {
    for (const fault of ['send', 'refused'] as const) {
      const { clock, instance, faults, told, tenantId, scheduleId } = await stage(
        DAILY,
        '2026-03-28T10:00:00Z',
      );
      clock.ms = at('2026-03-29T05:00:00Z');
      const one = instance();
      faults[fault] = 'the first reason';
      const counts: number[] = [];
      for (const hours of [0, 1, 2, 3, 4]) {
        clock.ms = at('2026-03-29T05:00:00Z') + hours * 60 * MINUTE;
        await one.round();
        counts.push(told.length);
        faults[fault] = `reason ${hours}`;
      }
      expect(counts).toEqual([0, 0, 0, 1, 2]);
      const key = `report schedule ${scheduleId}`;
      const group = { problem: 'A scheduled report cannot be made or sent', schedule: 'Daily' };
      const since = new Date('2026-03-29T04:00:00Z');
      expect(told).toEqual(
        [2, 3].map((n) => ({ tenantId, key, since, group: { ...group, error: `reason ${n}` } })),
      );

      // The next run begins to wait at its own time.
      clock.ms = at('2026-03-30T05:00:00Z');
      for (const more of [0, 1, 2, 3]) {
        await one.round();
        clock.ms += (more + 1) * 60 * MINUTE;
      }
      expect(told.at(-1)?.since).toEqual(new Date('2026-03-30T04:00:00Z'));
    }
  });

  it('that are taken after three failures are not told', async () => {
    const { clock, instance, faults, told, sent } = await stage(DAILY, '2026-03-28T10:00:00Z');
    for (const day of [29, 30]) {
      for (const hour of [5, 6, 7]) {
        clock.ms = at(`2026-03-${day}T0${hour}:00:00Z`);
        faults.send = 'HTTP 503';
        await instance().round();
      }
      clock.ms += 60 * MINUTE;
      delete faults.send;
      await instance().round();
    }
    expect([told, sent.length]).toEqual([[], 2]);
  });

  it('of which one is paused during an attempt that fails, do not try it again', async () => {
    const { clock, instance, done, sent, faults, meanwhile, schedules, tenantId, scheduleId, look } =
      await stage(DAILY, '2026-03-28T10:00:00Z');
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.send = 'HTTP 503';
    meanwhile.send = () => schedules.setPaused(tenantId, scheduleId, true, AN_ATTEMPT);
    await instance().round();
    expect(await look()).toMatchObject({ paused: true, pending: null, failures: 0, error: 'HTTP 503' });
    delete faults.send;
    delete meanwhile.send;
    clock.ms += 20 * MINUTE;
    await instance().round();
    expect([done.size, sent.length]).toEqual([1, 0]);
  });

  it('are left at once to an instance that may connect to their receiver', async () => {
    const { clock, instance, done, sent, attempts, faults, look } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    clock.ms = at('2026-03-29T05:00:00Z');
    const refused = instance();
    faults.refused = 'DESTINATION_ALLOW_NETWORKS does not allow it';
    await refused.round();
    await refused.round();
    expect([attempts(), await look()]).toMatchObject([
      1,
      { failures: 0, error: faults.refused, retryAt: null },
    ]);
    // While no other instance sends it, this one tries again.
    clock.ms += 2 * MINUTE;
    await refused.round();
    await refused.round();
    expect(attempts()).toBe(2);
    delete faults.refused;
    await instance().round();
    expect([done.size, sent.length]).toEqual([1, 1]);
    expect(await look()).toMatchObject({ error: null, pending: null });
  });
});
