import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { DomainError } from '../../src/errors';
import {
  definitionOf,
  definitionProblems,
  hasOtherTimes,
} from '../../src/modules/reports/schedules/parameters';
import { contentOf, type Definition } from '../../src/modules/reports/schedules/schedule';
import { ReportScheduleResolver } from '../../src/modules/reports/schedules/schedule.resolver';
import { ScheduleStore } from '../../src/modules/reports/schedules/schedule.store';
import { AN_ATTEMPT } from '../support/attempt';
import { describeOnPostgres, ENGINES } from '../support/engines';
import { waitersOn } from '../support/lock-waiters';
import { Store } from '../support/store';
import { at, DAILY, MINUTE, useStage } from './support/schedule-stage';

describe.each(ENGINES.slice(0, 1))('schedules on %s', (engine) => {
  const opened = useStage(engine);
  const { stage } = opened;

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
      opened.store.query(
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
