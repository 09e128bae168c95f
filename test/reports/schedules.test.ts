import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { AccessEntry } from '../../src/caller/access-log';
import { DomainError } from '../../src/errors';
import type { MakeRequest } from '../../src/modules/reports/maker';
import {
  definitionOf,
  definitionProblems,
  hasOtherTimes,
} from '../../src/modules/reports/schedules/parameters';
import { ScheduleRunner, type ScheduleTrouble } from '../../src/modules/reports/schedules/runner';
import { contentOf, type Definition, type Schedule } from '../../src/modules/reports/schedules/schedule';
import { ReportScheduleResolver } from '../../src/modules/reports/schedules/schedule.resolver';
import { ScheduleStore } from '../../src/modules/reports/schedules/schedule.store';
import { createLog } from '../../src/observe/log';
import { AN_ATTEMPT } from '../support/attempt';
import { describeOnPostgres, ENGINES } from '../support/engines';
import { waitersOn } from '../support/lock-waiters';
import { Store } from '../support/store';
import { until } from '../support/until';

const DAILY = definitionOf(
  {
    reportId: 'log-ons',
    name: 'Daily',
    every: 'daily',
    timeZone: 'Europe/Berlin',
    emails: ['a@example.com'],
  } as never,
  null,
);
const MINUTE = 60_000;
const at = (text: string) => Date.parse(text);

