import type { Page } from 'playwright-core';
import { anEvent } from '../support/events';
import { isWiderThanScreen, violations } from './support/axe';
import { countClicks } from './support/clicks';
import { screenshot, useDashboard } from './support/dashboard';
import { ExplorePage } from './support/explore-page';
import { tabTo } from './support/tab-to';

const HOUR_MS = 3_600_000;
/** The last second of the hour so many hours ago. */
const ago = (hours: number) => {
  const hour = Math.floor(Date.now() / HOUR_MS) - hours;
  return `${new Date(hour * HOUR_MS - 1_000).toISOString().slice(0, -1)}0000Z`;
};

describe('the overview', () => {
  const opened = useDashboard();
  let key: string;

  beforeAll(async () => {
    const { world } = opened.dashboard;
    const tenant = await world.tenant('Northwind');
    const rows = (n: number) => ({ additional: { responseRows: n } });
    const servers = ['SQL01', 'SQL02', 'SQL03'];
    await tenant.ingest([
      anEvent({ eventTime: ago(24 * 20), ...rows(10) }),
      anEvent({ eventTime: ago(24 * 9), actionId: 'LGIF', succeeded: false }),
      ...Array.from({ length: 60 }, (_, i) =>
        anEvent({
          eventTime: ago(1 + ((i * 37) % 150)),
          serverInstanceName: servers[i % 7] ?? 'SQL01',
          ...rows(i),
        }),
      ),
      ...[3, 30, 31].map((hours) =>
        anEvent({ eventTime: ago(hours), actionId: 'LGIF', succeeded: false, serverPrincipalName: 'sa' }),
      ),
      anEvent({ eventTime: ago(5), hostName: 'KIOSK-7', serverPrincipalName: 'mallory', actionId: 'APRL' }),
    ]);
    const scopes = ['read:audit-activity', 'read:alerts', 'read:compliance'];
    ({ key } = await world.key({ tenantIds: [tenant.tenantId], scopes }));
  });

  /** Follows a link and expects Explore to have so many events. */
  const follow = async (page: Page, name: string | RegExp, n: number, within?: string) => {
    const place = within ? page.getByRole('region', { name: within, exact: true }) : page;
    await place
      .getByRole('link', { name, exact: typeof name === 'string' })
      .first()
      .click();
    await new ExplorePage(page).count(n);
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  };

  it('is the first page, and each number leads to as many events in Explore', async () => {
    const page = await opened.dashboard.signedIn(key);
    await page.getByText('No incident is open.').waitFor();
    expect(await page.getByRole('navigation', { name: 'Views' }).getByRole('link').first().innerText()).toBe(
      'Overview',
    );
    await page.getByText('Compliance:').waitFor();
    expect(await page.getByText('1 the week before').count()).toBe(2);
    await follow(page, '3', 3, 'Numbers');
    await follow(page, '64', 64, 'Numbers');
    await follow(page, 'KIOSK-7', 1);
    await follow(page, 'mallory', 1);
    const rows = page.getByRole('region', { name: 'Numbers' }).getByRole('link', { name: '1,770' });
    await rows.click();
    await page.getByRole('region', { name: 'Events by group' }).getByText('1,770').waitFor();
    await page.goBack();
    const servers = page.getByRole('region', { name: 'Events by server', exact: true });
    const row = servers.getByRole('row', { name: /SQL02/ });
    const total = Number(await row.getByRole('link').first().innerText());
    await follow(page, String(total), total, 'Events by server');
    const hours = page.getByRole('region', { name: 'Events by weekday and hour' });
    await hours.getByText(/^The darker, the more: up to \d+\.$/).waitFor({ state: 'attached' });
    const hour = hours.getByRole('link').first();
    const [, n] = /: (\d+) events?$/.exec((await hour.getAttribute('aria-label')) ?? '') ?? [];
    await hour.press('ArrowRight');
    expect(await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')).not.toBe(
      await hour.getAttribute('aria-label'),
    );
    await hour.press('Enter');
    await new ExplorePage(page).count(Number(n));
    await page.context().close();
  });

  it('shows an odd login unasked, and leads to it in three clicks', async () => {
    const page = await opened.dashboard.signedIn(key);
    const clicks = await countClicks(page);
    await page.getByRole('link', { name: 'mallory' }).click();
    const explore = new ExplorePage(page);
    await explore.count(1);
    const cell = explore.events.locator('tbody td').filter({ hasText: 'mallory' });
    await cell.hover();
    await cell.getByRole('link', { name: 'Page of Principal mallory' }).click();
    await page.getByRole('heading', { name: 'Login mallory', level: 1 }).waitFor();
    expect(await clicks()).toBeLessThanOrEqual(3);
    // And without a mouse.
    await page.goto(`${opened.dashboard.origin}/dashboard/`);
    await page.getByRole('link', { name: 'mallory' }).waitFor();
    await tabTo(page, /^mallory$/);
    await page.keyboard.press('Enter');
    await explore.count(1);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a page, a search, an entity or an action' }).waitFor();
    await page.keyboard.type('login mallory');
    await page.getByRole('option', { name: /^mallory\s*Login/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Login mallory', level: 1 }).waitFor();
    await page.context().close();
  });

  it('leads old links with the state of Explore there, and to the week of the newest event', async () => {
    const { contoso, origin } = opened.dashboard;
    const page = await opened.dashboard.signedIn(contoso.key, '/?range=all&search=salary');
    await new ExplorePage(page).count(12);
    expect(new URL(page.url()).pathname).toBe('/dashboard/explore');
    await page.goto(`${origin}/dashboard`);
    await page.getByRole('button', { name: /^Show the week of the newest event, 2025-04-15/ }).click();
    await page.getByRole('region', { name: 'Numbers' }).getByRole('link', { name: '150' }).waitFor();
    expect(new URL(page.url()).searchParams.get('end')).toMatch(/^2025-04-15/);
    expect(await page.getByText('Open incidents').count()).toBe(0);
    await page.getByRole('button', { name: 'The week before' }).click();
    await page.getByText('No event is from this week').waitFor();
    await page.context().close();
  });

  it.each([
    ['desktop', 'light', { width: 1440, height: 900 }],
    ['phone', 'dark', { width: 390, height: 844 }],
  ] as const)('is accessible on a %s screen in %s colours', async (screen, colorScheme, viewport) => {
    const page = await opened.dashboard.signedIn(key, '/', { viewport, colorScheme, bypassCSP: true });
    await page
      .getByRole('region', { name: 'Events by weekday and hour' })
      .getByRole('link')
      .first()
      .waitFor();
    await page.getByText('Compliance:').waitFor();
    await screenshot(page, `overview-${screen}-${colorScheme}`);
    expect(await violations(page)).toEqual([]);
    expect(await isWiderThanScreen(page)).toBe(false);
    await page.context().close();
  });
});
