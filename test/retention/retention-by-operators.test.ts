import 'reflect-metadata';
import { TICKS_PER_MS } from '../../src/event/event-time';
import type { AuditEventFilter } from '../../src/event/query';
import { HoldResolver } from '../../src/modules/tenants/holds/hold.resolver';
import { RetentionManager } from '../../src/modules/tenants/retention/manage-retention';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { OPERATOR, openFakeService } from '../support/fake-service';
import { useWorld } from '../support/use-world';

const SET = `mutation($tenantId: String!, $days: Int) {
  setTenantRetention(tenantId: $tenantId, days: $days) { tenantId name retentionDays } }`;
const RUNS = `query($tenantId: String, $first: Int!) { retentionRuns(tenantId: $tenantId, first: $first) {
  tenantId runId retentionDays events fromTime toTime partitions startedAt endedAt } }`;
const PREVIEW = `query($tenantId: String!, $days: Int!) {
  retentionPreview(tenantId: $tenantId, days: $days) { tenantId before events kept } }`;
const CREATE = `mutation($tenantId: String!, $filter: String, $until: String) {
  createHold(tenantId: $tenantId, filter: $filter, until: $until, reason: "case 7") {
    holdId tenantId filter until isInForce endedAt } }`;
const END = `mutation($holdId: String!, $reason: String!) {
  endHold(holdId: $holdId, reason: $reason) { holdId isInForce endedReason endedBy } }`;
const RUN = {
  runId: '11111111-1111-4111-8111-111111111111',
  retentionDays: 30,
  fromTime: '2026-01-05T08:00:00.000Z',
  toTime: '2026-01-12T00:00:00.000Z',
  partitions: ['audit_event_20260105'],
  startedAt: '2026-03-01T00:00:00.000Z',
  endedAt: '2026-03-01T00:00:01.000Z',
};

