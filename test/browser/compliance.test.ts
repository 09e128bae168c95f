import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { runCli } from '../support/cli';
import { temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { isWiderThanScreen, violations } from './support/axe';
import { screenshot, useDashboard } from './support/dashboard';

const HOUR_MS = 3_600_000;
/** Some hours ago, as an event states it. */
const ago = (hours: number) =>
  `${new Date(Date.now() - hours * HOUR_MS).toISOString().slice(0, 19)}.0000000Z`;
const GROUPS = ['AUDIT_CHANGE_GROUP', 'FAILED_LOGIN_GROUP', 'SUCCESSFUL_LOGIN_GROUP'];

const specification = (hours: number, verb: string, rest: string) =>
  anEvent({
    eventTime: ago(hours),
    actionId: verb === 'CREATE' ? 'CR' : 'AL',
    serverInstanceName: 'PAY01',
    serverPrincipalName: 'CORP\\dba.ali',
    objectName: 'Main',
    statement: `${verb} SERVER AUDIT SPECIFICATION Main ${rest}`,
    additional: { classType: 'SA' },
  });

describe('compliance in the dashboard', () => {
  const opened = useDashboard();
  let auditor: string;
  beforeAll(async () => {
    const { world, contoso } = opened.dashboard;
    const scopes = ['read:audit-activity', 'read:compliance', 'read:reports'];
    auditor = (await world.key({ tenantIds: [contoso.tenantId], scopes })).key;
    const adds = GROUPS.map((group) => `ADD (${group})`).join(', ');
    await contoso.ingest([
      specification(5, 'CREATE', `FOR SERVER AUDIT Trail ${adds} WITH (STATE = ON)`),
      specification(2, 'ALTER', 'DROP (FAILED_LOGIN_GROUP)'),
    ]);
  });

  it('leads an auditor from PCI DSS to a failing control, and to the record that proves it', async () => {
    const page = await opened.dashboard.signedIn(auditor, '/explore');
    await page.getByRole('link', { name: 'Compliance' }).click();
    const frameworks = page.getByRole('table', { name: 'Frameworks' });
    await frameworks.getByRole('button', { name: 'PCI DSS 4.0.1, requirement 10', exact: true }).click();
    await page.getByLabel('Status').selectOption('Fails');
    await page.getByLabel('Server instance').fill('pay01');
    await page.getByLabel('Server instance').press('Enter');
    const controls = page.getByRole('region', { name: 'Controls' });
    // Until the answer comes, the rows are those of all server instances.
    const control = controls.getByRole('link', { name: '10.2.1.4', exact: true });
    await until(
      () => control.count(),
      (rows) => rows === 1,
    );
    expect(new URL(page.url()).search).toBe('?framework=pci-dss&status=fail&serverInstanceName=pay01');
    await control.click();
    const instance = page.getByRole('article', { name: 'PAY01' });
    await instance.getByText(/FAILED_LOGIN_GROUP is not recorded since .*dba\.ali/).waitFor();
    await instance.getByRole('row', { name: /^FAILED_LOGIN_GROUP Not recorded .*dba\.ali/ }).waitFor();
    await instance.getByRole('link', { name: 'The record that proves it' }).click();
    const drawer = page.getByRole('dialog', { name: 'Audit event' });
    await drawer
      .getByText(/DROP \(FAILED_LOGIN_GROUP\)/)
      .first()
      .waitFor();
    await page.context().close();
  });

  it('lets an auditor make the report of it, save its files, and verify them offline', async () => {
    const page = await opened.dashboard.signedIn(auditor, '/reports');
    await page.getByRole('button', { name: 'Make a run: Configuration and audit changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Time zone of the report').fill('Nowhere');
    await dialog.getByRole('button', { name: 'Make' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/timeZone/)
      .waitFor();
    await dialog.getByLabel('Time zone of the report').fill('Europe/Berlin');
    await dialog.getByLabel('Filter, as in Explore').fill('serverInstanceName:PAY01');
    await dialog.getByRole('button', { name: 'Make' }).click();
    await page.getByRole('row', { name: 'Rows 2' }).waitFor();
    await page.getByText('audit-activity verify --report run.json').waitFor();
    const folder = await temporaryFolder();
    for (const button of ['What is signed', 'HTML', 'CSV', 'JSON', 'PDF']) {
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button, exact: true }).click(),
      ]);
      await saved.saveAs(path.join(folder, saved.suggestedFilename()));
    }
    const { error, lines } = await runCli(
      ['verify', '--report', path.join(folder, 'run.json'), '--json'],
      {},
    );
    expect([error, JSON.parse(lines[0] ?? '')]).toMatchObject([null, { problems: [], absent: [] }]);
    await page.getByRole('link', { name: '← All reports' }).click();
    const report = page.getByRole('article', { name: 'Configuration and audit changes' });
    await report.getByText(/: 2 rows, /).waitFor();
    await rm(folder, { recursive: true });
    await page.context().close();
  });

  it('answers for a past moment, from a link', async () => {
    const page = await opened.dashboard.signedIn(
      auditor,
      `/compliance?control=10.2.1.4&asOf=${new Date(Date.now() - 3 * HOUR_MS).toISOString()}`,
    );
    const instance = page.getByRole('article', { name: 'PAY01' });
    await instance.getByText('Passes').or(instance.getByText('Unknown')).first().waitFor();
    expect(await instance.getByText('Fails').count()).toBe(0);
    await page.getByText(/^As of /).waitFor();
    await page.goto(`${opened.dashboard.origin}/dashboard/compliance?control=AU-12%20a`);
    await page.getByRole('heading', { name: /^AU-12 a: /, level: 1 }).waitFor();
    await page.goto(`${opened.dashboard.origin}/dashboard/compliance?control=none%25zz`);
    await page.getByText('There is no such control').waitFor();
    await page.context().close();
  });

  it('saves the list as CSV and as OSCAL', async () => {
    const page = await opened.dashboard.signedIn(auditor, '/compliance?framework=cis');
    for (const [button, name] of [
      ['CSV', 'controls.csv'],
      ['OSCAL', 'assessment-results.json'],
    ] as const) {
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button, exact: true }).click(),
      ]);
      expect(saved.suggestedFilename()).toBe(name);
    }
    await page.context().close();
  });

  it('lets operators declare what a server is, and analysts read it', async () => {
    const { world } = opened.dashboard;
    const page = await opened.dashboard.signedIn(world.operatorKey, '/compliance');
    await page.getByRole('combobox', { name: 'Tenant' }).click();
    await page.getByRole('option', { name: 'Contoso' }).click();
    await page.getByRole('button', { name: 'Declare', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Declare' });
    await dialog.getByLabel('Kind').selectOption('Not assessed');
    await dialog.getByLabel('Server instance').fill('PAY01');
    await dialog.getByLabel('Reason').fill('A test server');
    await dialog.getByRole('button', { name: 'Declare' }).click();
    await page.getByRole('row', { name: /^Not assessed PAY01 A test server/ }).waitFor();

    const other = await opened.dashboard.signedIn(auditor, '/compliance?control=10.2.1.4');
    const instance = other.getByRole('article', { name: 'PAY01' });
    await instance.getByText('Not applicable').waitFor();
    await other.goto(`${opened.dashboard.origin}/dashboard/compliance/scope`);
    await other.getByRole('row', { name: /^Not assessed PAY01 A test server/ }).waitFor();
    expect(await other.getByRole('button', { name: /^End / }).count()).toBe(0);
    await other.context().close();

    await page.getByRole('button', { name: 'End Not assessed: PAY01' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('Nothing is declared').waitFor();
    await page.getByLabel('Also those that have ended').check();
    await page.getByRole('row', { name: /^Not assessed PAY01 A test server/ }).waitFor();
    await page.context().close();
  });

  it.each([
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const)('is accessible on a %s screen in %s colours', async (screen, colorScheme) => {
    const viewport = screen === 'phone' ? { width: 390, height: 844 } : { width: 1280, height: 900 };
    // The page's content security policy would refuse the axe script, so this test alone bypasses it.
    const options: BrowserContextOptions = { viewport, colorScheme, bypassCSP: true };
    const page = await opened.dashboard.signedIn(auditor, '/compliance?framework=pci-dss', options);
    const check = async (name: string) => {
      await screenshot(page, `${name}-${screen}-${colorScheme}`);
      expect(await violations(page)).toEqual([]);
      expect(await isWiderThanScreen(page)).toBe(false);
    };
    const go = (path: string) => page.goto(`${opened.dashboard.origin}/dashboard/${path}`);
    await page.getByRole('table', { name: 'Frameworks' }).waitFor();
    await page.getByRole('region', { name: 'Controls' }).getByRole('cell').nth(4).waitFor();
    await check('compliance');
    await go('compliance?control=10.2.1.4');
    await page.getByRole('article').first().waitFor();
    await check('control');
    await go('compliance/scope');
    await page.getByText('Nothing is declared').waitFor();
    await check('declared');
    await go('reports');
    await page.getByRole('article').first().waitFor();
    await check('reports');
    await page
      .getByRole('link', { name: /^\d{4}-/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Verify' }).waitFor();
    await check('report');
    await page.context().close();
  });
});
