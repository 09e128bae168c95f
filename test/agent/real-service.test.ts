import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { check } from '../../agent/cli/check';
import { toGap } from '../../agent/gaps/gap';
import { LIMITS } from '../../src/limits';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { capturedOutput } from './support/captured-output';
import { Cluster, numberAt, numbers } from './support/cluster';
import { withNodes } from './support/cluster-node';
import { until } from './support/until';

const SOURCES = `query($tenantId: String) { auditSources(tenantId: $tenantId) {
  hostName databaseName lastEventTime lag waitingBytes publishedCount problem gapCount gaps { gapId reason detail } } }`;

const LIST = `query($search: String) { auditSourceList(search: $search) { items {
  tenantId hostName state problem gapCount } } }`;
interface Listed {
  readonly tenantId: string;
  readonly hostName: string;
}

describe('an agent with a real service', () => {
  beforeAll(() => {
    // The service takes it at its start.
    jest.replaceProperty(LIMITS, 'trailHealthMs', 200 as never);
  });
  const service = useWorld(ANY_ENGINE);
  let tenant: TestTenant;
  let agent: AgentWorld;
  beforeEach(async () => {
    tenant = await service.world.tenant();
    agent = await AgentWorld.create();
    agent.copy(FILES_2022);
    configure();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await agent.close();
  });
  const configure = (central: object = {}) =>
    agent.configure({
      BaseUrl: service.world.service.url,
      ApiKey: tenant.agentKey,
      TenantId: tenant.tenantId,
      ...central,
    });
  const checked = async () => {
    const { out, text } = capturedOutput();
    const code = await check({
      configPath: agent.configPath,
      timeoutMs: 5_000,
      out,
      becomeServiceUser: async () => [],
    });
    return { code, text: text() };
  };

  it('is shown there with what it published, and with its gaps', async () => {
    const gap = toGap({
      database: 'Payroll',
      reason: 'FILE_DELETED',
      fileName: 'x.sqlaudit',
      fileGuid: null,
      range: 'all',
      detail: 'was removed unread',
      afterTime: '2025-04-15T08:59:46.6309009Z',
      beforeTime: null,
      detectedAtMs: Date.now(),
    });
    const path = join(agent.dataDir, 'gaps', tenant.tenantId, 'Payroll.ndjson');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(gap)}\n`);
    agent.follow();
    const source = await until('all reported', async () => {
      const { auditSources } = await service.world.operate(SOURCES, { tenantId: tenant.tenantId });
      return auditSources.find((one: { publishedCount: number }) => one.publishedCount === 150);
    });
    expect(source).toMatchObject({
      hostName: hostname(),
      databaseName: 'Payroll',
      lastEventTime: '2025-04-15T08:59:46.6309009Z',
      problem: null,
      gapCount: 1,
      gaps: [{ gapId: gap.gapId, reason: 'FILE_DELETED', detail: 'was removed unread' }],
    });
    await until('the gap acknowledged', () => agent.statusOf()?.gaps.reported === 1);
    expect(agent.statusOf()?.gaps.pending).toBe(0);
    expect(agent.log).not.toContain('could not be reported');
  });

  it('shows there what the service refused for good: a gap, and no newer event than those that are stored', async () => {
    const additionalCharsMax = jest.replaceProperty(
      LIMITS as { additionalCharsMax: number },
      'additionalCharsMax',
      1,
    );
    expect(await agent.once()).toBe(1);
    additionalCharsMax.restore();
    const { key } = await service.world.key({
      tenantIds: [tenant.tenantId],
      scopes: ['read:audit-activity'],
    });
    const { body } = await service.world.get('/audit-sources', key);
    const [source] = body.data;
    expect(source).toMatchObject({ state: 'gaps', gapCount: FILES_2022.length, lastEventTime: null });
    for (const gap of source.gaps)
      expect(gap).toMatchObject({
        reason: 'REJECTED',
        detail: expect.stringContaining('invalid_event: additional'),
      });
  });

  withNodes.each([
    ['names of their own', 'NODE0', 'NODE1'],
    ['one name', 'SQLCLUSTER', 'SQLCLUSTER'],
  ])(
    'runs on both nodes of a failover cluster with %s: each event once, a gap only if no node read it, no alert',
    async (_, ...hostNames) => {
      const { key } = await service.world.key({
        tenantIds: [tenant.tenantId],
        scopes: ['read:audit-activity', 'read:alerts'],
      });
      const alerts = async () => (await service.world.get('/alerts', key)).body.data;
      const cluster = await Cluster.start(hostNames, {
        BaseUrl: service.world.service.url,
        ApiKey: tenant.agentKey,
        TenantId: tenant.tenantId,
      });
      /** What operators see of a node, as long as nothing is wrong. */
      const seen = async (node: 0 | 1) => {
        const { auditSourceList } = await service.world.operate(LIST, { search: 'Cluster' });
        const own = auditSourceList.items.filter((one: Listed) => one.tenantId === tenant.tenantId);
        for (const source of own) expect(source).toMatchObject({ gapCount: 0, problem: null });
        expect(new Set(hostNames)).toEqual(
          new Set([...hostNames, ...own.map((one: Listed) => one.hostName)]),
        );
        expect(await alerts()).toEqual([]);
        return own.find((one: Listed) => one.hostName === hostNames[node]);
      };
      const isOne = hostNames[0] === hostNames[1];
      const standsBy = (node: 0 | 1) =>
        until(`node ${node} to stand by`, async () => {
          if (cluster.state(node) !== 'standby') return false;
          const state = (await seen(node))?.state;
          return isOne || state === 'standby';
        });
      const stored = async () => {
        const query = { pageSize: 100, sortBy: 'eventTime', sortDirection: 'asc' };
        const { body } = await service.world.get('/audit-activity', key, { query });
        expect(body.meta.totalCount).toBe(body.data.length);
        return body.data.map(({ eventTime }: { eventTime: string }) => numberAt(eventTime));
      };
      const storedCount = async (what: string, isEnough: (count: number) => boolean) => {
        await until(what, async () => {
          const { body } = await service.world.get('/audit-activity', key, { query: { pageSize: 1 } });
          return isEnough(body.meta.totalCount);
        });
      };
      try {
        await cluster.write(0, [1, 2, 3]);
        await cluster.startAgent(0);
        await storedCount('the first node', (count) => count === 3);
        await cluster.startAgent(1);
        await standsBy(1);

        // The agent is killed in the middle of a file, of which both nodes write a part that it never sees.
        await cluster.write(1, numbers(4, 12));
        await storedCount('a part of the file', (count) => count > 4);
        await until('a bookmark in the file', () => cluster.hasBookmark(0, 1));
        await cluster.nodes[0].endAgent('KILL');
        await cluster.write(1, numbers(13, 16));
        await cluster.failOver();
        await cluster.startAgent(0);
        await cluster.write(1, [17]);
        await cluster.write(2, [18]);
        await storedCount('the second node', (count) => count === 18);
        await standsBy(0);
        await until('whole files', () => cluster.isCaughtUp(1));
        await cluster.remove(0, 1);

        // Back, in the middle of a file that the second node reads.
        await cluster.write(3, numbers(19, 30));
        await storedCount('a part of the next file', (count) => count > 19);
        await cluster.failOver();
        await cluster.write(4, [31]);
        await storedCount('the first node again', (count) => count === 31);
        await until('what the other node read is no gap', () => (cluster.gapsReported(0) ?? 0) > 0);
        await standsBy(1);

        for (const [n, node] of [
          [5, 0],
          [6, 1],
        ] as const) {
          await cluster.failOver();
          await cluster.write(n, [27 + n]);
          await storedCount('another node', (count) => count === 27 + n);
          await standsBy(node);
        }
        expect(await stored()).toEqual(numbers(1, 33));

        await cluster.nodes[1].endAgent('TERM');
        await cluster.failOver();
        await cluster.write(7, [34]);
        await cluster.write(8, [35]);
        await cluster.remove(6, 7);
        await cluster.failOver();
        await until('a true gap is told', async () =>
          (await alerts()).find(({ group }: { group: object }) =>
            JSON.stringify(group).includes('A part of the trail is missing'),
          ),
        );
        await storedCount('what is left', (count) => count === 34);
        expect(await stored()).toEqual([...numbers(1, 33), 35]);
      } finally {
        await cluster.close();
      }
    },
  );

  it('can be checked beforehand, and the check stores nothing', async () => {
    expect(await checked()).toMatchObject({
      code: 0,
      text: expect.stringContaining('The agent can publish.'),
    });
    expect(await service.world.operate(SOURCES, { tenantId: tenant.tenantId })).toEqual({ auditSources: [] });
    const { body } = await service.world.get('/audit-activity', tenant.key);
    expect(body.meta.totalCount).toBe(0);
  });

  it.each([
    ['an unknown key', () => ({ ApiKey: 'aak_nobody_has_this_key' }), /does not know CentralApi\.ApiKey/],
    ['another tenant', () => ({ TenantId: '4711' }), /no agent key of tenant 4711: forbidden/],
    ['a key of the public API', () => ({ ApiKey: tenant.key }), /no agent key of tenant .*: forbidden/],
  ])('reports %s in its check, and publishes nothing with such a key', async (_, central, problem) => {
    configure(central());
    expect(await checked()).toMatchObject({ code: 1, text: expect.stringMatching(problem) });
    expect(await agent.once()).toBe(1);
    expect(agent.statusOf()).toMatchObject({ state: 'keyRefused', lastAcknowledgedAt: null });
  });

  it('continues by itself when the service accepts its key again', async () => {
    configure({ ApiKey: 'aak_nobody_has_this_key' });
    agent.follow();
    await until('refused', () => agent.statusOf()?.state === 'keyRefused');
    configure();
    await until('all published', () => agent.statusOf()?.tally.accepted === 150);
    expect(agent.statusOf()?.problem).toBeNull();
  });
});
