import type { BrowserContextOptions, Page } from 'playwright-core';
import { aReport, REPORT } from '../support/audit-sources';
import { isWiderThanScreen, violations, violationsInThemes } from './support/axe';
import { screenshot, useDashboard } from './support/dashboard';
import { ExplorePage } from './support/explore-page';

const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const ANALYST_SCOPES = ['audit-activity', 'alerts', 'findings', 'compliance', 'reports'].map(
  (name) => `read:${name}`,
);
// On a desktop in light colours, axe looks at the colours of the other themes too.
const KINDS = [
  ['desktop', 'light'],
  ['phone', 'dark'],
] as const;

describe('every page', () => {
  const opened = useDashboard();

  it('keeps a long name and a long range within the screen of a phone', async () => {
    const { world, contoso } = opened.dashboard;
    const { key } = await world.key({ name: 'long '.repeat(40).trim(), tenantIds: [contoso.tenantId] });
    const page = await opened.dashboard.signedIn(key, '/explore', { viewport: SIZES.phone });
    const { x = 0, width = 0 } = (await page.getByRole('button', { name: /^long long/ }).boundingBox()) ?? {};
    expect(width).toBeGreaterThan(50);
    expect(x + width).toBeLessThanOrEqual(SIZES.phone.width);
    await page.goto(
      `${opened.dashboard.origin}/dashboard/explore?startTime=2025-04-15T08:52:00Z&endTime=2025-04-15T09:01:00Z`,
    );
    const range = page.getByRole('button', { name: /^2025-04-15 08:52:00 – 2025-04-15 09:01:00/ });
    await range.waitFor();
    const isCut = `[...document.querySelectorAll('.mantine-Button-label')]
      .some((label) => /09:01:00/.test(label.textContent) && label.scrollWidth > label.clientWidth + 1)`;
    expect(await page.evaluate<boolean>(isCut)).toBe(false);
    await page.context().close();
  });

  it('has more contrast where the system or a person asks for it, and keeps the colours that a system sets', async () => {
    const { contoso } = opened.dashboard;
    const options: BrowserContextOptions = { viewport: SIZES.desktop, bypassCSP: true, contrast: 'more' };
    const page = await opened.dashboard.signedIn(contoso.key, '/explore?range=all', options);
    const explore = new ExplorePage(page);
    await explore.count(150);
    await explore.facet(/SELECT/).waitFor();
    const drawer = await explore.open(0);
    await drawer.getByTestId('statement').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-contrast="more"][data-mantine-color-scheme="${colorScheme}"]`).waitFor();
      await screenshot(page, `explore-contrast-${colorScheme}`);
      expect(await violations(page, 'more')).toEqual([]);
    }
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    await page.emulateMedia({ contrast: 'no-preference', colorScheme: 'light' });
    await page.locator('html[data-contrast="usual"]').waitFor();
    await page.getByRole('button', { name: 'test' }).click();
    await page.getByRole('menuitem', { name: 'High contrast' }).click();
    await page.locator('html[data-contrast="more"]').waitFor();
    await page.reload();
    await page.locator('html[data-contrast="more"]').waitFor();

    await page.emulateMedia({ forcedColors: 'active' });
    await explore.search('succeeded:false');
    await explore.count(15);
    const drawn = await page.evaluate<[string, string]>(`[
      getComputedStyle(document.querySelector('#events tbody td')).borderInlineStartWidth,
      getComputedStyle(document.querySelector('.mantine-ColorSwatch-root')).forcedColorAdjust,
    ]`);
    expect(drawn).toEqual(['3px', 'none']);
    await screenshot(page, 'explore-forced');
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });

  it('prints what was found, without what changes it, and cuts no cell', async () => {
    const { contoso } = opened.dashboard;
    const options: BrowserContextOptions = { viewport: SIZES.desktop, colorScheme: 'dark', bypassCSP: true };
    const page = await opened.dashboard.signedIn(contoso.key, '/explore?range=all', options);
    await new ExplorePage(page).count(150);
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'hidden' });
    // What is left: headings that sort, and the range.
    const names = await page.getByRole('button').allTextContents();
    expect(names.toSorted()).toEqual(['Action', 'All time', 'Database', 'Principal', 'Time']);
    const isCut = `[...document.querySelectorAll('#events td')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length`;
    expect(await page.evaluate<number>(isCut)).toBe(0);
    await screenshot(page, 'explore-print');
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });

  it('moves nothing while it loads, and has rows to see at 200 % zoom', async () => {
    const { world, contoso } = opened.dashboard;
    // More rows than a window has.
    for (let i = 0; i < 6; i++)
      await world.graphql(contoso.agentKey, REPORT, {
        report: aReport({ tenantId: contoso.tenantId, hostName: `ZOOM0${i}` }),
      });
    const all = { tenantIds: [contoso.tenantId], scopes: ANALYST_SCOPES };
    const { key } = await world.key({ name: 'everything', ...all });
    const shifts: Record<string, number> = {};
    const rows: Record<string, number> = {};
    for (const [of, paths] of [
      [key, ['', 'explore?range=all', 'alerts', 'incidents', 'rules', 'compliance', 'reports']],
      [
        world.operatorKey,
        ['sources', 'tenants', 'keys', 'destinations', 'access-log', 'compliance', 'rules'],
      ],
    ] as const) {
      const page = await opened.dashboard.signedIn(of, '/', { viewport: { width: 1440, height: 900 } });
      await page.addInitScript(`{
        window.shift = 0;
        new PerformanceObserver((list) => {
          for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value;
        }).observe({ type: 'layout-shift', buffered: true });
      }`);
      for (const path of paths) {
        await page.goto(`${opened.dashboard.origin}/dashboard/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        shifts[path] = Math.max(shifts[path] ?? 0, await page.evaluate<number>('shift'));
        await page.setViewportSize({ width: 720, height: 450 });
        rows[path] = await page.evaluate<number>(`[...document.querySelectorAll('tbody tr')]
          .filter((row) => row.getBoundingClientRect().top < innerHeight - 8).length`);
        await page.setViewportSize({ width: 1440, height: 900 });
      }
      await page.context().close();
    }
    expect(Object.entries(shifts).filter(([, shift]) => shift >= 0.02)).toEqual([]);
    const few = ['explore?range=all', 'rules', 'sources', 'access-log'].filter(
      (path) => (rows[path] ?? 0) < 4,
    );
    expect(few).toEqual([]);
  });

  describe.each(KINDS)('on a %s screen in %s colours', (screen, colorScheme) => {
    // The page's content security policy would refuse the axe script, so these tests alone bypass it.
    const options: BrowserContextOptions = { viewport: SIZES[screen], colorScheme, bypassCSP: true };

    const check = async (page: Page, name: string) => {
      await screenshot(page, `${name}-${screen}-${colorScheme}`);
      const found = screen === 'desktop' ? await violationsInThemes(page) : await violations(page);
      expect([name, found]).toEqual([name, []]);
      expect(await isWiderThanScreen(page)).toBe(false);
    };

    it('is accessible to an analyst', async () => {
      const { contoso } = opened.dashboard;
      const page = await opened.dashboard.visit('/explore?range=all', options);
      await page.getByLabel('Key', { exact: true }).waitFor();
      await check(page, 'sign-in');

      await page.getByLabel('Key', { exact: true }).fill(contoso.key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const explore = new ExplorePage(page);
      await explore.count(150);
      if (screen === 'phone') await page.getByRole('button', { name: 'Filter by field' }).click();
      await explore.facet(/SELECT/).waitFor();
      await page.getByTestId('histogram').locator('canvas').waitFor();
      await check(page, 'explore');

      await page.getByRole('button', { name: 'As a table' }).click();
      await page.getByRole('button', { name: 'All time' }).click();
      await page.getByRole('button', { name: 'Apply' }).waitFor();
      await check(page, 'explore-range');
      await page.keyboard.press('Escape');

      const drawer = await explore.open(0);
      await drawer.getByTestId('statement').waitFor();
      await check(page, 'event');
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });

      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'Overview' }).waitFor();
      await page.keyboard.type('sa');
      await check(page, 'palette');
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByRole('dialog').getByText('NDJSON').waitFor();
      await check(page, 'export');
      await page.goto(
        `${opened.dashboard.origin}/dashboard/explore?range=all&groupBy=serverPrincipalName,hostName`,
      );
      await page.getByRole('region', { name: 'Events by group' }).getByRole('row').nth(1).waitFor();
      await check(page, 'groups');
      for (const [shape, name] of [
        ['bars', 'Over time'],
        ['flow', 'Flow'],
      ] as const) {
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByTestId(shape).waitFor();
        await check(page, `groups-${shape}`);
      }
      await page.goto(`${opened.dashboard.origin}/dashboard/explore`);
      await page.getByText('No events in this time range').waitFor();
      await check(page, 'explore-empty');
    });

    it('is accessible to an operator', async () => {
      const { world, contoso } = opened.dashboard;
      const report = { tenantId: contoso.tenantId, problem: 'the disk of the agent is full' };
      await world.graphql(contoso.agentKey, REPORT, { report: aReport(report) });
      const page = await opened.dashboard.signedIn(world.operatorKey, '/sources', options);
      await page.getByText('the disk of the agent is full').waitFor();
      await check(page, 'sources');

      const go = async (path: string, heading: string) => {
        await page.goto(`${opened.dashboard.origin}/dashboard/${path}`);
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
        await page.getByRole('cell').first().waitFor();
      };
      await go('tenants', 'Tenants');
      await check(page, 'tenants');
      await page.getByRole('button', { name: 'Change retention of Contoso' }).click();
      await page.getByLabel('for a number of days').check();
      await page.getByText(/stay/).waitFor();
      await check(page, 'retention');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Verify the events of Contoso' }).click();
      await page.getByText('All events are as they were accepted').waitFor();
      await check(page, 'evidence');
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await go('keys', 'Keys');
      await check(page, 'keys');
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Name').waitFor();
      await check(page, 'new-key');
      await go('access-log', 'Access log');
      await check(page, 'access-log');
      for (const path of ['destinations', 'archive', 'rules']) {
        await page.goto(`${opened.dashboard.origin}/dashboard/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await check(page, path);
      }
    });
  });
});
