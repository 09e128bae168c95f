import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { useDashboard } from './support/dashboard';
import { ExplorePage } from './support/explore-page';

const EXPORT = '/api/v1/public/audit-activity/export';

describe('exporting a view', () => {
  const opened = useDashboard();

  const exportAs = async (page: Page, format: string): Promise<string> => {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Export this view' });
    await dialog.getByText(format, { exact: true }).click();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(new RegExp(`\\.${format.toLowerCase()}$`));
    await dialog.waitFor({ state: 'detached' });
    return readFile(await file.path(), 'utf8');
  };

  it.each<[string, Record<string, string>]>([
    ['CSV', { databaseName: 'Payroll' }],
    ['NDJSON', { succeeded: 'false', serverInstanceName: 'SQLPROD01\\PAYROLL' }],
  ])('saves as %s what the public API exports', async (format, filters) => {
    const { contoso, world } = opened.dashboard;
    const query = new URLSearchParams({ ...filters, format: format.toLowerCase() });
    const page = await opened.dashboard.signedIn(
      contoso.key,
      `/explore?range=all&${new URLSearchParams(filters)}`,
    );
    await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
    const file = await exportAs(page, format);
    const answer = await world.fetch(`${EXPORT}?${query}`, { headers: { 'X-Api-Key': contoso.key } });
    expect(answer.status).toBe(200);
    expect(file).toBe(answer.text);

    const { body } = await contoso.get('/audit-activity', filters);
    expect(answer.headers.get('X-Total-Count')).toBe(String(body.meta.totalCount));
    if (format === 'NDJSON') expect(file.trim().split('\n')).toHaveLength(body.meta.totalCount);
  });

  it('shows its progress, and leaves no file if it is cancelled', async () => {
    const { contoso } = opened.dashboard;
    const page = await opened.dashboard.signedIn(contoso.key, '/explore?range=all');
    await new ExplorePage(page).count(150);
    // This holds back the service's answer until the reader has cancelled.
    await page.route('**/dashboard/api/export**', () => {});
    let downloads = 0;
    page.on('download', () => downloads++);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Export this view' });
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    await dialog.getByText('0 of 150 events').waitFor();
    await dialog.getByRole('progressbar').waitFor({ state: 'attached' });
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/export'));
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await ended;
    await dialog.getByRole('button', { name: 'Export', exact: true }).waitFor();
    expect(downloads).toBe(0);
  });

  it('reports a broken stream, and leaves no file', async () => {
    const { contoso } = opened.dashboard;
    const page = await opened.dashboard.signedIn(contoso.key, '/explore?range=all');
    await new ExplorePage(page).count(150);
    await page.route('**/dashboard/api/export**', (route) => route.abort('connectionreset'));
    let downloads = 0;
    page.on('download', () => downloads++);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Export this view' });
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expect(downloads).toBe(0);
  });
});
