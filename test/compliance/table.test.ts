import { parseTicks } from '../../src/event/event-time';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { Assessments } from '../../src/modules/compliance/assessment';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { Indexer } from '../../src/modules/search/indexer';
import { Folder } from '../../src/store/counts/fold';
import { oneTenant } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { ONE_ENGINE } from '../support/engines';
import { Store } from '../support/store';
import { EXPECTED, MOMENTS } from './support/expected-answers';
import {
  ALERTS,
  DECLARATIONS,
  HAPPENED,
  HISTORY,
  hoursAgo,
  NOW_MS,
  SOURCES,
  VERIFICATIONS,
} from './support/known-history';

const INSTANCES = ['PAY01', 'WEB01'];
const ticksAgo = (hours: number) => parseTicks(hoursAgo(hours)) ?? 0n;

/** Whether the history is in columns, or events are read for each answer. */
const FORMS = ONE_ENGINE.flatMap((engine) => [[engine, 'events'] as const, [engine, 'columns'] as const]);

describe.each(FORMS)('a known history of two instances on %s, by %s', (engine, form) => {
  let store: Store;
  let assessments: Assessments;
  beforeAll(async () => {
    store = await Store.open(engine);
    await store.insert(store.checked(HISTORY));
    if (form === 'columns') await index();
    await putAlerts();
    const { service } = store.database;
    const explorer = new PostgresAuditEventExplorer(service);
    const reader = new PostgresAuditEventReader(service);
    assessments = new Assessments(
      service,
      {
        groupsOfEach: (set, questions) => explorer.groupsOfEach(set, questions),
        facets: (set, filter, asked) => explorer.facets(set, filter, asked),
        page: (set, query) => reader.page(set, query),
        sources: async () => SOURCES,
        lags: async () => [],
        verifications: async (_, from, to) =>
          VERIFICATIONS.filter(({ endedAt }) => endedAt > from && endedAt <= to),
        sourcesOf: (instance, all) => all.filter(({ hostName }) => hostName === instance),
      },
      { list: async () => DECLARATIONS },
      () => NOW_MS,
    );
  });
  afterAll(() => store.close());

  async function index(): Promise<void> {
    await new Folder(store.database.migrator).run();
    const indexer = new Indexer(store.database.owner, AT_ONCE);
    while ((await indexer.run()) > 0);
  }

  async function putAlerts(): Promise<void> {
    const { models } = store.database.owner;
    const { tenantId } = store;
    for (const [i, { rule, createdAt, answeredAt, events }] of ALERTS.entries()) {
      const alertId = `11111111-0000-8000-8000-00000000000${i}`;
      await models.alert.create({
        data: {
          ...{ tenantId, alertId, title: 'x', severity: 3, status: 'acknowledged', groupKey: alertId },
          ...{ anchor: 1n, findingCount: 0, eventCount: 0n, principals: [], createdAt, updatedAt: createdAt },
          ...rule,
          ...events,
        },
      });
      await models.alertChange.create({
        data: {
          ...{ tenantId, alertId, changeId: alertId, at: answeredAt, actor: 'x' },
          ...{ kind: 'acknowledged', detail: '{}' },
        },
      });
    }
  }
  const at = (ticks: bigint) => assessments.itemsOf(null, oneTenant(store.tenantId), ticks);
  const whole = async (ticks: bigint) =>
    (await at(ticks)).filter(({ databaseName }) => databaseName === null);
  const failedBy = (items: Awaited<ReturnType<typeof whole>>, part: string) =>
    items.filter(({ status, reason }) => status === 'fail' && reason.includes(part));

  it('is answered for each control at each moment as the table says', async () => {
    const letters: Record<string, Record<string, string>> = {};
    for (const hours of Object.values(MOMENTS))
      for (const { frameworkId, controlId, serverInstanceName, status } of await whole(ticksAgo(hours))) {
        const key = `${frameworkId} ${controlId}`;
        const own = letters[key] ?? {};
        letters[key] = { ...own, [serverInstanceName]: (own[serverInstanceName] ?? '') + status[0] };
      }
    const found = Object.entries(letters).map(
      ([key, own]) => `${key}: ${INSTANCES.map((n) => own[n]).join(' ')}`,
    );
    const wanted = Object.entries(EXPECTED).flatMap(([frameworkId, controls]) =>
      Object.entries(controls).map(([controlId, row]) => `${frameworkId} ${controlId}: ${row}`),
    );
    expect(found.sort()).toEqual(wanted.sort());
  });

  it('turns to fail at the record that takes a group out, which is named, and not a tick before', async () => {
    const record = ticksAgo(HAPPENED.tookLogins);
    const [before, from] = [await whole(record - 1n), await whole(record)];
    const failed = failedBy(from, 'FAILED_LOGIN_GROUP');

    expect(failedBy(before, 'FAILED_LOGIN_GROUP')).toEqual([]);
    expect(failed.map(({ controlId }) => controlId).sort()).toEqual(
      [
        ...['10.2.1.2', '10.2.1.4', '164.308(a)(5)(ii)(C)', '5.4', 'AU-12 c'],
        ...['SQL6-D0-014800', 'SQL6-D0-014900', 'SQL6-D0-015000', 'SQLI-22-014800'],
      ].sort(),
    );
    for (const { serverInstanceName, since, reason, recordIds } of failed) {
      expect([serverInstanceName, since]).toEqual(['PAY01', hoursAgo(HAPPENED.tookLogins)]);
      expect(reason).toContain('CORP\\j.ortega');
      expect(recordIds).toHaveLength(1);
    }
    const again = await whole(ticksAgo(HAPPENED.gaveLogins));
    expect(failedBy(again, 'FAILED_LOGIN_GROUP is')).toEqual([]);
  });

  it('fails what is recorded from the beginning of a gap to its end', async () => {
    const gaps = async (ticks: bigint) =>
      failedBy(await whole(ticks), 'A part of the trail is missing').filter(
        ({ controlId }) => controlId === '10.2.1.5',
      );
    const [first, last] = [ticksAgo(HAPPENED.gapFrom), ticksAgo(HAPPENED.gapTo)];

    expect(await gaps(first - 2n)).toEqual([]);
    expect(await gaps(first)).toMatchObject([
      { serverInstanceName: 'PAY01', since: hoursAgo(HAPPENED.gapFrom) },
    ]);
    expect(await gaps(last - 1n)).toHaveLength(1);
    expect(await gaps(last + 1n)).toEqual([]);
  });

  it('has items of the database that records by a specification of its own', async () => {
    const own = (await at(ticksAgo(0))).filter(
      ({ databaseName, controlId }) => databaseName !== null && controlId === 'SQLI-22-004600',
    );
    expect(own).toMatchObject([
      {
        serverInstanceName: 'PAY01',
        databaseName: 'Payroll',
        status: 'pass',
        since: hoursAgo(HAPPENED.started),
      },
    ]);
  });

  it('changes with an event that comes late, before and after it is indexed', async () => {
    const seen = async () => {
      const asked = { asOf: ticksAgo(0), instance: null, checks: [] };
      const trails = await assessments.trails(oneTenant(store.tenantId), asked);
      return trails.map(({ serverInstanceName, events, seen: groups }) => [
        ...[serverInstanceName, events],
        groups.get('DATABASE_MIRRORING_LOGIN_GROUP')?.succeeded ?? 0,
      ]);
    };
    const [pay, web] = await seen();
    const late = { eventTime: hoursAgo(300), actionId: 'LGM', serverInstanceName: 'WEB01', blockOffset: 7 };
    await store.insert(store.checked([late]));
    const wanted = [pay, ['WEB01', Number(web?.[1]) + 1, Number(web?.[2]) + 1]];
    expect(await seen()).toEqual(wanted);
    await index();
    expect(await seen()).toEqual(wanted);
    expect(await seen()).toEqual(wanted);
  });
});
