import { offerPackage } from '../support/agent-packages';
import { aReport, REPORT } from '../support/audit-sources';
import { screenshot, useDashboard } from './support/dashboard';

const CONTENT = Buffer.from('// audit-agent 9.1.0 build 2\n');

describe('packages of agents on the page of sources', () => {
  const opened = useDashboard();

  it('show how far each host has come with the one of its group', async () => {
    const { world, contoso } = opened.dashboard;
    const wave = { name: 'Wave', host: 'pkg-*', content: CONTENT };
    const { sha256 } = await offerPackage(world, contoso.tenantId, wave);
    const told = (state: string, reason: string | null = null) => ({
      package: { sha256, version: '9.1.0', state, reason },
    });
    for (const [hostName, change] of [
      ['pkg-runs', told('INSTALLED')],
      ['pkg-back', told('TAKEN_BACK', 'the service acknowledged nothing within 600 s')],
      ['pkg-new', {}],
      ['elsewhere', {}],
    ] as const) {
      const report = aReport({ tenantId: contoso.tenantId, hostName, ...change });
      await world.graphql(contoso.agentKey, REPORT, { report });
    }
    const page = await opened.dashboard.signedIn(world.operatorKey, '/sources');
    const card = (host: string) => page.getByRole('row', { name: `Payroll ${host}` });
    await card('pkg-runs').getByText('Package 9.1.0: installed').waitFor();
    await card('pkg-back')
      .getByText('Package 9.1.0: taken back: the service acknowledged nothing within 600 s')
      .waitFor();
    await card('pkg-new').getByText('Package 9.1.0: offered').waitFor();
    await card('elsewhere').waitFor();
    expect(await card('elsewhere').getByText('Package').count()).toBe(0);
    await screenshot(page, 'sources-packages');
    await page.context().close();
  });
});
