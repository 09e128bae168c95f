import { randomUUID } from 'node:crypto';
import { changeOf, DROPPED, ownAttempt } from '../../src/caller/access-log';
import { PostgresAccessLogStore } from '../../src/caller/access-log.store';
import { trailProblems } from '../../src/modules/detection/watch/trail-problems';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const NOW_MS = Date.parse('2026-02-03T04:05:06.007Z');
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ago = (ms: number) => new Date(NOW_MS - ms);

describe('problems of a trail are told for as long as they are news', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  async function aTenant() {
    const { tenantId, database } = await store.forNewTenant();
    const { models } = database.owner;
    const source = (hostName: string, lastReported: Date, more: object = {}) =>
      models.auditSource.create({
        data: {
          ...{
            tenantId,
            hostName,
            databaseName: 'd',
            agentVersion: '1',
            waitingBytes: 0n,
            publishedCount: 0n,
          },
          ...{ lastReported, ...more },
        },
      });
    const told = async () => {
      const found = await trailProblems(database.owner, new Map(), NOW_MS);
      const own = found.filter((one) => one.tenantId === tenantId);
      return own.map(({ key, group, since }) => ({ key, problem: group.problem, since }));
    };
    const keys = async () => (await told()).map(({ key }) => key).sort();
    return { tenantId, models, source, told, keys };
  }

  it('a silent source, by its silence alone, and one that reports by its problem and its clock', async () => {
    const { source, told } = await aTenant();
    const problem = { problem: 'disk is full', problemSince: ago(DAY_MS) };
    const [heard, silent] = [ago(15 * MINUTE_MS), ago(15 * MINUTE_MS + 1)];
    await source('A', heard);
    await source('B', silent, { ...problem, clockAheadMs: 10n * BigInt(MINUTE_MS) });
    await source('C', heard, problem);
    await source('D', heard, { problem: 'of before' });
    await source('E', heard, { clockAheadMs: 5n * BigInt(MINUTE_MS) });
    await source('F', heard, { clockAheadMs: 5n * BigInt(MINUTE_MS) + 600n });
    await source('G', heard, { clockAheadMs: -7n * BigInt(MINUTE_MS) });
    await source('H', silent, { ...problem, retiredAt: ago(1), retiredReason: 'gone' });
    expect(new Set(await told())).toEqual(
      new Set([
        { key: 'source B/d silent', problem: 'A source is silent', since: silent },
        { key: 'source C/d problem', problem: 'A source has a problem: disk is full', since: ago(DAY_MS) },
        { key: 'source D/d problem', problem: 'A source has a problem: of before', since: heard },
        { key: 'source F/d clock', problem: 'The clock of an agent is 301 seconds ahead', since: heard },
        { key: 'source G/d clock', problem: 'The clock of an agent is 420 seconds behind', since: heard },
      ]),
    );
  });

  it('a gap for a day from its first report on, and the newest one counts', async () => {
    const { tenantId, models, told } = await aTenant();
    const gap = (hostName: string, firstReported: Date) =>
      models.auditGap.create({
        data: {
          ...{ tenantId, hostName, databaseName: 'd', gapId: randomUUID(), reason: 'FILE_DELETED' },
          ...{ fileName: 'f', detail: 'd', detectedAt: '2026-01-01T00:00:00.0000000Z', firstReported },
        },
      });
    await gap('A', ago(DAY_MS));
    await gap('B', ago(DAY_MS - 1));
    for (const ms of [9 * DAY_MS, 5 * MINUTE_MS, 7 * MINUTE_MS]) await gap('C', ago(ms));
    const problem = 'A part of the trail is missing';
    expect(await told()).toEqual([
      { key: 'gap C/d', problem, since: ago(5 * MINUTE_MS) },
      { key: 'gap B/d', problem, since: ago(DAY_MS - 1) },
    ]);
  });

  it('servers whose times are wrong, also one behind hundreds of events of another', async () => {
    const { tenantId, told } = await aTenant();
    const own = await Store.on(store.place, tenantId);
    try {
      const events = own.checked(
        ['LOUD', 'QUIET'].map((serverInstanceName, i) => ({
          serverInstanceName,
          eventTime: `1980-01-01T00:00:0${i}.0000000Z`,
        })),
      );
      await own.insert(events);
      await own.query('DELETE FROM audit_clock WHERE tenant_id = $1', tenantId);
      const [loud, quiet] = events.map(({ recordId }) => recordId);
      const marked = (recordId: string | undefined, received: Date) =>
        own.query(
          'INSERT INTO audit_clock (tenant_id, record_id, received_at) VALUES ($1, $2::uuid, $3::timestamptz)',
          ...[tenantId, recordId, received],
        );
      await marked(loud, ago(1));
      await marked(quiet, ago(MINUTE_MS));
      // As many newer ones of the same server as stand before it.
      await own.query(
        `WITH e AS (INSERT INTO audit_event SELECT (jsonb_populate_record(a, jsonb_build_object('record_id',
             ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))))).* FROM audit_event a CROSS JOIN generate_series(1, 150) n
           WHERE a.tenant_id = $1 AND a.record_id = $2::uuid RETURNING record_id)
         INSERT INTO audit_clock (tenant_id, record_id, received_at) SELECT $1, record_id, $3::timestamptz FROM e`,
        ...[tenantId, loud, ago(2)],
      );
    } finally {
      await own.disconnect();
    }
    expect((await told()).map(({ key }) => key).sort()).toEqual(['times LOUD', 'times QUIET']);
  });

  it('a destination that retention has overtaken, for a day, unless it is removed', async () => {
    const { tenantId, models, keys } = await aTenant();
    const destination = async (overtakenAt: Date | null, state = 'active') => {
      const destinationId = randomUUID();
      await models.destination.create({
        data: {
          ...{
            tenantId,
            destinationId,
            name: 'siem',
            type: 'webhook',
            settings: {},
            secrets: new Uint8Array(1),
          },
          ...{ filter: '', format: 'native', state, position: 0n, overtakenAt },
        },
      });
      return destinationId;
    };
    await destination(ago(DAY_MS));
    const news = [await destination(ago(DAY_MS - 1)), await destination(ago(1), 'paused')];
    await destination(ago(1), 'removed');
    await destination(null);
    expect(await keys()).toEqual(news.map((id) => `destination ${id} overtaken`).sort());
  });

  it('a loss of the access log for a day, of every tenant', async () => {
    const { told } = await aTenant();
    const log = new PostgresAccessLogStore(store.database);
    const lost = (at: Date) => log.append([changeOf(ownAttempt(DROPPED, at), {})]);
    await lost(ago(DAY_MS + 1_000));
    expect(await told()).toEqual([]);
    await lost(ago(DAY_MS - 1_000));
    await lost(ago(DAY_MS / 2));
    await log.append([changeOf(ownAttempt('other', ago(1)), {})]);
    const other = await aTenant();
    const problem = 'The access log has lost entries';
    for (const one of [told, other.told])
      expect(await one()).toEqual([{ key: 'access log', problem, since: ago(DAY_MS / 2) }]);
  });
});