describe.each(ENGINES.slice(0, 1))('schedules on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());

  /** Instances with one clock, which remember what they made and sent. */
  async function stage(definition: Definition, now: string) {
    const { tenantId } = await store.forNewTenant();
    const { service, owner } = store.database;
    await store.query('DELETE FROM report_schedule');
    const clock = { ms: at(now), databaseAheadMs: 0 };
    const schedules = new ScheduleStore(
      service,
      owner,
      () => clock.ms,
      async () => new Date(clock.ms + clock.databaseAheadMs),
    );
    const done = new Map<string, MakeRequest>();
    const over = new Set<string>();
    const sent: string[] = [];
    const receivers: (readonly string[])[] = [];
    const noted: AccessEntry[] = [];
    const givenUp: string[] = [];
    const told: ScheduleTrouble[] = [];
    const lines: string[] = [];
    const stopping = new AbortController();
    const held = new Map<number, Promise<void>>();
    const faults: {
      make?: Error;
      /** The run is there, and the answer about its end is lost. */
      unanswered?: Error;
      unsendable?: Error;
      tell?: Error;
      send?: string;
      crash?: boolean;
      stop?: boolean;
      refused?: string;
    } = {};
    let attempts = 0;
    /** What an operator does while a run is made, or sent. */
    const meanwhile: { act?: () => Promise<unknown>; send?: () => Promise<unknown> } = {};
    const instance = (restMs?: number) =>
      new ScheduleRunner(
        {
          schedules,
          runs: {
            find: async (_, runId) =>
              done.has(runId) ? ({ state: over.has(runId) ? 'over' : 'done' } as never) : null,
            giveUp: async (_, runId) => void givenUp.push(runId),
          },
          maker: {
            make: async (request) => {
              await new Promise(setImmediate);
              if (faults.stop) stopping.abort();
              await request.assertAllowed(1);
              await held.get([...request.tenants][0] ?? 0);
              await meanwhile.act?.();
              if (faults.make) throw faults.make;
              const runId = request.run?.runId ?? '';
              done.set(runId, request);
              if (faults.unanswered) throw faults.unanswered;
              return runId;
            },
          },
          delivery: {
            send: async ({ definition: { emails } }, { runId, told }) => {
              // What becomes of it is not stored.
              if (faults.crash) {
                await store.query('UPDATE report_schedule SET holder = NULL');
                throw new Error('the process ended');
              }
              if (faults.unsendable) throw faults.unsendable;
              await meanwhile.send?.();
              attempts++;
              if (faults.refused !== undefined)
                return { told, failure: faults.refused, isOfInstance: true, note: null };
              if (faults.send !== undefined) return { told, failure: faults.send, note: null };
              sent.push(runId);
              receivers.push(emails);
              return { told: ['a@example.com'], failure: null, note: null };
            },
          },
          note: (entry) => noted.push(entry),
          tell: async (trouble) => {
            if (faults.tell) throw faults.tell;
            told.push(trouble);
          },
          nowMs: () => clock.ms,
          signal: stopping.signal,
          log: createLog('warn', { write: (line: string) => void lines.push(line) }),
        },
        undefined,
        restMs,
      );
    const { scheduleId } = await schedules.create(tenantId, definition, 'ops', AN_ATTEMPT);
    const look = async () =>
      (await schedules.list(tenantId)).find((one) => one.scheduleId === scheduleId) as Schedule;
    const periods = () =>
      [...done.values()].map(({ values }) => [
        String(values.startTime).slice(0, 16),
        String(values.endTime).slice(0, 16),
      ]);
    return {
      tenantId,
      scheduleId,
      clock,
      schedules,
      instance,
      done,
      over,
      sent,
      receivers,
      attempts: () => attempts,
      noted,
      givenUp,
      told,
      lines,
      held,
      faults,
      meanwhile,
      look,
      periods,
    };
  }

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
      await store.query(
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

  it('that are paused keep no other one of their tenant waiting', async () => {
    const { clock, instance, sent, schedules, tenantId, scheduleId } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    await schedules.setPaused(tenantId, scheduleId, true, AN_ATTEMPT);
    clock.ms = at('2026-03-29T05:00:00Z');
    await schedules.create(tenantId, DAILY, 'ops', AN_ATTEMPT);
    clock.ms = at('2026-03-30T05:00:00Z');
    await instance().round();
    expect(sent).toHaveLength(1);
  });

  it('that are removed or paused while a run is made do not send it', async () => {
    const one = await stage(DAILY, '2026-03-28T10:00:00Z');
    const { clock, instance, done, sent, meanwhile, schedules, tenantId, scheduleId, look } = one;
    meanwhile.act = () => schedules.setPaused(tenantId, scheduleId, true, AN_ATTEMPT);
    clock.ms = at('2026-03-29T05:00:00Z');
    await instance().round();
    expect([done.size, sent.length]).toEqual([1, 0]);
    expect(await look()).toMatchObject({ paused: true, pending: null, lastRunId: null, failures: 0 });
    await schedules.setPaused(tenantId, scheduleId, false, AN_ATTEMPT);
    meanwhile.act = () => schedules.remove(tenantId, scheduleId, AN_ATTEMPT);
    clock.ms = at('2026-03-30T05:00:00Z');
    await instance().round();
    expect([done.size, sent.length]).toEqual([2, 0]);
  });

  it('that get other receivers while a run is made send it to these alone', async () => {
    const { clock, instance, receivers, meanwhile, schedules, tenantId, scheduleId } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    meanwhile.act = () =>
      schedules.update(tenantId, scheduleId, () => ({ ...DAILY, emails: ['b@example.com'] }), AN_ATTEMPT);
    clock.ms = at('2026-03-29T05:00:00Z');
    await instance().round();
    expect(receivers).toEqual([['b@example.com']]);
  });

  it.each([
    ['is made', 'act'],
    ['waits for its receiver', 'send'],
  ] as const)(
    'that get other content while a run %s send these receivers that content alone',
    async (_, when) => {
      const { clock, instance, done, sent, receivers, faults, meanwhile, schedules, tenantId, scheduleId } =
        await stage(DAILY, '2026-03-28T10:00:00Z');
      const narrowed = { ...DAILY, parameters: { databaseName: 'HR' }, emails: ['b@example.com'] };
      meanwhile[when] = async () => {
        delete meanwhile[when];
        await schedules.update(tenantId, scheduleId, () => narrowed, AN_ATTEMPT);
      };
      if (when === 'send') faults.send = 'HTTP 503';
      clock.ms = at('2026-03-29T05:00:00Z');
      await instance().round();
      delete faults.send;
      clock.ms += MINUTE;
      await instance().round();
      const [former, now] = [...done.values()];
      expect([done.size, former?.values.databaseName, now?.values.databaseName]).toEqual([
        2,
        undefined,
        'HR',
      ]);
      expect([now?.values.startTime, now?.values.endTime]).toEqual([
        former?.values.startTime,
        former?.values.endTime,
      ]);
      expect([sent, receivers]).toEqual([[[...done.keys()][1]], [['b@example.com']]]);
    },
  );

  it('of a tenant that is disabled while a run is made send it once the tenant is enabled', async () => {
    const { clock, instance, done, sent, meanwhile, tenantId, look } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    const disable = (value: string) =>
      store.query(
        `UPDATE tenant SET disabled_at = ${value}, disabled_reason = 'x' WHERE tenant_id = ${tenantId}`,
      );
    meanwhile.act = () => disable('now()');
    clock.ms = at('2026-03-29T05:00:00Z');
    await instance().round();
    expect([done.size, sent.length]).toEqual([1, 0]);
    expect(await look()).toMatchObject({ failures: 0, error: null, lastRunId: null });
    await disable('NULL');
    await instance().round();
    expect([done.size, sent.length]).toEqual([1, 1]);
  });

  it('that get other times during a run keep them, also where that run can never be made', async () => {
    const { clock, instance, faults, meanwhile, schedules, tenantId, scheduleId, look } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    meanwhile.act = () =>
      schedules.update(
        tenantId,
        scheduleId,
        () => ({ ...DAILY, every: null, cron: '0 9 * * *' }),
        AN_ATTEMPT,
      );
    clock.ms = at('2026-03-29T05:00:00Z');
    faults.make = new DomainError('invalid_parameter', { public: 'The report would have more rows.' });
    await instance().round();
    expect(await look()).toMatchObject({ pending: null, dueAt: new Date('2026-03-29T07:00:00Z') });
  });

  it('that are changed in what is no time make the run that is due', async () => {
    const { clock, instance, done, schedules, tenantId, scheduleId, look } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    const { dueAt } = await look();
    clock.ms = at('2026-03-29T05:00:00Z');
    const renamed = { ...DAILY, name: 'for the auditors' };
    expect((await schedules.update(tenantId, scheduleId, () => renamed, AN_ATTEMPT))?.dueAt).toEqual(dueAt);
    await instance().round();
    expect(done.size).toBe(1);
  });

  it('that go on already keep the run that is due where somebody lets them go on', async () => {
    const { clock, instance, done, schedules, tenantId, scheduleId, look } = await stage(
      DAILY,
      '2026-03-28T10:00:00Z',
    );
    const { dueAt } = await look();
    clock.ms = at('2026-03-29T05:00:00Z');
    expect((await schedules.setPaused(tenantId, scheduleId, false, AN_ATTEMPT))?.dueAt).toEqual(dueAt);
    await instance().round();
    expect(done.size).toBe(1);
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
    const other = (await store.forNewTenant()).tenantId;
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
    await store.query(
      `UPDATE tenant SET disabled_at = now(), disabled_reason = 'x' WHERE tenant_id = ${tenantId}`,
    );
    await instance().round();
    expect(done.size).toBe(0);
    await store.query(
      `UPDATE tenant SET disabled_at = NULL, disabled_reason = NULL WHERE tenant_id = ${tenantId}`,
    );
    expect(await schedules.remove(tenantId, scheduleId, AN_ATTEMPT)).toBe(true);
    expect(await schedules.remove(tenantId, scheduleId, AN_ATTEMPT)).toBe(false);
    await instance().round();
    expect(done.size).toBe(0);
  });
});

