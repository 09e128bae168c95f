import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { LIMITS } from '../../src/limits';
import { aGap, aReport, REPORT } from '../support/audit-sources';
import { until } from '../support/until';
import { inDatabase, useDashboard } from './support/dashboard';

const LIST = '/api/v1/public/audit-activity';

describe('operating the service from the dashboard', () => {
  const opened = useDashboard();
  let page: Page;
  beforeEach(async () => {
    page = await opened.dashboard.signedIn(opened.dashboard.world.operatorKey, '/keys');
  });
  afterEach(() => page.context().close());

  const statusWith = async (key: string) =>
    (await opened.dashboard.world.fetch(LIST, { headers: { 'X-Api-Key': key } })).status;

  const createKey = async (name: string): Promise<string> => {
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('combobox', { name: 'Tenants it may read' }).click();
    await page.getByRole('option', { name: 'Contoso' }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    return storedKey(name);
  };

  /** The key, which the page shows once. */
  const storedKey = async (name: string): Promise<string> => {
    const dialog = page.getByRole('dialog', { name: `The key ${name}` });
    const key = await dialog.getByTestId('new-key').innerText();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
    return key;
  };

  it('makes a key that works, shows it once, and revokes it within a second', async () => {
    const key = await createKey('SIEM of Contoso');
    expect(await statusWith(key)).toBe(200);
    expect(await page.content()).not.toContain(key);

    await page.getByRole('button', { name: 'Revoke SIEM of Contoso' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke SIEM of Contoso' }).waitFor({ state: 'detached' });
    await until(
      () => statusWith(key),
      (status) => status === 401,
      LIMITS.keyCacheMs + 250,
    );
    await page.getByText('All', { exact: true }).click();
    await page.getByRole('row', { name: /SIEM of Contoso.*revoked/ }).waitFor();
  });

  it('rotates a key: the new key works, and the old key works for the overlap', async () => {
    const old = await createKey('rotated');
    await page.getByRole('button', { name: 'Rotate rotated' }).click();
    await page.getByLabel('Hours for which the old key still works').fill('1');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByText('The old key works until').waitFor();
    const next = await storedKey('rotated');
    expect(next).not.toBe(old);
    expect([await statusWith(old), await statusWith(next)]).toEqual([200, 200]);
    await page.getByText('replaced by a newer key').waitFor();
  });

  it('names every mistake in a new key at once, and keeps what was typed', async () => {
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByLabel('Name').fill('too late');
    await dialog.getByLabel('Expires (UTC)').fill('2020-01-01T00:00');
    await dialog.getByLabel('Addresses it may be used from').fill('10.0.0.0/99');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const alert = await dialog.getByRole('alert').innerText();
    expect(alert).toContain('expiresAt must be in the future');
    expect(alert).toContain('10.0.0.0/99');
    expect(alert).toContain('tenantIds must name a tenant');
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('too late');
    // Each stands at its field, too.
    for (const [label, text] of [
      ['Expires (UTC)', 'expiresAt must be in the future'],
      ['Addresses it may be used from', '10.0.0.0/99'],
    ] as const) {
      const field = dialog.getByLabel(label);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const described = (await field.getAttribute('aria-describedby')) ?? '';
      const error = page.locator(`[id="${described.split(' ').find((id) => id.endsWith('-error'))}"]`);
      expect(await error.innerText()).toContain(text);
    }
    expect(await dialog.getByRole('textbox', { name: 'Name' }).getAttribute('aria-invalid')).not.toBe('true');
  });

  it('shows at its field what is wrong with the name of a new tenant', async () => {
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('button', { name: 'New tenant' }).click();
    const name = page.getByRole('dialog', { name: 'New tenant' }).getByRole('textbox', { name: 'Name' });
    await name.fill('   ');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog', { name: 'New tenant' }).getByRole('alert').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('takes the end of a key for local time where local times are shown', async () => {
    await page.getByText('Local', { exact: true }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByText('Operator', { exact: true }).click();
    await dialog.getByLabel('Name').fill('until noon');
    await dialog.getByLabel('Expires (local)').fill('2040-07-01T12:00');
    const asked = page.waitForRequest(
      (request) => request.postData()?.includes('createOperatorKey') ?? false,
    );
    await dialog.getByRole('button', { name: 'Create' }).click();
    // The browser of the tests is in New York.
    expect((await asked).postDataJSON().variables.expiresAt).toBe('2040-07-01T16:00:00.000Z');
    await storedKey('until noon');
    await page.getByRole('row', { name: /until noon.*2040-07-01 12:00/ }).waitFor();
    await page.getByText('UTC', { exact: true }).click();
    await page.getByRole('row', { name: /until noon.*2040-07-01 16:00/ }).waitFor();
  });

  it('leaves room for the other columns beside long names of tenants and keys', async () => {
    const { world, origin } = opened.dashboard;
    const long = await world.tenant('W'.repeat(200));
    await world.key({ name: 'K'.repeat(200), tenantIds: [long.tenantId] });
    await long.get('/audit-activity');
    for (const view of ['tenants', 'keys', 'access-log']) {
      await page.goto(`${origin}/dashboard/${view}`);
      const name = page.getByText(/^[WK]{200}$/).first();
      const { width = 0 } = (await name.boundingBox()) ?? {};
      expect(width).toBeGreaterThan(50);
      expect(width).toBeLessThan(300);
    }
  });

  it('shows the access log although its address has an invalid time', async () => {
    await page.goto(`${opened.dashboard.origin}/dashboard/access-log?from=yesterday`);
    await page.getByText('from must be an ISO 8601 date').waitFor();
  });

  it('makes a tenant, and changes how long its events are kept', async () => {
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('button', { name: 'New tenant' }).click();
    await page.getByLabel('Name').fill('Northwind');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('row', { name: /Northwind.*for ever/ }).waitFor();
    await page.getByRole('button', { name: 'Change retention of Northwind' }).click();
    await page.getByLabel('for a number of days').check();
    await page.getByRole('textbox', { name: 'Days' }).fill('90');
    await page.getByText('No event is older yet: all 0 stay for now.').waitFor();
    await page.getByLabel('Name of the tenant, to confirm').fill('Northwind');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByRole('row', { name: /Northwind.*90 days/ }).waitFor();
  });

  it('counts the events that a retention would remove, and sets it only when the name is typed', async () => {
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('button', { name: 'Change retention of Contoso' }).click();
    await page.getByLabel('for a number of days').check();
    await page.getByRole('textbox', { name: 'Days' }).fill('1');
    await page
      .getByText(/^150 events of before .* are removed within the hour, for good; 0 stay\.$/)
      .waitFor();
    await page.getByLabel('Name of the tenant, to confirm').fill('contoso');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByText('Type the exact name of the tenant.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row', { name: /Contoso.*for ever/ }).waitFor();
  });

  it('shows how far the evidence log of a tenant is, and verifies it', async () => {
    await page.getByRole('link', { name: 'Tenants' }).click();
    const row = page.getByRole('row', { name: /^Contoso/ });
    await until(
      async () => {
        await page.reload();
        await row.getByText(/\d+ entries/).waitFor();
        return row.innerText();
      },
      (text) => text.includes('150 entries, signed'),
    );
    await page.getByRole('button', { name: 'Verify the events of Contoso' }).click();
    const dialog = page.getByRole('dialog', { name: 'Evidence of Contoso' });
    await dialog.getByText('All events are as they were accepted').waitFor();
    await dialog.getByText('150 events are as the log has them.').waitFor();
  });

  it('shows in the access log who read what', async () => {
    const { contoso, world } = opened.dashboard;
    const { key } = await world.key({ name: 'curious', tenantIds: [contoso.tenantId] });
    await contoso.world.get('/audit-activity', key, { query: { search: 'salary' } });
    await page.getByRole('link', { name: 'Access log' }).click();
    const row = page.getByRole('row', { name: /curious/ });
    await until(
      async () => {
        await page.getByRole('button', { name: 'Refresh' }).click();
        return row.count();
      },
      (n) => n > 0,
    );
    await row.first().click();
    await page.getByRole('dialog', { name: 'Access' }).getByText('salary').waitFor();
    await page.keyboard.press('Escape');
    const read = page.getByLabel('What was read');
    await read.fill('nobody reads this');
    await read.press('Enter');
    await page.getByText('No entry matches: remove a filter').waitFor();
    await page.getByLabel('What was read').fill('SALARY');
    await page.getByLabel('What was read').press('Enter');
    await row.first().waitFor();
  });

  it('exports the access log as filtered by time and outcome', async () => {
    const { contoso, world } = opened.dashboard;
    const clumsy = { name: 'clumsy', tenantIds: [contoso.tenantId], scopes: [] };
    await world.get('/audit-activity', (await world.key(clumsy)).key);
    await contoso.get('/audit-activity');
    await page.goto(`${opened.dashboard.origin}/dashboard/access-log?from=2020-01-01T00:00:00Z`);
    await page.getByLabel('Outcome').selectOption('Refused or failed');
    await until(
      async () => {
        await page.getByRole('button', { name: 'Refresh' }).click();
        return page.getByRole('row', { name: /clumsy/ }).count();
      },
      (n) => n === 1,
    );
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    expect(text.split('\r\n')[0]).toMatch(/^entryId,at,principalKind,/);
    const lines = text.split('\r\n').filter((line) => line.includes('clumsy'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('forbidden');
    expect(text).not.toContain(',ok,');
  });

  it('shows no event to an operator', async () => {
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all`);
    await page.getByText('There is nothing here for this sign-in').waitFor();
    expect(await page.getByRole('link', { name: 'Explore' }).count()).toBe(0);
  });

  it('lists a stale source before the current ones, and marks it', async () => {
    const { contoso, world } = opened.dashboard;
    const report = aReport({ tenantId: contoso.tenantId, hostName: 'SILENT01', databaseName: 'Ledger' });
    await world.graphql(contoso.agentKey, REPORT, { report });
    await page.getByRole('link', { name: 'Sources' }).click();
    const silent = page.getByRole('row', { name: 'Ledger SILENT01' });
    await silent.waitFor();
    expect(await silent.innerText()).not.toContain('Stale');

    const reported = (when: string) =>
      inDatabase(world, `UPDATE audit_source SET last_reported = ${when} WHERE host_name = 'SILENT01'`);
    await reported("now() - interval '10 minutes'");
    await page.reload();
    await silent.getByText('Stale').waitFor();
    await silent.getByText('The agent has fallen silent').waitFor();
    expect(await page.getByRole('row').nth(1).innerText()).toContain('SILENT01');
    await reported('now()');
  });

  it('marks in the menu what needs attention: gaps, agents with a problem, keys that expire soon', async () => {
    const { contoso, world } = opened.dashboard;
    const report = aReport({ tenantId: contoso.tenantId, hostName: 'GAPS01', databaseName: 'Ledger' });
    await world.graphql(contoso.agentKey, REPORT, {
      report: { ...report, problem: 'no key', gaps: [aGap()] },
    });
    const expiresAt = new Date(Date.now() + LIMITS.keyExpiresSoonMs / 2).toISOString();
    await world.key({ name: 'ending', tenantIds: [contoso.tenantId], expiresAt });
    await page.reload();
    await page.getByRole('link', { name: /^Sources.*1 with a problem, 1 with gaps/ }).waitFor();
    await page.getByRole('row', { name: /ending.*expires soon/ }).waitFor();
    await page.getByRole('link', { name: /^Keys.*1 expires soon/ }).click();
  });
});
