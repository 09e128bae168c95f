import { anEvent } from '../support/events';
import { isWiderThanScreen, violations } from './support/axe';
import { countClicks } from './support/clicks';
import { screenshot, useDashboard } from './support/dashboard';
import { ExplorePage } from './support/explore-page';

const DAY_MS = 86_400_000;
const ago = (days: number) => `${new Date(Date.now() - days * DAY_MS).toISOString().slice(0, -1)}0000Z`;

describe('the page of an entity', () => {
  const opened = useDashboard();
  let key: string;

  beforeAll(async () => {
    const { world } = opened.dashboard;
    const tenant = await world.tenant('Northwind');
    const member = (name: string) => ({ additional: { targetServerPrincipalName: name, classType: 'SG' } });
    await tenant.ingest([
      ...[25, 18, 12, 2].map((days) => anEvent({ eventTime: ago(days) })),
      anEvent({ eventTime: ago(1), hostName: 'KIOSK-7', clientIp: '203.0.113.9' }),
      anEvent({
        eventTime: ago(20),
        actionId: 'APRL',
        objectName: 'sysadmin',
        serverPrincipalName: 'dba',
        ...member('CORP\\alice'),
      }),
    ]);
    const scopes = ['read:audit-activity', 'read:alerts'];
    ({ key } = await world.key({ tenantIds: [tenant.tenantId], scopes }));
  });

  it('is one step from a cell of Explore and from an event, and leads on to other entities and to events', async () => {
    const page = await opened.dashboard.signedIn(key, '/explore?range=30d&filter=hostName:KIOSK-7');
    const explore = new ExplorePage(page);
    await explore.count(1);
    const drawer = await explore.open(0);
    const toHost = drawer.getByRole('link', { name: 'Page of Host KIOSK-7' });
    const card = page.getByRole('tooltip').filter({ hasText: 'Host KIOSK-7' });
    // Scrolling closes a card.
    await toHost.scrollIntoViewIfNeeded();
    await toHost.hover();
    await card.getByText('First seen').waitFor();
    await card.hover();
    await page.mouse.move(5, 5);
    await card.waitFor({ state: 'detached' });
    // By keyboard too; Escape takes the card alone away.
    await page.keyboard.press('Tab');
    await toHost.focus();
    await card.getByText('New in 7 days').waitFor();
    expect(await toHost.getAttribute('aria-describedby')).toBe('entity-card');
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    await toHost.click();
    await page.getByRole('heading', { name: 'Host KIOSK-7', level: 1 }).waitFor();
    await page.goBack();
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=30d&filter=hostName:KIOSK-7`);
    await explore.count(1);
    const cell = explore.events.locator('tbody td').filter({ hasText: 'CORP\\alice' });
    await cell.hover();
    await cell.getByRole('link', { name: 'Page of Principal CORP\\alice' }).click();
    await page.getByRole('heading', { name: 'Login CORP\\alice', level: 1 }).waitFor();
    const row = page
      .getByRole('region', { name: 'Roles', exact: true })
      .getByRole('row', { name: /sysadmin/ });
    await row.getByText('by dba').waitFor();
    await row.getByText('held now').waitFor();
    await page.getByText(/Known since the log began, \d{4}-\d\d-\d\d: a role/).waitFor();
    await row.getByRole('link').first().click();
    await explore.count(1);
    const change = await explore.open(0);
    await change.getByText('dba added CORP\\alice to sysadmin').waitFor();
    await change.getByText('Role member', { exact: true }).waitFor();
    await change.getByRole('button', { name: 'Only Role member CORP\\alice' }).waitFor();
    await page.goto(`${opened.dashboard.origin}/dashboard/entity/login?value=CORP%5Calice`);
    const hosts = page.getByRole('region', { name: 'Host: 2' });
    const fresh = hosts.getByRole('listitem').filter({ hasText: 'KIOSK-7' });
    await fresh.getByText('new', { exact: true }).waitFor();
    expect(await hosts.getByText('new', { exact: true }).count()).toBe(1);
    await fresh.getByRole('link', { name: '1 event' }).click();
    await explore.count(1);
    await page.goBack();
    await hosts.getByRole('link', { name: 'APP01' }).click();
    await page.getByRole('heading', { name: 'Host APP01', level: 1 }).waitFor();
    await page.getByRole('link', { name: '5 events' }).first().click();
    await explore.count(5);
    await page.context().close();
  });

  it('of a role says who holds it since when, one click from any page', async () => {
    const page = await opened.dashboard.signedIn(key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const clicks = await countClicks(page);
    await page.keyboard.press('Control+k');
    await page
      .getByRole('combobox', { name: 'Find a page, a search, an entity or an action' })
      .fill('object sysadmin');
    await page.getByRole('option', { name: /^sysadmin\s*Object/ }).click();
    const members = page.getByRole('region', { name: 'Members', exact: true });
    const row = members.getByRole('row', { name: /^CORP\\alice .* by dba held now$/ });
    await row.waitFor();
    expect(await clicks()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await row.getByRole('link', { name: 'CORP\\alice' }).click();
    await page.getByRole('heading', { name: 'Login CORP\\alice', level: 1 }).waitFor();
    await page.context().close();
  });

  it('says when nothing is known, and when the address names no entity', async () => {
    const page = await opened.dashboard.signedIn(key, '/entity/address?value=%3Cb%3E%22%5C');
    await page.getByRole('heading', { name: 'Address <b>"\\', level: 1 }).waitFor();
    await page.getByText('0 events').waitFor();
    await page.goto(`${opened.dashboard.origin}/dashboard/entity/planet?value=x`);
    await page.getByText('This address names no entity').waitFor();
    await page.context().close();
  });

  it.each([
    ['desktop', 'light', { width: 1440, height: 900 }],
    ['phone', 'dark', { width: 390, height: 844 }],
  ] as const)('is accessible on a %s screen in %s colours', async (screen, colorScheme, viewport) => {
    const page = await opened.dashboard.signedIn(key, '/entity/login?value=CORP%5Calice', {
      viewport,
      colorScheme,
      bypassCSP: true,
    });
    await page.getByText('by dba').waitFor();
    await screenshot(page, `entity-${screen}-${colorScheme}`);
    expect(await violations(page)).toEqual([]);
    expect(await isWiderThanScreen(page)).toBe(false);
    await page.context().close();
  });
});
