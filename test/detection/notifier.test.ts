import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { RefusedAddress } from '../../src/delivery/network-guard';
import { failureOf, type Outcome } from '../../src/delivery/outcome';
import { noteAlerts } from '../../src/modules/detection/alerts/note-alerts';
import { DetectionTally } from '../../src/modules/detection/base/tally';
import { type AlertRoute, Channels, type Failure } from '../../src/modules/detection/notices/channel';
import type { Due } from '../../src/modules/detection/notices/notice-queue';
import { Notifier } from '../../src/modules/detection/notices/notifier';
import { RouteStore } from '../../src/modules/detection/notices/route.store';
import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import { HealthAlerts } from '../../src/modules/detection/watch/health-alerts';
import { toStored } from '../../src/store/rows/stored-text';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { until } from '../support/until';

const RULE_ID = '00000000-0000-4000-8000-000000000001';
const LATER = 30_000;

/** Runs the notifier with growing waits, until it alerts about a route that keeps failing. */
async function runUntilGivenUp(instance: { run(): Promise<unknown> }, at: { nowMs: number }): Promise<void> {
  for (let i = 0; i < 6; i++) {
    await instance.run();
    at.nowMs += LATER * 2 ** i;
  }
  await instance.run();
}

describe.each(ENGINES)('the notifier on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());

  /** A tenant with its own clock, and instances that send notices of its alerts. */
  async function aTenant() {
    const { tenantId } = await store.forNewTenant();
    const owner = store.database.owner;
    const at = { nowMs: Date.parse('2026-02-03T08:00:00Z') };
    const told: { route: string; notices: readonly Due[] }[] = [];
    const failing = new Map<string, Failure>();
    const hanging = new Set<string>();
    /** The alerts that the receivers refuse. */
    const refused = new Set<string>();
    const slow = new Map<string, () => Promise<unknown>>();
    /** The database's clock. */
    const time = async () => new Date(at.nowMs);
    const health = new HealthAlerts(owner, readShippedRules(), () => at.nowMs, undefined, time);
    /** @param refuses the names of the routes to whose destinations the instance may not connect */
    const anInstance = (refuses: readonly string[] = [], by = owner) => {
      const send = async (route: AlertRoute, due: readonly Due[]) => {
        if (route.tenantId !== tenantId) return [];
        if (refuses.includes(route.name))
          return { message: 'a private address', isOfChannel: true, isOfInstance: true };
        told.push({ route: route.name, notices: due });
        at.nowMs += 1;
        await slow.get(route.name)?.();
        if (hanging.has(route.name)) return new Promise<never>(() => {});
        if (due.some(({ alertId }) => refused.has(alertId)))
          return { message: 'HTTP 400', isOfChannel: true, isOfMessage: true };
        return failing.get(route.name) ?? [];
      };
      return new Notifier({
        owner: by,
        health,
        time,
        nowMs: () => at.nowMs,
        log: pino({ level: 'silent' }),
        channels: { send },
        tally: new DetectionTally(),
      });
    };
    const aRoute = async (
      name: string,
      target: object,
      escalateMinutes: number | null = null,
      ruleId: string | null = null,
    ) => {
      await owner.models.alertRoute.create({
        data: {
          tenantId,
          routeId: randomUUID(),
          name: toStored(name),
          severityMin: 1,
          ruleId,
          escalateMinutes,
          enabled: true,
          kind: 'to' in target ? 'email' : 'destination',
          target: JSON.stringify(target),
          createdAt: new Date(at.nowMs),
        },
      });
    };
    const noted = (
      change: { status?: string; incidentId?: string; severity?: number },
      ...of: readonly string[]
    ) =>
      owner.models.$transaction((tx) => {
        const all = { tenantId, ruleId: RULE_ID, severity: 3, status: 'new', ...change };
        return noteAlerts(
          tx,
          of.map((alertId) => ({ ...all, alertId })),
          time,
        );
      });
    return {
      tenantId,
      at,
      told,
      failing,
      hanging,
      refused,
      slow,
      anInstance,
      aRoute,
      note: (...alertIds: readonly string[]) => noted({}, ...alertIds),
      noted,
      /** Makes new alerts of an incident. @param severity of the first, and one less for each further */
      made: async (alertIds: readonly string[], incidentId: string | null, severity = 4) => {
        const began = new Date(at.nowMs);
        await owner.models.alert.createMany({
          data: alertIds.map((alertId, i) => ({
            tenantId,
            alertId,
            ruleId: RULE_ID,
            title: 'A story',
            severity: severity - i,
            status: 'new',
            groupKey: alertId,
            groupValues: '{}',
            anchor: 0n,
            firstEvent: 0n,
            lastEvent: 0n,
            findingCount: 1,
            eventCount: 1n,
            principals: [],
            instances: [],
            incidentId,
            createdAt: began,
            updatedAt: began,
          })),
        });
      },
      becomes: (alertId: string, status: string) =>
        owner.models.alert.updateMany({ where: { tenantId, alertId }, data: { status } }),
      alerts: () => owner.models.alert.findMany({ where: { tenantId } }),
      notices: () => owner.models.alertNotice.findMany({ where: { tenantId } }),
      routes: () => new RouteStore(store.database.service, () => at.nowMs).list(tenantId),
      waiting: () => owner.models.alertNotice.count({ where: { tenantId, sentAt: null } }),
      toldBy: (name: string) =>
        told
          .filter(({ route }) => route === name)
          .map(({ notices }) => notices.map(({ alertId }) => alertId)),
    };
  }
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

  it('sends on a route again after the database failed while its notices were taken', async () => {
    const { aRoute, note, hanging, told, at, anInstance } = await aTenant();
    await aRoute('first', { to: ['a@example.com'] });
    await aRoute('slow', { to: ['b@example.com'] });
    hanging.add('slow');
    const { owner } = store.database;
    let isAway = false;
    const updateMany = async () => {
      isAway = false;
      throw new Error('the database is away');
    };
    const models = new Proxy(owner.models, {
      get: (target, name) => {
        if (isAway && name === 'alertNotice') return { updateMany };
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const instance = anInstance([], { ...owner, models });
    await note(randomUUID());
    await instance.run();
    // The slow route is in work still: its new notice is given back, which fails.
    isAway = true;
    await note(randomUUID());
    await expect(instance.run()).rejects.toThrow('the database is away');
    at.nowMs += 4 * LATER;
    const toFirst = () => told.filter(({ route }) => route === 'first');
    // After the failure, the tenant waits for as long as its work took.
    await until(
      async () => {
        await instance.run();
        return toFirst().length;
      },
      (count) => count > 1,
    );
    expect(toFirst()).toHaveLength(2);
  });

  it('sends one notice for each alert, state and route, however often it was noted', async () => {
    const { aRoute, note, anInstance, toldBy, waiting } = await aTenant();
    await aRoute('soc', { to: ['soc@example.com'] });
    const [id = ''] = ids(1);
    await note(id);
    await note(id);
    await anInstance().run();
    await anInstance().run();
    await note(id);
    await anInstance().run();
    expect(toldBy('soc')).toEqual([[id]]);
    expect(await waiting()).toBe(0);
  });

  it('tells a route that escalates once, by whichever instance, of what nobody acknowledged in time', async () => {
    const { aRoute, note, made, becomes, anInstance, toldBy, told, at, notices } = await aTenant();
    await aRoute('soc', { destinationId: randomUUID(), format: 'json' });
    await aRoute('boss', { destinationId: randomUUID(), format: 'json' }, 37);
    const [waits = '', taken = '', done = ''] = ids(3);
    await made([waits, taken, done], null);
    await note(waits, taken, done);
    const instances = [anInstance(), anInstance()];
    const round = () => Promise.all(instances.map((one) => one.run()));
    await round();
    expect(toldBy('soc').flat().sort()).toEqual([waits, taken, done].sort());
    await becomes(taken, 'acknowledged');
    await becomes(done, 'resolved');
    at.nowMs += 36 * 60_000;
    await round();
    expect(toldBy('boss')).toEqual([]);
    at.nowMs += 60_000;
    await round();
    at.nowMs += 24 * 3_600_000;
    await round();
    expect(toldBy('boss')).toEqual([[waits]]);
    expect(told.at(-1)?.notices.map(({ state }) => state)).toEqual(['escalated']);
    expect(
      (await notices()).filter(({ state, sentAt }) => state === 'escalated' && sentAt !== null),
    ).toHaveLength(1);
  });

  it('does not escalate an alert that begins suppressed', async () => {
    const { aRoute, noted, notices } = await aTenant();
    await aRoute('soc', { destinationId: randomUUID(), format: 'json' });
    await aRoute('boss', { destinationId: randomUUID(), format: 'json' }, 37);
    await noted({ status: 'suppressed' }, ...ids(1));
    expect((await notices()).map(({ state }) => state)).toEqual(['suppressed']);
  });

  it('tells of an incident by e-mail again only where an alert is worse than all before, and others of each alert', async () => {
    const { aRoute, noted, made, anInstance, toldBy } = await aTenant();
    await aRoute('soc', { to: ['soc@example.com'] });
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    const [first = '', same = '', less = '', worse = ''] = ids(4);
    const incidentId = randomUUID();
    for (const [id, severity] of [
      [first, 3],
      [same, 3],
      [less, 2],
      [worse, 4],
    ] as const) {
      await made([id], incidentId, severity);
      await noted({ incidentId, severity }, id);
    }
    await anInstance().run();
    expect(toldBy('soc').flat().sort()).toEqual([first, worse].sort());
    expect(toldBy('siem').flat()).toHaveLength(4);
  });

  it('escalates an incident once by e-mail, by its worst alert, and does not escalate what it escalated', async () => {
    const { aRoute, note, made, anInstance, toldBy, at } = await aTenant();
    await aRoute('boss', { to: ['boss@example.com'] }, 23);
    const [worst = '', other = '', later = '', elsewhere = ''] = ids(4);
    const incidentId = randomUUID();
    await made([worst, other], incidentId);
    await made([elsewhere], null);
    await note(other, worst, elsewhere);
    at.nowMs += 10 * 60_000;
    await made([later], incidentId);
    await note(later);
    at.nowMs += 13 * 60_000 + 1;
    await anInstance().run();
    expect(toldBy('boss').flat().sort()).toEqual([worst, elsewhere].sort());
    at.nowMs += 20 * 60_000;
    await anInstance().run();
    expect(toldBy('boss').flat()).toHaveLength(2);
  });

  it('escalates an incident again by e-mail where an alert is worse, and each alert of a rule to who wants the rule', async () => {
    const { aRoute, noted, made, anInstance, toldBy, at } = await aTenant();
    await aRoute('boss', { to: ['boss@example.com'] }, 23);
    await aRoute('of rule', { to: ['dba@example.com'] }, 23, RULE_ID);
    const [mild = '', same = '', worse = ''] = ids(3);
    const incidentId = randomUUID();
    for (const [id, severity] of [
      [mild, 2],
      [same, 2],
      [worse, 4],
    ] as const) {
      await made([id], incidentId, severity);
      await noted({ incidentId, severity }, id);
      at.nowMs += 24 * 60_000;
      await anInstance().run();
    }
    expect(toldBy('boss')).toEqual([[mild], [worse]]);
    expect(toldBy('of rule')).toEqual([[mild], [same], [worse]]);
  });

  it('escalates the other alerts of an incident when only its first was acknowledged', async () => {
    const { aRoute, note, made, becomes, anInstance, toldBy, at } = await aTenant();
    await aRoute('boss', { to: ['boss@example.com'] }, 23);
    const [first = '', second = ''] = ids(2);
    await made([first, second], randomUUID());
    await note(first, second);
    await becomes(first, 'acknowledged');
    at.nowMs += 24 * 60_000;
    await anInstance().run();
    expect(toldBy('boss')).toEqual([[second]]);
  });

  it('repeats a notice under the same id by another instance when the first ended during the sending', async () => {
    const { aRoute, note, anInstance, told, hanging, at, waiting } = await aTenant();
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    const [id = ''] = ids(1);
    await note(id);
    hanging.add('siem');
    void anInstance().run();
    await until(
      () => told.length,
      (count) => count === 1,
    );
    hanging.clear();
    await anInstance().run();
    expect(told).toHaveLength(1);
    at.nowMs += 61_000;
    await anInstance().run();
    expect(told.map(({ notices }) => notices.map(({ noticeId }) => noticeId))).toEqual([
      [told[0]?.notices[0]?.noticeId],
      [told[0]?.notices[0]?.noticeId],
    ]);
    expect(await waiting()).toBe(0);
  });

  it('tells each notice once while a route is so slow that the notices taken could become due again', async () => {
    const { aRoute, note, anInstance, toldBy, slow, at, waiting } = await aTenant();
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    const [first, second] = [anInstance(), anInstance()];
    let isInside = false;
    // While the first instance waits for the receiver, the second one looks for notices.
    slow.set('siem', async () => {
      at.nowMs += 25_000;
      if (isInside) return;
      isInside = true;
      await second.run();
      await second.stop();
      isInside = false;
    });
    const noted = ids(5);
    await note(...noted);
    for (let rounds = 0; (await waiting()) > 0 && rounds < 5; rounds++) {
      await first.run();
      await first.stop();
    }
    expect(toldBy('siem').flat().sort()).toEqual([...noted].sort());
  });

  it('leaves notices that it had no time for to others at once', async () => {
    const { aRoute, note, anInstance, toldBy, slow, at } = await aTenant();
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    slow.set('siem', async () => {
      at.nowMs += 31_000;
    });
    await note(...ids(2));
    const first = anInstance();
    await first.run();
    await first.stop();
    expect(toldBy('siem')).toHaveLength(1);
    await anInstance().run();
    expect(toldBy('siem')).toHaveLength(2);
  });

  it('puts mails above a rate into one digest, and sends one message for each alert to a destination', async () => {
    const { aRoute, note, anInstance, toldBy, at } = await aTenant();
    await aRoute('soc', { to: ['soc@example.com'] });
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    await note(...ids(3));
    await anInstance().run();
    await note(...ids(8));
    await anInstance().run();
    expect(toldBy('soc').map(({ length }) => length)).toEqual([1, 1, 1, 8]);
    at.nowMs += 1_000;
    await note(...ids(1));
    await anInstance().run();
    at.nowMs += 1_000;
    await note(...ids(2));
    await anInstance().run();
    // Five mails within ten seconds are the most.
    expect(toldBy('soc').map(({ length }) => length)).toEqual([1, 1, 1, 8, 1]);
    at.nowMs += 9_000;
    await anInstance().run();
    expect(toldBy('soc').flat()).toHaveLength(14);
    expect(toldBy('siem').map(({ length }) => length)).toEqual(Array(14).fill(1));
  });

  it('sends as many single mails as may be within ten seconds', async () => {
    const { aRoute, note, anInstance, toldBy } = await aTenant();
    await aRoute('soc', { to: ['soc@example.com'] });
    await note(...ids(5));
    await anInstance().run();
    expect(toldBy('soc').map(({ length }) => length)).toEqual([1, 1, 1, 1, 1]);
  });

  it('makes one alert about a channel that fails, told only by routes over other channels', async () => {
    const { aRoute, note, anInstance, toldBy, failing, at, alerts, told } = await aTenant();
    const destinationId = randomUUID();
    await aRoute('siem', { destinationId, format: 'json' });
    await aRoute('siem, as OCSF', { destinationId, format: 'ocsf' });
    await aRoute('soc', { to: ['soc@example.com'] });
    for (const name of ['siem', 'siem, as OCSF'])
      failing.set(name, { message: 'HTTP 503', isOfChannel: true });
    const [id = ''] = ids(1);
    await note(id);
    const instance = anInstance();
    await runUntilGivenUp(instance, at);
    const made = await alerts();
    expect(made.map(({ status, groupValues }) => [status, JSON.parse(groupValues).problem])).toEqual([
      ['new', 'A channel of alerts fails'],
    ]);
    expect(toldBy('soc')).toEqual([[id], [made[0]?.alertId]]);
    expect(toldBy('siem').flat()).not.toContain(made[0]?.alertId);
    expect(toldBy('siem, as OCSF').flat()).not.toContain(made[0]?.alertId);
    // The channel works again: the waiting notice is sent.
    failing.clear();
    told.length = 0;
    at.nowMs += 300_000;
    await instance.run();
    expect([toldBy('siem'), toldBy('siem, as OCSF')]).toEqual([[[id]], [[id]]]);
  });

  it('counts a route as failing with its fourth failure', async () => {
    const { aRoute, note, anInstance, failing, at, alerts } = await aTenant();
    await aRoute('soc', { to: ['soc@example.com'] });
    failing.set('soc', { message: '550 nobody here', isOfChannel: false });
    await note(...ids(1));
    const instance = anInstance();
    const made: number[] = [];
    for (let i = 0; i < 4; i++) {
      await instance.run();
      made.push((await alerts()).length);
      at.nowMs += LATER * 2 ** i;
    }
    expect(made).toEqual([0, 0, 0, 1]);
  });

  it('makes an alert about a route whose mails are refused, told by other routes of the same channel too', async () => {
    const { aRoute, note, anInstance, toldBy, failing, at, alerts } = await aTenant();
    // The database holds such a name in a form of its own.
    const gone = '\uFEFFgone';
    await aRoute(gone, { to: ['gone@example.com'] });
    await aRoute('soc', { to: ['soc@example.com'] });
    failing.set(gone, { message: '550 nobody here', isOfChannel: false, isGuess: true });
    await note(...ids(1));
    const instance = anInstance();
    await runUntilGivenUp(instance, at);
    const made = await alerts();
    expect(made.map(({ groupValues }) => JSON.parse(groupValues))).toEqual([
      { problem: 'A route of alerts fails', route: gone, channel: 'e-mail' },
    ]);
    expect(toldBy('soc').flat()).toContain(made[0]?.alertId);
    expect(toldBy(gone).flat()).not.toContain(made[0]?.alertId);
  });

  it.each([
    ['451 later', true],
    ['554 blocked', false],
  ])(
    'makes one alert about a mail server that answers every mail of every route with %s',
    async (message, isOfChannel) => {
      const { aRoute, note, anInstance, toldBy, failing, at, alerts } = await aTenant();
      const names = ['soc', 'boss', 'night'];
      for (const name of names) {
        await aRoute(name, { to: [`${name}@example.com`] });
        failing.set(name, { message, isOfChannel, isGuess: true });
      }
      await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
      await note(...ids(1));
      await runUntilGivenUp(anInstance(), at);
      const made = await alerts();
      expect(made.map(({ groupValues }) => JSON.parse(groupValues))).toEqual([
        { problem: 'A channel of alerts fails', route: expect.any(String), channel: 'e-mail' },
      ]);
      expect(toldBy('siem').flat()).toContain(made[0]?.alertId);
      for (const name of names) expect(toldBy(name).flat()).not.toContain(made[0]?.alertId);
    },
  );

  it('makes one alert about a mail server that takes no mail, although one route is tried later than another', async () => {
    const { aRoute, note, anInstance, failing, at, alerts } = await aTenant();
    for (const name of ['soc', 'boss'])
      failing.set(name, { message: '451 later', isOfChannel: true, isGuess: true });
    await aRoute('soc', { to: ['soc@example.com'] });
    await note(...ids(1));
    const instance = anInstance();
    await runUntilGivenUp(instance, at);
    await aRoute('boss', { to: ['boss@example.com'] });
    await note(...ids(1));
    await runUntilGivenUp(instance, at);
    expect(await alerts()).toHaveLength(1);
  });

  it('makes an alert about a route whose mails are to be sent later, if mails of other routes are taken', async () => {
    const { aRoute, note, anInstance, toldBy, failing, at, alerts } = await aTenant();
    await aRoute('full', { to: ['full@example.com'] });
    await aRoute('soc', { to: ['soc@example.com'] });
    failing.set('full', { message: '452 mailbox full', isOfChannel: true, isGuess: true });
    await note(...ids(1));
    await runUntilGivenUp(anInstance(), at);
    const made = await alerts();
    expect(made.map(({ groupValues }) => JSON.parse(groupValues))).toEqual([
      { problem: 'A route of alerts fails', route: 'full', channel: 'e-mail' },
    ]);
    expect(toldBy('soc').flat()).toContain(made[0]?.alertId);
  });

  it('leaves the notices of a destination to another instance at once where it may not connect, and says so', async () => {
    const { aRoute, note, anInstance, toldBy, waiting, notices, routes, at, alerts } = await aTenant();
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    const [strict, lenient] = [anInstance(['siem']), anInstance()];
    const noted = ids(3);
    await note(...noted);
    await strict.run();
    expect(await notices()).toEqual(Array(3).fill(expect.objectContaining({ sentAt: null, tries: 0 })));
    expect((await routes()).map(({ lastError }) => lastError)).toEqual(['a private address']);
    // The same moment: the other has no wait, and the first one leaves it the turn.
    await strict.run();
    await lenient.run();
    expect(toldBy('siem').flat().sort()).toEqual([...noted].sort());
    expect(await waiting()).toBe(0);
    expect((await routes()).map(({ lastError }) => lastError)).toEqual([null]);
    expect([strict.healthy, lenient.healthy]).toEqual([false, true]);
    at.nowMs += 3_600_000;
    expect(strict.healthy).toBe(true);
    expect(await alerts()).toEqual([]);
  });

  it('tries again where it may not connect, and then waits as little as before', async () => {
    const { aRoute, note, anInstance, toldBy, at } = await aTenant();
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    const refused = ['siem'];
    const instance = anInstance(refused);
    await note(...ids(1));
    await instance.run();
    refused.length = 0;
    await instance.run();
    expect(toldBy('siem')).toEqual([]);
    at.nowMs += 2_000;
    await instance.run();
    expect(toldBy('siem')).toHaveLength(1);
    expect(instance.healthy).toBe(true);
  });

  it('makes an alert about a destination that no instance may connect to for a minute', async () => {
    const { aRoute, note, anInstance, toldBy, at, alerts } = await aTenant();
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    await aRoute('soc', { to: ['soc@example.com'] });
    const instances = [anInstance(['siem']), anInstance(['siem'])];
    await note(...ids(1));
    for (let second = 0; second < 59; second++) {
      for (const one of instances) await one.run();
      at.nowMs += 1_000;
    }
    expect(await alerts()).toEqual([]);
    at.nowMs += 60_000;
    for (const one of instances) await one.run();
    for (const one of instances) await one.run();
    const made = await alerts();
    expect(made.map(({ groupValues }) => JSON.parse(groupValues))).toEqual([
      {
        problem: 'A channel of alerts fails',
        route: 'siem',
        channel: expect.stringMatching(/^destination /),
      },
    ]);
    expect(toldBy('soc').flat()).toContain(made[0]?.alertId);
  });

  it('serves other routes while one hangs, and stops a round of a route at its first failure', async () => {
    const { aRoute, note, anInstance, toldBy, failing, hanging } = await aTenant();
    await aRoute('first', { destinationId: randomUUID(), format: 'json' });
    await aRoute('second', { destinationId: randomUUID(), format: 'json' });
    await aRoute('third', { destinationId: randomUUID(), format: 'json' });
    hanging.add('first');
    failing.set('second', { message: 'HTTP 503', isOfChannel: true });
    await note(...ids(20));
    void anInstance().run();
    await until(
      () => toldBy('third').length,
      (count) => count === 20,
    );
    expect(toldBy('first')).toHaveLength(1);
    expect(toldBy('second')).toHaveLength(1);
  });

  it('tells the states of an alert in their order, also where the first one has to be sent again', async () => {
    const { aRoute, noted, anInstance, failing, told, at } = await aTenant();
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    failing.set('siem', { message: 'HTTP 503', isOfChannel: true });
    const all = ids(12);
    await noted({}, ...all);
    const instance = anInstance();
    await instance.run();
    failing.clear();
    told.length = 0;
    for (const status of ['acknowledged', 'resolved']) {
      at.nowMs += 1_000;
      await noted({ status }, ...all);
    }
    const [other = ''] = ids(1);
    await noted({}, other);
    await instance.run();
    const states = (id: string) =>
      told
        .flatMap(({ notices }) => notices.filter(({ alertId }) => alertId === id))
        .map(({ state }) => state);
    expect([states(all[0] ?? ''), states(other)]).toEqual([[], ['new']]);
    at.nowMs += LATER;
    for (let i = 0; i < 3; i++) await instance.run();
    for (const id of all) expect(states(id)).toEqual(['new', 'acknowledged', 'resolved']);
  });

  it('sends the other messages of a route although the receiver refuses one for good, and tells of that one', async () => {
    const { aRoute, note, anInstance, toldBy, refused, failing, notices, at, alerts } = await aTenant();
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    const all = ids(7);
    for (const id of all.slice(0, 5)) refused.add(id);
    await note(...all);
    const instance = anInstance();
    await instance.run();
    const sent = (await notices()).filter(({ sentAt }) => sentAt !== null).map(({ alertId }) => alertId);
    expect(sent.sort()).toEqual(all.slice(5).sort());
    await runUntilGivenUp(instance, at);
    const made = await alerts();
    expect(made.map(({ groupValues }) => JSON.parse(groupValues).problem)).toEqual([
      'A receiver refuses an alert',
    ]);
    expect(toldBy('siem').flat()).toContain(made[0]?.alertId);
    expect(failing.size).toBe(0);
  });

  it('tells destinations while a mail server hangs, however many routes lead to it', async () => {
    const { aRoute, note, anInstance, toldBy, hanging } = await aTenant();
    for (let i = 0; i < 20; i++) {
      await aRoute(`mail ${i}`, { to: [`${i}@example.com`] });
      hanging.add(`mail ${i}`);
    }
    await aRoute('siem', { destinationId: randomUUID(), format: 'json' });
    await note(...ids(1));
    void anInstance().run();
    await until(
      () => toldBy('siem').length,
      (count) => count === 1,
    );
  });

  it('serves routes that have not failed before those that have', async () => {
    const { aRoute, note, anInstance, toldBy, failing, hanging, at } = await aTenant();
    const away = Array.from({ length: 20 }, (_, i) => `away ${i}`);
    for (const name of away) {
      await aRoute(name, { destinationId: randomUUID(), format: 'json' });
      failing.set(name, { message: 'HTTP 503', isOfChannel: true });
    }
    await note(...ids(1));
    const instance = anInstance();
    await instance.run();
    at.nowMs += LATER;
    for (const name of away) hanging.add(name);
    await aRoute('well', { destinationId: randomUUID(), format: 'json' });
    await note(...ids(1));
    void instance.run();
    await until(
      () => toldBy('well').length,
      (count) => count === 1,
    );
  });

  it('does not wait for a route that hangs: the next round serves the others', async () => {
    const { aRoute, note, anInstance, toldBy, hanging, at } = await aTenant();
    await aRoute('first', { destinationId: randomUUID(), format: 'json' });
    await aRoute('second', { destinationId: randomUUID(), format: 'json' });
    hanging.add('first');
    const instance = anInstance();
    await note(...ids(1));
    await instance.run();
    at.nowMs += 1_000;
    await note(...ids(1));
    await instance.run();
    expect(toldBy('second')).toHaveLength(2);
    expect(toldBy('first')).toHaveLength(1);
  });
});

describe('a channel to a destination', () => {
  const route: AlertRoute = {
    tenantId: 1,
    routeId: randomUUID(),
    name: 'siem',
    ruleId: null,
    target: { destinationId: randomUUID(), format: 'json' },
  };
  const due: Due = {
    noticeId: randomUUID(),
    routeId: route.routeId,
    alertId: randomUUID(),
    state: 'new',
    tries: 1,
    createdAt: new Date(0),
    until: new Date(60_000),
  };
  const reader = { alert: async () => ({ severity: 'high', status: 'new' }) } as never;
  const outcomeOf = (outcome: Outcome) =>
    new Channels({ reader, mailer: null, send: async () => outcome }).send(route, [due]);

  it('says whether the failure is of this instance alone', async () => {
    expect(await outcomeOf(failureOf(new RefusedAddress('a private address')))).toEqual({
      message: 'a private address',
      isOfChannel: true,
      isOfInstance: true,
      isOfMessage: false,
    });
    expect(await outcomeOf(failureOf(new Error('reset')))).toEqual({
      message: 'reset',
      isOfChannel: true,
      isOfInstance: false,
      isOfMessage: false,
    });
    expect(await outcomeOf({ kind: 'accepted' })).toEqual([]);
  });

  it('states the state that each notice is about, and of an escalation that of the alert, until one is refused', async () => {
    const sent: { id: string; content: { status: string; escalated?: boolean } }[] = [];
    const send = async (_tenantId: number, _destinationId: string, message: object) => {
      sent.push(message as never);
      return { kind: sent.length < 3 ? 'accepted' : 'refused' };
    };
    const acknowledged = { alert: async () => ({ severity: 'high', status: 'acknowledged' }) } as never;
    const notices = ['new', 'escalated', 'resolved', 'acknowledged'].map((state) => ({
      ...due,
      state,
      noticeId: state,
    }));
    const outcome = await new Channels({ reader: acknowledged, mailer: null, send }).send(route, notices);
    expect(outcome).toEqual({
      message: 'refused',
      isOfChannel: true,
      isOfInstance: false,
      isOfMessage: true,
    });
    expect(sent.map(({ id, content: { status, escalated } }) => [id, status, escalated])).toEqual([
      ['new', 'new', undefined],
      ['escalated', 'acknowledged', true],
      ['resolved', 'resolved', undefined],
    ]);
  });
});