it.each([
  ['neither times nor a receiver', { reportId: 'log-ons' }, ['every', 'emails']],
  [
    'both kinds of times and receivers',
    {
      reportId: 'log-ons',
      every: 'daily',
      cron: '0 6 * * *',
      emails: ['a@b.c'],
      destinationId: randomUUID(),
    },
    ['every', 'emails'],
  ],
  [
    'a parameter that is none',
    { reportId: 'log-ons', every: 'daily', emails: ['a@b.c'], parameters: { colour: 'red' } },
    ['"colour"'],
  ],
  [
    'a parameter of the schedule',
    { reportId: 'log-ons', every: 'daily', emails: ['a@b.c'], parameters: { startTime: '2026-01-01' } },
    ['startTime'],
  ],
  [
    'parameters that are no object',
    { reportId: 'log-ons', every: 'daily', emails: ['a@b.c'], parameters: [1] },
    ['parameters'],
  ],
  [
    'a report without what it needs',
    { reportId: 'activity', every: 'daily', emails: ['a@b.c'] },
    ['principalName'],
  ],
  [
    'attachments for a destination',
    { reportId: 'log-ons', every: 'daily', destinationId: randomUUID(), attach: true },
    ['attach'],
  ],
])('a schedule with %s is refused', (_, given, fields) => {
  const problems = definitionProblems(definitionOf(given as never, null), Date.now());
  expect(problems.map(({ field }) => field)).toEqual(fields);
});

