import { aReport, REPORT } from '../support/audit-sources';
import { screenshot, useDashboard } from './support/dashboard';

const RUNNING = { pollIntervalMs: 1_000, batchMaxEvents: 500, logLevel: 'info', isOn: true, refused: [] };

describe('the settings of groups on the page of sources', () => {
  const opened = useDashboard();

  it('show which agents follow, which do not, and what they refuse', async () => {
    const { world, contoso } = opened.dashboard;
    const { createAgentGroup } = await world.operate(
      `mutation($t: String!) { createAgentGroup(tenantId: $t, name: "Production", hosts: ["grp-*"],
        databasesOff: ["Payroll"]) { version } }`,
      { t: contoso.tenantId },
    );
    const { version } = createAgentGroup;
    const off = `switched off by the settings of the service (version ${version})`;
    for (const [hostName, change] of [
      ['grp-follows', { problem: off, running: { ...RUNNING, version, isOn: false } }],
      ['grp-before', { running: { ...RUNNING, version: null } }],
      [
        'grp-refuses',
        { running: { ...RUNNING, version, refused: [{ setting: 'Databases', reason: 'NOT_ALLOWED' }] } },
      ],
      ['other', {}],
    ] as const) {
      const report = aReport({ tenantId: contoso.tenantId, hostName, ...change });
      await world.graphql(contoso.agentKey, REPORT, { report });
    }
    const page = await opened.dashboard.signedIn(world.operatorKey, '/sources');
    const card = (host: string) => page.getByRole('row', { name: `Payroll ${host}` });
    await card('grp-follows')
      .getByText(`Group Production: runs version ${version} of the settings`)
      .waitFor();
    await card('grp-follows').getByText(off).waitFor();
    await card('grp-before')
      .getByText(`Group Production: settings wanted ${version}, running none`)
      .waitFor();
    await card('grp-refuses').getByText('refused: Databases: NOT_ALLOWED').waitFor();
    await card('other').waitFor();
    expect(await card('other').getByText('settings').count()).toBe(0);
    await screenshot(page, 'sources-groups');
    await page.context().close();
  });
});
