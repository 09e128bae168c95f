import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { LIMITS } from '../../src/limits';
import { aGap, aReport, REPORT } from '../support/audit-sources';
import { until } from '../support/until';
import { violations } from './support/axe';
import { countClicks } from './support/clicks';
import { inDatabase, useDashboard } from './support/dashboard';
import { ExplorePage } from './support/explore-page';
import { tabTo } from './support/tab-to';

const DAY_MS = 86_400_000;
/** Noon of yesterday, UTC, and a moment after it. */
const yesterday = (seconds = 0) => {
  const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;
  return `${new Date(noon + seconds * 1000).toISOString().slice(0, 19)}.0000000Z`;
};

/** A moment of the last quarter that ended, UTC. */
const lastQuarter = () => {
  const now = new Date();
  const ends = Date.UTC(now.getUTCFullYear(), Math.floor(now.getUTCMonth() / 3) * 3);
  return `${new Date(ends - 40 * DAY_MS).toISOString().slice(0, 19)}.0000000Z`;
};

describe('in the dashboard', () => {
  const opened = useDashboard();
  beforeAll(async () => {
    const { contoso } = opened.dashboard;
    const touched = { actionId: 'UP', databaseName: 'HR', schemaName: 'dbo', objectName: 'Payroll 2' };
    const people = [
      { serverPrincipalName: 'CORP\\alice', hostName: 'WS-ALICE' },
      { serverPrincipalName: 'CORP\\svc_etl', hostName: 'ETL01' },
      { serverPrincipalName: 'CORP\\svc_etl', hostName: 'ETL01' },
    ];
    for (const [i, who] of people.entries())
      await contoso.audited({ ...touched, ...who, eventTime: yesterday(i) });
    for (const succeeded of [true, false, false])
      await contoso.audited({
        actionId: 'LGIF',
        serverPrincipalName: 'sa',
        succeeded,
        eventTime: yesterday(9),
      });
    for (const serverPrincipalName of ['CORP\\bob', 'CORP\\eve'])
      await contoso.audited({ objectName: 'Salaries', serverPrincipalName, eventTime: lastQuarter() });
  });
  const visit = (where: string): Promise<Page> => {
    const { dashboard } = opened;
    return dashboard.signedIn(dashboard.contoso.key, where);
  };

  it('an analyst finds in two clicks who touched a table yesterday, and from which machine', async () => {
    const page = await visit('/explore');
    const explore = new ExplorePage(page);
    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'Last 24 hours' }).click();
    await page.getByRole('button', { name: 'Yesterday' }).click();
    await explore.box.fill('objectName:"Payroll 2"');
    await explore.box.press('Enter');
    await explore.count(3);
    expect(await explore.countOf(explore.facet(/^CORP\\svc_etl/))).toBe(2);
    expect(await explore.countOf(explore.facet(/^WS-ALICE/))).toBe(1);
    expect(await clicks()).toBeLessThanOrEqual(2);
    await page.context().close();
  });

  it.each([
    [
      'the failed logins of sa in seven days',
      'Last 7 days',
      'actionId:LGIF principalName:sa succeeded:false',
    ],
    ['who read a table in the last quarter', 'Last quarter', 'actionId:SL objectName:Salaries'],
  ])('an analyst gets %s as CSV in four clicks', async (_, range, filter) => {
    const page = await visit('/explore');
    const explore = new ExplorePage(page);
    const clicks = await countClicks(page);
    await explore.search(filter);
    await page.getByRole('button', { name: 'Last 24 hours' }).click();
    await page.getByRole('button', { name: range, exact: true }).click();
    await explore.count(2);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Export this view' });
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    expect(text.trim().split('\r\n')).toHaveLength(3);
    expect(await clicks()).toBeLessThanOrEqual(4);
    await page.context().close();
  });

  it('an analyst reads an event as a sentence, and verifies its proof in the browser', async () => {
    const page = await visit('/explore?range=all&filter=hostName:WS-ALICE');
    const drawer = await new ExplorePage(page).open(0);
    expect(await drawer.getByTestId('sentence').innerText()).toBe(
      'CORP\\alice updated dbo.Payroll 2 from WS-ALICE, 10.20.30.40: succeeded',
    );
    await page.context().close();
    // This is an event of the sample files, which the evidence log has signed by now.
    const other = await visit('/explore?range=all&filter=databaseName:HumanResources');
    const explore = new ExplorePage(other);
    await explore.events.locator('tbody tr').first().waitFor();
    const clicks = await countClicks(other);
    await explore.events.locator('tbody tr').first().locator('td').nth(1).click();
    const again = other.getByRole('dialog', { name: 'Audit event' });
    const verify = again.getByRole('button', { name: 'Verify here' });
    await verify.click();
    await again.getByText('Verified: this is the event as it was accepted.').waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
    await other.context().close();
  });

  it('an analyst sees everything five minutes around an event, whatever the filter was', async () => {
    const page = await visit('/explore?range=yesterday&filter=hostName:WS-ALICE');
    const explore = new ExplorePage(page);
    await explore.count(1);
    const clicks = await countClicks(page);
    await explore.events.locator('tbody tr').first().locator('td').nth(1).click();
    const drawer = page.getByRole('dialog', { name: 'Audit event' });
    await drawer.getByRole('button', { name: /^Around this event: 5 minutes each way on SQLPROD01/ }).click();
    await explore.count(6);
    expect(await clicks()).toBeLessThanOrEqual(2);
    const given = new URL(page.url()).searchParams;
    expect(given.get('filter')).toBe('serverInstanceName:SQLPROD01');
    const [from, to] = ['startTime', 'endTime'].map((name) => Date.parse(given.get(name) ?? ''));
    expect((to ?? 0) - (from ?? 0)).toBeGreaterThanOrEqual(10 * 60_000);
    expect((to ?? 0) - (from ?? 0)).toBeLessThan(10 * 60_000 + 1_000);
    await page.context().close();
  });

  it('an analyst sets a range, a filter and a value, opens an event and closes it, by keyboard alone', async () => {
    const page = await visit('/explore');
    const explore = new ExplorePage(page);
    await explore.box.waitFor();
    await tabTo(page, /^Last 24 hours/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Yesterday' }).waitFor();
    await tabTo(page, /^Yesterday/);
    await page.keyboard.press('Enter');
    await explore.count(6);
    await tabTo(page, /^Filter the events/);
    await page.keyboard.type('objectName:"Payroll 2"');
    await page.keyboard.press('Enter');
    await explore.count(3);
    await tabTo(page, /^CORP.svc_etl/);
    await page.keyboard.press('Space');
    await explore.count(2);
    await tabTo(page, /12:00:02/);
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Audit event' });
    await drawer.getByText('Record id').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('an analyst needs no mouse to verify an event, see what was around it, export, and ask who holds a role', async () => {
    const page = await visit('/explore?range=all&filter=databaseName:HumanResources');
    const explore = new ExplorePage(page);
    await explore.events.locator('tbody tr').first().waitFor();
    const clicks = await countClicks(page);
    await tabTo(page, /^Skip to the events$/, 5);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await tabTo(page, /^Verify here$/);
    await page.keyboard.press('Enter');
    await page.getByText('Verified: this is the event as it was accepted.').waitFor();
    await tabTo(page, /^Around this event/);
    await page.keyboard.press('Enter');
    await page.getByText(/^5 minutes to either side of the event/).waitFor();
    await page.getByText(/^\d+ events?$/).waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog', { name: 'Export this view' });
    await dialog.waitFor();
    await tabTo(page, /^Export$/);
    const download = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    await download;
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page
      .getByRole('combobox', { name: 'Find a page, a search, an entity or an action' })
      .fill('object sysadmin');
    await page.getByRole('option', { name: /^sysadmin\s*Object/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Object sysadmin', level: 1 }).waitFor();
    expect(await clicks()).toBe(0);
    await page.context().close();
  });

  it('new events appear live, wait while somebody reads, and go on after an outage', async () => {
    // One stream ends soon, and the next begins.
    const replaced = jest.replaceProperty(LIMITS, 'liveMs', 4_000 as never);
    const { fabrikam } = opened.dashboard;
    const page = await opened.dashboard.signedIn(fabrikam.key, '/explore?range=all&pageSize=100');
    const explore = new ExplorePage(page);
    await explore.count(80);
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await page.getByText('Live: waiting for events').waitFor();
    expect(page.url()).toContain('live=1');
    const later = (n: number) => `2030-01-01T00:00:0${n}.0000000Z`;
    const bring = (n: number) => fabrikam.audited({ eventTime: later(n), objectName: `Live ${n}` });
    const first = page.locator('tbody tr').first();
    await bring(1);
    await first.getByText('Live 1', { exact: true }).waitFor();
    await page.getByText('1 new event', { exact: true }).waitFor();
    await explore.count(81);
    expect(await violations(page)).toEqual([]);
    // A row that has the focus does not move.
    await page.locator('tbody tr').nth(3).getByRole('link').first().focus();
    await bring(2);
    const pill = page.getByRole('button', { name: 'Show 1 new event' });
    await pill.waitFor();
    expect(await first.getByText('Live 1', { exact: true }).count()).toBe(1);
    await page.mouse.wheel(0, 400);
    await pill.click();
    await first.getByText('Live 2', { exact: true }).waitFor();
    const route = '**/dashboard/api/live?**';
    await page.route(route, (asked) => asked.abort());
    await page.getByText(/^Live: connection lost/).waitFor();
    await bring(3);
    await page.unroute(route);
    await first.getByText('Live 3', { exact: true }).waitFor();
    // The values of the page may name it too.
    expect(await explore.events.getByText('Live 3', { exact: true }).count()).toBe(1);
    await explore.count(83);
    // What failed is asked again although nobody does anything.
    await page.route('**/graphql', (asked) => asked.abort());
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    await page.unroute('**/graphql');
    await explore.count(83);
    replaced.restore();
    await page.context().close();
  });

  it('old numbers are never shown beside a new filter, nor is an error shown twice', async () => {
    const page = await visit('/explore?range=yesterday');
    const explore = new ExplorePage(page);
    await explore.count(6);
    let answer = () => {};
    const wait = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query Facets')) await wait;
      await route.continue();
    });
    await explore.search('hostName:WS-ALICE');
    await page.getByText('Counting …').waitFor();
    const shown = page.locator('[aria-busy="true"][data-stale]');
    await shown.getByRole('region', { name: 'Counts by field' }).waitFor();
    await shown.getByRole('region', { name: 'Events', exact: true }).waitFor();
    await shown.getByTestId('histogram').waitFor();
    expect(await page.getByText('6 events', { exact: true }).count()).toBe(0);
    answer();
    await explore.count(1);
    await until(
      () => shown.count(),
      (n) => n === 0,
    );
    await page.unroute('**/graphql');
    const errors = [{ message: 'The question took too long.', extensions: { code: 'service_unavailable' } }];
    await page.route('**/graphql', (route) => route.fulfill({ json: { errors } }));
    await explore.search('hostName:ETL01');
    await page.getByText('The question took too long.').first().waitFor();
    expect(await page.getByText('The question took too long.').count()).toBe(1);
    await page.context().close();
  });

  it('an analyst sees whether events of a server are missing for yesterday', async () => {
    const { contoso, world } = opened.dashboard;
    const gap = { ...aGap(), afterTime: yesterday(), beforeTime: yesterday(600) };
    const report = aReport({ tenantId: contoso.tenantId, hostName: 'SQLPROD02', databaseName: 'Ledger' });
    await world.graphql(contoso.agentKey, REPORT, { report: { ...report, gaps: [gap] } });
    const page = await visit('/explore');
    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'Last 24 hours' }).click();
    await page.getByRole('button', { name: 'Yesterday' }).click();
    const note = page.getByRole('region', { name: 'Completeness' });
    await note
      .getByText(/SQLPROD02 \(Ledger\) reports, but is behind, not everything of it has come yet; 1 gap:/)
      .waitFor();
    await note.getByText(/SQLPROD02 \(Ledger\).*1 gap: .* between .* 12:00:00 and .* 12:10:00/).waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
    await page.context().close();
  });

  it('an analyst excludes a service account, and saves the search', async () => {
    const page = await visit('/explore?range=yesterday');
    const explore = new ExplorePage(page);
    await explore.count(6);
    await explore.exclude('Principal', 'CORP\\svc_etl').click();
    await explore.count(4);
    await page.getByRole('button', { name: 'Saved' }).click();
    await page.getByRole('menuitem', { name: /^Save this search/ }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('People only');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=yesterday`);
    await explore.count(6);
    await explore.box.click();
    await page.getByRole('option', { name: /^People only/ }).click();
    await explore.count(4);
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    await page.getByRole('button', { name: 'As a table' }).click();
    const groups = page.getByRole('region', { name: 'Events by group' });
    await groups.waitFor();
    const menu = page.getByRole('button', { name: 'Saved' });
    await menu.click();
    await page.getByRole('menuitem', { name: /^Save this search/ }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('People by login');
    await page
      .getByRole('dialog')
      .getByText(/· Yesterday · by Principal · numbers of the chart$/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goto(`${opened.dashboard.origin}/dashboard/explore`);
    await menu.click();
    await page.getByRole('menuitem', { name: /^People by login/ }).click();
    await groups.waitFor();
    await explore.count(4);
    await page.getByRole('button', { name: 'Hide table' }).waitFor();
    await page.context().close();
  });

  it('an analyst is offered to remove own searches, and not those that others share', async () => {
    const page = await visit('/explore?range=yesterday');
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query SavedSearches')) return route.fallback();
      const of = (name: string, isOwn: boolean) => ({
        ...{ __typename: 'SavedSearch', searchId: name, name, filter: 'succeeded:false', view: null },
        ...{ isOwn, isShared: true, tenantId: opened.dashboard.contoso.tenantId },
      });
      return route.fulfill({ json: { data: { savedSearches: [of('Mine', true), of('Theirs', false)] } } });
    });
    await page.reload();
    await page.getByRole('button', { name: 'Saved' }).click();
    await page.getByRole('menuitem', { name: /^Theirs/ }).waitFor();
    const offered = await page.getByRole('menuitem').allInnerTexts();
    expect(offered.filter((text) => /remove/i.test(text))).toEqual([expect.stringContaining('Mine')]);
    await page.context().close();
  });

  it('an analyst reaches the first event in a few strokes, and goes over the events by keys', async () => {
    const page = await visit('/explore?range=yesterday');
    const explore = new ExplorePage(page);
    await explore.count(6);
    const focused = (selector: string) =>
      page.evaluate<boolean>(`!!document.activeElement?.closest('${selector}')`);
    await tabTo(page, /^Skip to the events$/, 2);
    await page.keyboard.press('Enter');
    expect(await focused('#events tbody tr:first-child a')).toBe(true);
    for (const [key, row] of [
      ['j', 2],
      ['j', 3],
      ['k', 2],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused(`#events tbody tr:nth-child(${row}) a`)).toBe(true);
    }
    await page.keyboard.press('/');
    expect(await focused('#event-filter')).toBe(true);
    await page.keyboard.type('j?/');
    expect(await explore.box.inputValue()).toBe('j?/');
    await page.reload();
    await explore.count(6);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Down to the next event').waitFor();
    await page.context().close();
  });

  it('an analyst reaches the first event by at most 12 Tabs, and any page, value and action by keys', async () => {
    const page = await visit('/explore?range=yesterday');
    const explore = new ExplorePage(page);
    await explore.count(6);
    const isAt = (selector: string) =>
      page.evaluate<boolean>(`!!document.activeElement?.closest('${selector}')`);
    let tabs = 0;
    while (tabs < 30 && !(await isAt('#events tbody tr'))) {
      await page.keyboard.press('Tab');
      tabs++;
    }
    expect(tabs).toBeLessThanOrEqual(12);
    await page.keyboard.press('f');
    await page.locator('section[aria-label="Counts by field"] :focus').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: 'Export this view' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const find = page.getByRole('combobox', { name: 'Find a page, a search, an entity or an action' });
    await explore.box.focus();
    await page.keyboard.press('Control+k');
    await find.fill('alic');
    await page.getByRole('option', { name: /^CORP.alice\s*Login/ }).waitFor();
    await find.press('Escape');
    await find.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await find.fill('host WS-ALICE');
    await find.press('Enter');
    await page.waitForURL(/\/entity\/host\?value=WS-ALICE/);
    await page.getByRole('heading', { name: 'WS-ALICE' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.waitForURL(/\/dashboard\/explore/);
    await page.goto(new URL('?range=yesterday', page.url()).href);
    await explore.count(6);
    await page.keyboard.press('Meta+k');
    await find.fill('prove');
    await page.getByRole('option', { name: 'Prove this view' }).waitFor();
    await find.press('Enter');
    await page.getByRole('dialog', { name: 'Prove this view' }).waitFor();
    await page.context().close();
  });

  it('Back does not open a closed event again, and selecting text opens none', async () => {
    const page = await visit('/explore?range=yesterday');
    const explore = new ExplorePage(page);
    await explore.count(6);
    await explore.search('principalName:sa');
    await explore.count(3);
    const drawer = await explore.open(0);
    await drawer.getByRole('button', { name: 'Next event' }).click();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('event')).toBeNull();
    await page.goBack();
    await explore.count(6);
    expect(new URL(page.url()).searchParams.get('event')).toBeNull();
    const cell = explore.events.locator('tbody tr').nth(3).getByText(/^CORP/).first();
    const { x = 0, y = 0, width = 0, height = 0 } = (await cell.boundingBox()) ?? {};
    await page.mouse.move(x + 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.evaluate<string>('String(getSelection())')).toMatch(/\w/);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await explore.events.locator('tbody tr').nth(4).getByText(/^CORP/).first().click();
    await page.getByRole('dialog', { name: 'Audit event' }).waitFor();
    await page.context().close();
  });

  it('an analyst sees events by group, with the counts of the day before', async () => {
    const page = await visit('/explore?range=yesterday');
    await new ExplorePage(page).count(6);
    const groups = page.getByRole('region', { name: 'Events by group' });
    // A toolbar is one stop of Tab.
    await tabTo(page, /^Columns/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await groups.waitFor();
    await page.keyboard.press('Enter');
    await groups.waitFor({ state: 'detached' });
    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    await groups.getByRole('row', { name: /CORP\\svc_etl 2 33\.3 % 0 not recorded/ }).waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
    await page.goto(
      `${opened.dashboard.origin}/dashboard/explore?range=yesterday&groupBy=serverPrincipalName,hostName`,
    );
    await groups
      .getByRole('row', { name: /CORP\\svc_etl ETL01 2 33\.3 % 0 not recorded .* 12:00:01 .* 12:00:02$/ })
      .waitFor();
    await groups.getByRole('button', { name: 'Sort by Events, now descending' }).click();
    await groups.getByRole('button', { name: 'Sort by Events, now ascending' }).waitFor();
    await until(
      () => groups.getByRole('row').last().innerText(),
      (last) => last.startsWith('sa'),
    );
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      groups.getByRole('button', { name: 'Groups as CSV' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('audit-activity-by-serverPrincipalName-hostName-all-groups.csv');
    await groups.getByText(/^Saved: \d+ groups$/).waitFor();
    await page.context().close();
  });

  it('an operator finds one of 2,000 tenants, and its entries in the access log', async () => {
    const { world } = opened.dashboard;
    await inDatabase(world, `INSERT INTO tenant (name) SELECT 'Farm ' || i FROM generate_series(1, 2000) i`);
    const page = await opened.dashboard.signedIn(world.operatorKey, '/tenants');
    await page.getByText(/^2,00\d tenants/).waitFor();
    await page.getByLabel('Search tenants').fill('farm 1777');
    const row = page.getByRole('row', { name: /^Farm 1777.*no event yet/ });
    await row.waitFor();
    // The address shows the same again.
    await page.waitForURL(/search=farm\+1777/);
    await page.reload();
    await row.waitFor();
    await page.getByLabel('Search tenants').fill('');
    await page.getByText(/^2,00\d tenants$/).waitFor();
    await page.goto(`${opened.dashboard.origin}/dashboard/access-log`);
    await page.getByRole('combobox', { name: 'Tenant' }).fill('Farm 1777');
    await page.getByRole('option', { name: 'Farm 1777' }).click();
    await page.getByText('No entry matches: remove a filter').waitFor();
    await page.context().close();
  });

  it('an operator finds the one source of 2,000 that has a problem', async () => {
    const { contoso, world } = opened.dashboard;
    await inDatabase(
      world,
      `INSERT INTO audit_source (tenant_id, host_name, database_name, agent_version, waiting_bytes, published_count,
         last_reported, caught_up_at, problem)
       SELECT ${Number(contoso.tenantId)}, 'FARM' || i, 'db', '1', 0, 0, now(), '2026-01-01T00:00:00.0000000Z',
         CASE WHEN i = 1777 THEN 'the disk is full' END FROM generate_series(1, 2000) i`,
    );
    const page = await opened.dashboard.signedIn(world.operatorKey, '/tenants');
    const answer = page.waitForResponse(
      (one) => one.request().postData()?.includes('query Sources') === true,
    );
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    // It is asked for every ten seconds, so it has only a page of the sources.
    expect((await (await answer).body()).length).toBeLessThan(30_000);
    await page.getByText(/^2,00\d sources: /).waitFor();
    // It needs no click: what is sick comes first.
    await page.getByText('the disk is full').waitFor();
    await page.getByLabel('State').selectOption('Problem');
    await page.getByText('the disk is full').waitFor();
    await page.getByLabel('State').selectOption('Any state');
    await page.getByLabel('Search sources').fill('nothing like it');
    await page.getByText('No source matches: change the search or the state').waitFor();
    await page.getByLabel('Search sources').fill('farm1777');
    await page.getByRole('row', { name: 'db FARM1777' }).waitFor();
    await page.waitForURL(/search=farm1777/);
    await until(
      // The heading is a row, too.
      () => page.getByRole('row').count(),
      (n) => n === 2,
    );
    await page.context().close();
  });
});
