import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os, { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { check } from '../../agent/cli/check';
import { toGap } from '../../agent/gaps/gap';
import { LIMITS } from '../../src/limits';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';
import { guidOf, row, writer } from './gaps/support';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { auditFileName } from './support/audit-files';
import { capturedOutput } from './support/captured-output';
import { until } from './support/until';

const SOURCES = `query($tenantId: String) { auditSources(tenantId: $tenantId) {
  hostName databaseName lastEventTime lag waitingBytes publishedCount problem gapCount gaps { gapId reason detail } } }`;

describe('an agent with a real service', () => {
  const service = useWorld('embedded');
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

  it('stands by without its shared folder, and only what no node published is a gap', async () => {
    const nodes = [agent, await AgentWorld.create()] as const;
    const disk = nodes.map(({ folder }) => join(folder, 'disk'));
    const file = (node: 0 | 1, n: number) => join(disk[node] ?? '', auditFileName(n));
    const write = (node: 0 | 1, n: number, ...records: number[]) => {
      const blocks = records.map((record, i) => writer.block([row(record)], { sequence: i + 1 }));
      writeFileSync(file(node, n), Buffer.concat([writer.prologue(guidOf(n)), ...blocks]));
    };
    const moveTo = (node: 0 | 1) => renameSync(disk[1 - node] ?? '', disk[node] ?? '');
    const start = (node: 0 | 1) => {
      const central = {
        BaseUrl: service.world.service.url,
        ApiKey: tenant.agentKey,
        TenantId: tenant.tenantId,
      };
      const DirectFile = { AuditFilePath: 'disk/*.sqlaudit', Shared: true };
      const Databases = [{ Name: 'Cluster', AuditSource: { Type: 'DirectFile', DirectFile } }];
      nodes[node].configure(central, { Databases });
      jest.spyOn(os, 'hostname').mockReturnValue(`NODE${node}`);
      return nodes[node].follow();
    };
    const seen = async () => {
      const { auditSourceList } = await service.world.operate(
        `query($search: String) { auditSourceList(search: $search) { items {
          hostName state problem gapCount publishedCount tenantId } } }`,
        { search: 'Cluster' },
      );
      type Item = { hostName: string; tenantId: string; state: string; problem: string | null };
      const own = auditSourceList.items.filter(({ tenantId }: Item) => tenantId === tenant.tenantId);
      for (const { problem } of own) expect(problem).toBeNull();
      return Object.fromEntries(own.map((item: Item) => [item.hostName, item]));
    };
    const total = async () => (await service.world.get('/audit-activity', tenant.key)).body.meta.totalCount;
    try {
      mkdirSync(disk[0] ?? '');
      write(0, 0, 1, 2, 3);
      start(0);
      await until('the first node published', async () => (await seen()).NODE0?.publishedCount === 3);
      const second = start(1);
      await until('the second stands by', async () => (await seen()).NODE1?.state === 'standby');

      moveTo(1);
      write(1, 1, 4, 5);
      await until('the second published', async () => (await seen()).NODE1?.publishedCount === 5);
      await until('the first stands by', async () => (await seen()).NODE0?.state === 'standby');
      write(1, 2, 6);
      await until('the second went on', async () => (await seen()).NODE1?.publishedCount === 6);
      for (const n of [0, 1]) rmSync(file(1, n));

      moveTo(0);
      write(0, 3, 7);
      await until('the first went on', async () => (await seen()).NODE0?.publishedCount >= 4);
      await until('the service judged its gap', () => nodes[0].statusOf('Cluster')?.gaps.reported === 1);
      await until('the gap is filled', async () => (await seen()).NODE0?.gapCount === 0);
      expect(await seen()).toMatchObject({ NODE0: { state: 'current' }, NODE1: { gapCount: 0 } });
      expect(await total()).toBe(7);

      await second.stop();
      moveTo(1);
      await until('the first stands by again', async () => (await seen()).NODE0?.state === 'standby');
      write(1, 4, 8);
      write(1, 5, 9);
      for (const n of [2, 3, 4]) rmSync(file(1, n));
      moveTo(0);
      await until('a true gap', async () => (await seen()).NODE0?.gapCount === 1);
      expect(await total()).toBe(8);
    } finally {
      await nodes[1].close();
    }
  });

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
