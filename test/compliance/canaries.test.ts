import { parseTicks } from '../../src/event/event-time';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { Assessments } from '../../src/modules/compliance/assessment';
import { eachEvent } from '../../src/modules/compliance/each-event';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { oneTenant } from '../../src/tenant-set';
import { ONE_ENGINE } from '../support/engines';
import type { IngestedEvent } from '../support/events';
import { Store } from '../support/store';
import { hoursAgo, NOW_MS } from './support/known-history';

const written = (serverInstanceName: string, hours: number, text: string): Partial<IngestedEvent> => ({
  ...{ actionId: 'UDAU', serverInstanceName, eventTime: hoursAgo(hours) },
  additional: { userDefinedEventId: 4711, userDefinedInformation: text },
});
const canaries = (instance: string, from: number, to: number) =>
  Array.from({ length: from - to }, (_, i) => written(instance, from - i, `seq=${i + 1}`));
const login = (serverInstanceName: string) => ({
  ...{ actionId: 'LGIS', serverInstanceName, eventTime: hoursAgo(0.5) },
});

describe.each(ONE_ENGINE)('the canaries of servers on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
    await store.insert(
      store.checked([
        ...['BUSY', 'FEW', 'FULL', 'DEAD', 'GOES', 'LATE', 'NONE'].map(login),
        // Those of DEAD ended three days ago, and those of GOES came until now.
        ...[...canaries('DEAD', 80, 72), ...canaries('GOES', 80, 0)],
        // Those of LATE ended too, but for one at the very moment that is looked at.
        ...[...canaries('LATE', 80, 72), written('LATE', 0, 'seq=9')],
        // Those of BUSY ended too, among many records of its own.
        ...canaries('BUSY', 80, 72),
        ...Array.from({ length: 60 }, (_, i) => written('BUSY', 70 - i / 2, 'order 7 was paid')),
        // Those of FULL ended too, and 3,000 records of its own came since.
        ...canaries('FULL', 80, 72),
        ...Array.from({ length: 3_000 }, (_, i) => written('FULL', 60 - i / 60, 'order 7 was paid')),
        // One record alone does not say when the next one is due, and NONE writes records of its own.
        ...[written('FEW', 72, 'seq=1'), written('NONE', 72, 'order 7 was paid')],
      ]),
    );
  });
  afterAll(() => store.close());

  it('say of a server whose last one came days ago that it is overdue', async () => {
    const { service } = store.database;
    const explorer = new PostgresAuditEventExplorer(service);
    const reader = new PostgresAuditEventReader(service);
    const names = ['BUSY', 'DEAD', 'FEW', 'FULL', 'GOES', 'LATE', 'NONE'];
    const assessments = new Assessments(
      service,
      {
        groupsOfEach: (set, questions) => explorer.groupsOfEach(set, questions),
        facets: (set, filter, asked) => explorer.facets(set, filter, asked),
        page: (set, query) => reader.page(set, query),
        sources: async () =>
          names.map((hostName) => ({
            ...{ tenantId: String(store.tenantId), hostName, state: 'current', lagSeconds: 1, gaps: [] },
            ...{ lastReported: hoursAgo(0), completeThrough: hoursAgo(0), lastEventTime: hoursAgo(0) },
          })),
        lags: async () => [],
        verifications: async () => [],
        sourcesOf: (instance, all) => all.filter(({ hostName }) => hostName === instance),
      },
      { list: async () => [] },
      () => NOW_MS,
    );
    const asOf = parseTicks(hoursAgo(0)) ?? 0n;
    const trails = await assessments.trails(oneTenant(store.tenantId), { asOf, instance: null, checks: [] });
    const health = await assessments.health(trails);
    expect(
      health.map(({ serverInstanceName, state, reason }) => [serverInstanceName, state, reason]),
    ).toEqual([
      ['BUSY', 'broken', `No canary came after number 8 of ${hoursAgo(73)}.`],
      ['DEAD', 'broken', `No canary came after number 8 of ${hoursAgo(73)}.`],
      ['FEW', 'healthy', expect.not.stringContaining('canaries')],
      [
        'FULL',
        'unknown',
        expect.stringMatching(/^No canary can be found: more records of sp_audit_write came since 2/),
      ],
      ['GOES', 'healthy', expect.stringContaining('canaries come')],
      ['LATE', 'healthy', expect.any(String)],
      ['NONE', 'healthy', expect.not.stringContaining('canaries')],
    ]);
  });

  it('are read one by one, and other callers are served between two of them', async () => {
    const { service } = store.database;
    const ask = new PostgresAuditEventReader(service);
    const asked = {
      filter: 'actionId:UDAU AND serverInstanceName:DEAD',
      startTime: null,
      endTime: hoursAgo(0),
    };
    let served = 0;
    const found: number[] = [];
    await eachEvent(service, ask, oneTenant(store.tenantId), asked, () => {
      found.push(served);
      setImmediate(() => {
        served += 1;
      });
    });
    expect(found).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