describe('retention through GraphQL', () => {
  const open = useWorld(ANY_ENGINE);
  const code = async (query: string, variables: object) =>
    (await open.world.graphql(open.world.operatorKey, query, variables)).body.errors?.[0].extensions.code;

  it('keeps events for ever unless the operator says otherwise', async () => {
    const { tenantId } = await open.world.tenant();
    const { tenants } = await open.world.operate('{ tenants { tenantId retentionDays } }');
    expect(tenants).toContainEqual({ tenantId, retentionDays: null });
  });

  it('is set with a new tenant, changed, and removed', async () => {
    const { createTenant } = await open.world.operate(
      'mutation { createTenant(name: "B", retentionDays: 90) { tenantId retentionDays } }',
    );
    expect(createTenant.retentionDays).toBe(90);
    const { tenantId } = createTenant;
    for (const days of [30, null]) {
      const { setTenantRetention } = await open.world.operate(SET, { tenantId, days });
      expect(setTenantRetention).toEqual({ tenantId, name: 'B', retentionDays: days });
    }
  });

  it('refuses invalid days and unknown tenants', async () => {
    const { tenantId } = await open.world.tenant();
    for (const days of [0, -1, 36_501]) expect(await code(SET, { tenantId, days })).toBe('invalid_parameter');
    for (const id of ['0', '2147483647', 'x'])
      expect(await code(SET, { tenantId: id, days: 1 })).toBe('not_found');
    expect(await code('mutation { createTenant(name: "C", retentionDays: 0) { tenantId } }', {})).toBe(
      'invalid_parameter',
    );
  });

  it('previews how many events it would remove, to the second', async () => {
    const acme = await open.world.tenant();
    const other = await open.world.tenant();
    const ago = (ms: number) => `${new Date(Date.now() - ms).toISOString().slice(0, 19)}.0000000Z`;
    const [day, minute] = [86_400_000, 60_000];
    for (const ms of [90 * day, 30 * day + minute, 30 * day + 2 * minute, 30 * day - minute, day, 0])
      await acme.audited({ eventTime: ago(ms) });
    await other.audited({ eventTime: ago(90 * day) });
    const previewOf = async (days: number) => {
      const variables = { tenantId: acme.tenantId, days };
      return (await open.world.operate(PREVIEW, variables)).retentionPreview;
    };
    expect(await previewOf(30)).toMatchObject({ tenantId: acme.tenantId, events: 3, kept: 3 });
    expect(await previewOf(400)).toMatchObject({ events: 0, kept: 6 });
    expect(await previewOf(60)).toMatchObject({ events: 1, kept: 5 });
    expect(Date.now() - Date.parse((await previewOf(60)).before)).toBeLessThan(60 * day + minute);
    expect(await code(PREVIEW, { tenantId: acme.tenantId, days: 0 })).toBe('invalid_parameter');
    for (const tenantId of ['x', '2147483647'])
      expect(await code(PREVIEW, { tenantId, days: 1 })).toBe('not_found');
  });

  it('tells of holds in the preview, and with the tenant', async () => {
    const acme = await open.world.tenant();
    const { tenantId } = acme;
    const old = `${new Date(Date.now() - 90 * 86_400_000).toISOString().slice(0, 19)}.0000000Z`;
    for (const databaseName of ['Payroll', 'Payroll', 'Other'])
      await acme.audited({ databaseName, eventTime: old });
    const previewed = async () =>
      (
        await open.world.operate(
          'query($tenantId: String!) { retentionPreview(tenantId: $tenantId, days: 30) { events kept held holds } }',
          { tenantId },
        )
      ).retentionPreview;
    expect(await previewed()).toEqual({ events: 3, kept: 0, held: 0, holds: 0 });
    const { createHold } = await open.world.operate(CREATE, {
      tenantId,
      filter: 'databaseName:Payroll',
      until: '2199-01-01T00:00:00Z',
    });
    expect(createHold).toMatchObject({
      tenantId,
      isInForce: true,
      until: '2199-01-01T00:00:00.000Z',
      endedAt: null,
    });
    expect(await previewed()).toEqual({ events: 1, kept: 2, held: 2, holds: 1 });
    const { createHold: other } = await open.world.operate(CREATE, { tenantId, filter: null });
    expect(await previewed()).toEqual({ events: 0, kept: 3, held: 3, holds: 2 });
    const { setTenantRetention } = await open.world.operate(
      `mutation($tenantId: String!) { setTenantRetention(tenantId: $tenantId, days: 400) { holdsInForce } }`,
      { tenantId },
    );
    expect(setTenantRetention).toEqual({ holdsInForce: 2 });
    const end = (holdId: string) => ({ holdId, reason: 'settled' });
    const { endHold } = await open.world.operate(END, end(other.holdId));
    expect(endHold).toMatchObject({ isInForce: false, endedReason: 'settled', endedBy: expect.any(String) });
    expect(await code(END, end(other.holdId))).toBe('invalid_parameter');
    for (const holdId of ['x', '11111111-1111-4111-8111-111111111111'])
      expect(await code(END, end(holdId))).toBe('not_found');
    const { holds } = await open.world.operate(
      'query($tenantId: String) { holds(tenantId: $tenantId) { holdId isInForce filter } }',
      { tenantId },
    );
    expect(holds).toEqual([
      { holdId: createHold.holdId, isInForce: true, filter: 'databaseName:Payroll' },
      { holdId: other.holdId, isInForce: false, filter: null },
    ]);
    const listed = (await open.world.operate('{ tenants { tenantId holdsInForce } }')).tenants;
    expect(listed).toContainEqual({ tenantId, holdsInForce: 1 });
    const { accessLog } = await open.world.operate(
      `query($tenantId: String) { accessLog(tenantId: $tenantId, first: 20) { entries { operation subject } } }`,
      { tenantId },
    );
    const changes = accessLog.entries.filter(({ operation }: { operation: string }) =>
      /Hold$/.test(operation),
    );
    expect(changes).toEqual([
      { operation: 'endHold', subject: other.holdId },
      { operation: 'createHold', subject: other.holdId },
      { operation: 'createHold', subject: createHold.holdId },
    ]);
  });

  it('refuses a hold that holds nothing', async () => {
    const { tenantId } = await open.world.tenant();
    const refused: [object, string][] = [
      [{ tenantId, filter: 'no:such' }, 'invalid_parameter'],
      [{ tenantId, filter: null, until: '2020-01-01T00:00:00Z' }, 'invalid_parameter'],
      [{ tenantId: '2147483647', filter: null }, 'not_found'],
      [{ tenantId: 'x', filter: null }, 'not_found'],
    ];
    for (const [variables, expected] of refused) expect(await code(CREATE, variables)).toBe(expected);
  });

  it('is open to operators only', async () => {
    const tenant = await open.world.tenant();
    for (const key of [tenant.key, tenant.agentKey])
      for (const [query, variables] of [
        [SET, { tenantId: tenant.tenantId, days: 1 }],
        [RUNS, { tenantId: null, first: 1 }],
        [PREVIEW, { tenantId: tenant.tenantId, days: 1 }],
      ] as const) {
        const { body } = await open.world.graphql(key, query, variables);
        expect(body.errors[0].extensions.code).toBe('forbidden');
      }
  });

  it('lists no runs before the first one, and refuses an invalid number and an unknown tenant', async () => {
    const ids = [await open.world.tenant(), await open.world.tenant()].map(({ tenantId }) => tenantId);
    expect(await open.world.operate(RUNS, { tenantId: ids[0], first: 10 })).toEqual({ retentionRuns: [] });
    expect(await code(RUNS, { tenantId: ids[0], first: 0 })).toBe('invalid_parameter');
    expect(await code(RUNS, { tenantId: 'x', first: 1 })).toBe('not_found');
  });
});