describeOnPostgres('a schedule that two operators update at once', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open('postgresql');
  });
  afterAll(() => store.close());

  /** Two updates, which both have read the schedule before either is stored. */
  async function updatedAtOnce(...updates: readonly [object, object]) {
    const { database, place, tenantId } = store;
    const schedules = new ScheduleStore(database.service, database.owner, Date.now);
    const resolver = new ReportScheduleResolver({
      schedules,
      tenants: { one: async () => tenantId },
      hasDestination: async () => true,
      nowMs: Date.now,
    });
    const { scheduleId } = await schedules.create(tenantId, DAILY, 'ops', AN_ATTEMPT);
    const call = { attempt: () => AN_ATTEMPT } as never;
    const blocker = new Client({ connectionString: place.databaseUrl ?? '' });
    await blocker.connect();
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM report_schedule WHERE schedule_id = $1 FOR UPDATE', [scheduleId]);
    const answers = updates.map((given) =>
      resolver.updateReportSchedule({ tenantId: String(tenantId), scheduleId, ...given } as never, call),
    );
    const settled = Promise.allSettled(answers);
    await waitersOn(blocker, 2);
    await blocker.query('COMMIT');
    await blocker.end();
    const done = await settled;
    const stored = (await schedules.list(tenantId)).find((one) => one.scheduleId === scheduleId);
    return {
      refused: done.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
      definition: stored?.definition,
    };
  }

  it('has what both of them say', async () => {
    const { refused, definition } = await updatedAtOnce(
      { emails: ['a@example.com', 'b@example.com'] },
      { formats: ['csv'] },
    );
    expect(refused).toEqual([]);
    expect(definition).toEqual({ ...DAILY, emails: ['a@example.com', 'b@example.com'], formats: ['csv'] });
  });

  it('refuses the second one where both together make no sense', async () => {
    const { refused, definition } = await updatedAtOnce(
      { destinationId: randomUUID() },
      { attach: true, keepDays: 9 },
    );
    expect(refused).toEqual([expect.objectContaining({ code: 'invalid_parameter' })]);
    expect(definition?.attach).toBe(definition?.destinationId === null);
  });
});

describe('a schedule that is changed', () => {
  const destinationId = randomUUID();
  const former: Definition = {
    ...{
      name: 'n',
      reportId: 'log-ons',
      every: 'daily',
      cron: null,
      timeZone: 'Europe/Berlin',
      period: 'week',
    },
    ...{ parameters: { databaseName: 'HR' }, formats: ['csv'], emails: ['a@b.c'], attach: true },
    ...{ destinationId: null, keepDays: 9 },
  };
  const changed = (given: object, was = former) => definitionOf(given as never, was);

  it('keeps what is not given', () => expect(changed({})).toEqual(former));

  it.each<[string, object, object]>([
    ['another name', { name: 'm' }, { name: 'm' }],
    [
      'other times, which have a period of their own',
      { cron: '0 5 * * *' },
      { every: null, cron: '0 5 * * *', period: null },
    ],
    ['another zone', { timeZone: 'UTC' }, { timeZone: 'UTC' }],
    ['another period', { period: 'day' }, { period: 'day' }],
    ['other parameters', { parameters: {} }, { parameters: {} }],
    ['other formats', { formats: ['pdf'] }, { formats: ['pdf'] }],
    ['no attachments', { attach: false }, { attach: false }],
    ['other days', { keepDays: 3 }, { keepDays: 3 }],
    ['no days of its own', { keepDays: 0 }, { keepDays: null }],
    ['a destination in place of mail', { destinationId }, { destinationId, emails: [] }],
  ])('takes %s, and changes nothing else', (_, given, what) => {
    expect(changed(given)).toEqual({ ...former, ...what });
  });

  it('takes mail in place of a destination', () => {
    const was = { ...former, emails: [], attach: false, destinationId };
    expect(changed({ emails: ['d@e.f'] }, was)).toEqual({ ...was, emails: ['d@e.f'], destinationId: null });
    expect(changed({}, was)).toEqual(was);
  });

  it('has other content where a run of before would not be one of it, and in no other case', () => {
    const others: Definition = {
      ...{
        name: 'm',
        reportId: 'activity',
        every: 'weekly',
        cron: '0 5 * * *',
        timeZone: 'UTC',
        period: 'day',
      },
      ...{ parameters: { databaseName: 'CRM' }, formats: ['pdf'], emails: ['d@e.f'], attach: false },
      ...{ destinationId, keepDays: 3 },
    };
    expect(Object.keys(others).sort()).toEqual(Object.keys(former).sort());
    const isOther = Object.keys(others).filter(
      (name) => contentOf({ ...former, [name]: others[name as keyof Definition] }) !== contentOf(former),
    );
    expect(isOther).toEqual(['reportId', 'timeZone', 'period', 'parameters', 'formats']);
    // Without a period of its own, it has that of its times.
    const usual = { ...former, period: null };
    expect(contentOf({ ...usual, every: 'weekly' })).not.toBe(contentOf(usual));
    expect(contentOf({ ...usual, period: 'day' })).toBe(contentOf(usual));
  });

  it('has other times where they or their zone are others', () => {
    expect(hasOtherTimes(former, changed({ name: 'm', keepDays: 3 }))).toBe(false);
    for (const given of [{ every: 'weekly' }, { timeZone: 'UTC' }, { cron: '0 5 * * *' }])
      expect(hasOtherTimes(former, changed(given))).toBe(true);
  });
});
