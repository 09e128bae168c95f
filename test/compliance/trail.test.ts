import { formatTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { judgeGroups } from '../../src/modules/compliance/judge-groups';
import { readTrails } from '../../src/modules/compliance/trail';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const AT_MS = Date.parse('2026-05-04T08:00:00Z');
const GROUP = 'LOGOUT_GROUP';
const GROUPS = new Map([[GROUP, { name: GROUP, scope: 'server', writes: [{ actions: ['LGO'] }] }]]);
const SPECIFICATION = {
  ...{ name: 'S', database: null, audit: 'Main', auditIsOn: true, isOn: true, groups: [GROUP], actions: [] },
};

describe('the trail of a server instance', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  /** @param removedMs when the group was taken out @param snapshotMs when a snapshot showed that it is in */
  async function trailOf(removedMs: number, snapshotMs: number) {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const [removed] = own.checked([
      {
        eventTime: formatTicks(BigInt(removedMs) * TICKS_PER_MS),
        ...{ actionId: 'AL', succeeded: true, serverInstanceName: 'SQL1', serverPrincipalName: 'eve' },
        objectName: 'S',
        statement: `ALTER SERVER AUDIT SPECIFICATION S DROP (${GROUP})`,
        additional: { classType: 'SA' },
      },
    ]);
    await own.insert(removed ? [removed] : []);
    const snapshot = {
      ...{ kind: 'snapshot', declarationId: 'd', serverInstanceName: 'SQL1', validUntil: null, reason: 'r' },
      ...{ validFrom: new Date(snapshotMs), createdAt: new Date(snapshotMs), createdBy: 'ops' },
      ...{ sha256: 'ab'.repeat(32), snapshot: { databaseName: 'master', specifications: [SPECIFICATION] } },
    };
    const source = { hostName: 'H1', state: 'current', lagSeconds: 0, gaps: [] };
    const ofHost = (tenant: number, hostName: string) => ({ tenantId: String(tenant), hostName, minutes: 1 });
    const asked: [number, number][] = [];
    const parts = {
      service: own.database.service,
      ask: {
        facets: async () => ({
          totalCount: 1,
          facets: [{ values: [{ value: 'SQL1', succeeded: 1, failed: 0 }] }],
        }),
        groupsOfEach: async (_: unknown, questions: readonly unknown[]) =>
          questions.map((_question, i) => ({
            groups: i === 0 ? [{ values: ['SQL1'], n: 1, firstMs: removedMs, lastMs: removedMs }] : [],
          })),
        page: async () => ({ items: [{ recordId: removed?.recordId }] }),
        sourcesOf: () => null,
        verifications: async () => [],
      },
      groups: GROUPS,
      declarations: async () => [snapshot],
      sources: [
        { ...source, tenantId: String(tenantId) },
        { ...source, tenantId: String(tenantId + 1) },
      ],
      lags: async (fromMs: number, toMs: number) => {
        asked.push([fromMs, toMs]);
        return [ofHost(tenantId, 'H1'), ofHost(tenantId, 'H2'), ofHost(tenantId + 1, 'H1')];
      },
      nowMs: () => AT_MS + 3_600_000,
    };
    const assessed = { asOf: BigInt(AT_MS + 3_600_000) * TICKS_PER_MS, instance: null, checks: [] };
    const [trail, ...others] = await readTrails(parts as never, tenantId, assessed);
    expect(others).toEqual([]);
    if (!trail) throw new Error('there is no trail');
    return { trail, tenantId, asked, status: judgeGroups({ groups: [GROUP] }, trail, () => 'server').status };
  }

  it('takes a snapshot after the events of its very moment, before later ones and after earlier ones', async () => {
    expect((await trailOf(AT_MS, AT_MS)).status).toBe('pass');
    expect((await trailOf(AT_MS, AT_MS + 1)).status).toBe('pass');
    expect((await trailOf(AT_MS, AT_MS - 1)).status).toBe('fail');
  });

  it('has the lags of the sources of its tenant and its host alone', async () => {
    const { trail, tenantId, asked } = await trailOf(AT_MS, AT_MS);
    expect(trail.sources.map((source) => source.tenantId)).toEqual([String(tenantId)]);
    const own = [{ tenantId: String(tenantId), hostName: 'H1', minutes: 1 }];
    expect(await trail.lags()).toEqual(own);
    expect(await trail.lagsThen()).toEqual(own);
    const asOfMs = AT_MS + 3_600_000;
    expect(asked).toEqual([
      [asOfMs - 30 * 86_400_000, asOfMs],
      [asOfMs, asOfMs + 1],
    ]);
  });
});