it('a hold ends later than now, and is ended by its id in any letter case', async () => {
  const nowMs = Date.parse('2026-01-05T08:00:00Z');
  const made = { holdId: RUN.runId, tenantId: 7, createdAt: new Date(nowMs), until: null, endedAt: null };
  const ids: string[] = [];
  const store = {
    create: async () => made,
    end: async (holdId: string) => {
      ids.push(holdId);
      return made;
    },
  };
  const resolver = new HoldResolver(store as never, () => nowMs);
  const call = { principal: { name: 'op' }, attempt: () => AN_ATTEMPT } as never;
  const create = (until: string) =>
    resolver.createHold({ tenantId: '7', filter: undefined, until, reason: 'case 7' }, call);
  await expect(create('2026-01-05T08:00:00Z')).rejects.toMatchObject({ code: 'invalid_parameter' });
  expect(await create('2026-01-05T08:00:00.001Z')).toMatchObject({ isInForce: true });
  await resolver.endHold({ holdId: 'ABCDEF11-1111-4111-8111-111111111111', reason: 'settled' }, call);
  expect(ids).toEqual(['abcdef11-1111-4111-8111-111111111111']);
});

it('previews as held no more than would be removed: held events with a mark count by their arrival', async () => {
  const before = new Date('2026-01-05T08:00:00Z');
  const store = { preview: async () => ({ before, events: 3, kept: 5 }) } as never;
  const hold = { filter: 'databaseName:Payroll' } as never;
  const counted: AuditEventFilter[] = [];
  const manager = new RetentionManager(store, { inForce: async () => [hold] }, async (_, filter) => {
    counted.push(filter);
    return 4;
  });
  expect(await manager.preview('7', 30)).toEqual({ before, events: 0, kept: 8, held: 3, holds: 1 });
  expect(counted).toMatchObject([{ from: null, to: BigInt(before.getTime()) * TICKS_PER_MS }]);
});

it('shows a run as it was recorded', async () => {
  const times = ['fromTime', 'toTime', 'startedAt', 'endedAt'] as const;
  const stored = { ...RUN, tenantId: 7, events: 5_000_000_000 };
  const asked: unknown[] = [];
  const store = {
    runs: async (...args: unknown[]) => {
      asked.push(args);
      return [{ ...stored, ...Object.fromEntries(times.map((name) => [name, new Date(RUN[name])])) }];
    },
  } as never;
  const retention = new RetentionManager(store, { inForce: async () => [] }, async () => 0);
  const service = await openFakeService({ retention, principal: OPERATOR });
  try {
    const answer = await service.graphql(RUNS, { tenantId: '7', first: 3 });
    expect(await answer.json()).toEqual({ data: { retentionRuns: [{ ...stored, tenantId: '7' }] } });
    expect(asked).toEqual([[7, 3]]);
  } finally {
    await service.close();
  }
});
