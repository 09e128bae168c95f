import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { until } from './support/until';

const SOURCES = `query($tenantId: String) { auditSources(tenantId: $tenantId) {
  agentGroup wantedVersion runningVersion refusedSettings problem publishedCount running { batchMaxEvents isOn } } }`;

describe('an agent of a group, with a real service', () => {
  const service = useWorld('embedded');
  let tenant: TestTenant;
  let agent: AgentWorld;
  beforeEach(async () => {
    tenant = await service.world.tenant();
    agent = await AgentWorld.create();
    agent.copy(FILES_2022.slice(0, 1));
    agent.configure({
      BaseUrl: service.world.service.url,
      ApiKey: tenant.agentKey,
      TenantId: tenant.tenantId,
      AllowedSettings: ['Databases'],
    });
  });
  afterEach(() => agent.close());
  const sourceThat = (what: string, is: (source: Record<string, unknown>) => boolean) =>
    until(what, async () => {
      const { auditSources } = await service.world.operate(SOURCES, { tenantId: tenant.tenantId });
      return auditSources.find(is);
    });
  const completeThrough = async () => {
    const { body } = await tenant.get('/audit-sources');
    return body.data[0].completeThrough as string | null;
  };
  /** The time of the agent's own listing: events that wait for the evidence log no longer hold it back. */
  const completeThroughListing = () =>
    until('no event that waits for the evidence log', async () => {
      const { body } = await tenant.get('/audit-sources');
      const { completeThrough, lastEventTime } = body.data[0];
      return completeThrough > lastEventTime ? (completeThrough as string) : null;
    });

  it('is shown with what it follows and refuses, and a database that is off is not complete', async () => {
    agent.follow();
    await sourceThat('published', ({ publishedCount, problem }) => publishedCount !== 0 && problem === null);
    const { createAgentGroup } = await service.world.operate(
      `mutation($tenantId: String!) { createAgentGroup(tenantId: $tenantId, name: "All", hosts: ["*"],
        databasesOff: ["Payroll"], batchMaxEvents: 40) { groupId version } }`,
      { tenantId: tenant.tenantId },
    );
    const { groupId, version } = createAgentGroup;
    const off = await sourceThat('off', ({ runningVersion }) => runningVersion === version);
    expect(off).toMatchObject({
      agentGroup: 'All',
      wantedVersion: version,
      refusedSettings: ['BatchSize: NOT_ALLOWED'],
      problem: `switched off by the settings of the service (version ${version}): nothing of it is published`,
      running: { batchMaxEvents: 1_000, isOn: false },
    });
    const before = await completeThroughListing();
    agent.copy(FILES_2022);
    const reports = await service.world.operate('{ auditSources { lastReported } }');
    await until('a later report', async () => {
      const later = await service.world.operate('{ auditSources { lastReported } }');
      return later.auditSources[0].lastReported > reports.auditSources[0].lastReported;
    });
    expect(await completeThrough()).toBe(before);
    await service.world.operate(
      'mutation($groupId: String!) { deleteAgentGroup(groupId: $groupId) { name } }',
      {
        groupId,
      },
    );
    const on = await sourceThat('on', ({ publishedCount }) => publishedCount === 150);
    expect(on).toMatchObject({ agentGroup: null, wantedVersion: null, runningVersion: null, problem: null });
    await until('complete', async () => ((await completeThrough()) ?? '') > before);
  });
});
