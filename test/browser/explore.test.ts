import type { Locator, Page } from 'playwright-core';
import { until } from '../support/until';
import { violations } from './support/axe';
import { useDashboard } from './support/dashboard';
import { ExplorePage } from './support/explore-page';

describe('exploring events', () => {
  const opened = useDashboard();
  let page: Page;
  let explore: ExplorePage;
  // All sessions of one key share a rate limit, which one key would reach here.
  const keys: string[] = [];
  let key = '';
  let turn = 0;

  beforeAll(async () => {
    const { world, contoso } = opened.dashboard;
    keys.push(contoso.key);
    for (const name of ['second', 'third'])
      keys.push((await world.key({ name, tenantIds: [contoso.tenantId] })).key);
  });
  beforeEach(async () => {
    key = keys[turn++ % keys.length] as string;
    page = await opened.dashboard.signedIn(key, '/explore?range=all');
    explore = new ExplorePage(page);
    await explore.count(150);
  });
  afterEach(() => page.context().close());

  it('leads from a time range without events to the newest events', async () => {
    await page.goto(`${opened.dashboard.origin}/dashboard/explore`);
    await page.getByText('No events in this time range').waitFor();
    await page.getByText('The newest event is of 2025-04-15 08:59:46.').waitFor();
    await page.getByRole('button', { name: 'Show the newest day' }).click();
    await explore.count(150);
  });

  it('zooms to the stretch of the histogram that the mouse drags over', async () => {
    const chart = page.getByTestId('histogram').locator('.u-over');
    const box = await chart.boundingBox();
    if (!box) throw new Error('the histogram has no place');
    // The chart shows the hour from 08:00; the mouse drags from 08:45 to 08:59.
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * (59 / 60), box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/startTime=/);
    const given = new URL(page.url()).searchParams;
    const { body } = await opened.dashboard.contoso.get('/audit-activity/summary', {
      startTime: given.get('startTime') ?? '',
      endTime: given.get('endTime') ?? '',
    });
    expect(given.get('startTime')).toMatch(/^2025-04-15T08:4[45]/);
    expect(given.get('endTime')).toMatch(/^2025-04-15T08:(58:5|59:0)/);
    await explore.count(body.data.totalCount);
    expect(body.data.totalCount).toBeLessThan(150);
  });

  it('zooms by keyboard in the histogram as a table', async () => {
    await page.getByRole('button', { name: 'As a table' }).press('Enter');
    const minute = page.getByRole('row', { name: /^2025-04-15 08:55:00/ });
    const [succeeded, failed] = await Promise.all(
      [2, 3].map(async (i) => Number(await minute.getByRole('cell').nth(i).innerText())),
    );
    await page.getByRole('button', { name: 'Zoom to 2025-04-15 08:55:00' }).press('Enter');
    await explore.count((succeeded ?? 0) + (failed ?? 0));
    await page.getByRole('button', { name: 'Zoom out' }).press('Enter');
    await page.waitForURL(/startTime=2025-04-15T08%3A54%3A30/);
  });

  it('filters by one value of a field, then by two, to exactly the counted events, and back', async () => {
    const value = explore.facet(/^Payroll/);
    const count = await explore.countOf(value);
    await value.press('Space');
    await explore.count(count);
    const databases = await explore.column('Database', (cells) => new Set(cells).size === 1);
    expect(new Set(databases)).toEqual(new Set(['Payroll']));
    expect(await value.isChecked()).toBe(true);
    const sibling = explore.facet(/^master/);
    const both = count + (await explore.countOf(sibling));
    await sibling.click();
    await explore.count(both);
    await page.waitForURL((url) => url.searchParams.get('filter') === 'databaseName:(Payroll OR master)');
    await page.getByRole('button', { name: 'Remove the filter Database' }).click();
    await explore.count(150);
  });

  it('excludes a value, and keeps the exclusion in the address', async () => {
    const value = explore.facet(/^master/);
    const rest = 150 - (await explore.countOf(value));
    await explore.exclude('Database', 'master').click();
    await explore.count(rest);
    await page.waitForURL((url) => url.searchParams.get('filter') === 'NOT databaseName:master');
    await page.reload();
    await explore.count(rest);
    expect(await explore.exclude('Database', 'master').getAttribute('aria-pressed')).toBe('true');
  });

  it('filters by outcome, and understands old links with words and a server instance', async () => {
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&columns=eventTime,succeeded`);
    const failed = explore.facet(/^Failed/);
    const count = await explore.countOf(failed);
    await failed.click();
    await explore.count(count);
    expect(count).toBeLessThan(150);
    await explore.column('Outcome', (cells) => cells.length > 0 && cells.every((cell) => cell === 'Failed'));
    const { origin, contoso } = opened.dashboard;
    const given = { search: 'salary', serverInstanceName: 'SQLPROD01\\PAYROLL' };
    await page.goto(`${origin}/dashboard/explore?range=all&${new URLSearchParams(given)}`);
    const { body } = await contoso.get('/audit-activity', given);
    await explore.count(body.meta.totalCount);
    await page.getByText('Server instance: SQLPROD01\\PAYROLL', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove the filter words' }).click();
    await page.waitForURL(
      (url) => url.searchParams.get('filter') === 'serverInstanceName:SQLPROD01\\PAYROLL',
    );
  });

  it('asks again by itself if the service had no turn for a question', async () => {
    let refused = 0;
    await page.route('**/graphql', async (route) => {
      if (refused > 0 || !route.request().postData()?.includes('auditFacets')) return route.fallback();
      refused++;
      const errors = [{ message: 'No turn.', extensions: { code: 'service_unavailable' } }];
      await route.fulfill({
        status: 503,
        headers: { 'Content-Type': 'application/json', 'Retry-After': '2' },
        body: JSON.stringify({ errors, data: null }),
      });
    });
    await page.reload();
    await explore.facet(/^Failed/).waitFor();
    await explore.count(150);
    expect(refused).toBe(1);
  });

  it('completes the names of fields and their values, and offers recent searches', async () => {
    await explore.box.fill('datab');
    await page.getByRole('option', { name: /^databaseName:/ }).waitFor();
    await explore.box.press('ArrowDown');
    await explore.box.press('Enter');
    await explore.box.pressSequentially('payr');
    await page.getByRole('option', { name: /^Payroll/ }).click();
    expect(await explore.box.inputValue()).toBe('databaseName:Payroll');
    await explore.box.press('Enter');
    await explore.column(
      'Database',
      (cells) => cells.length > 0 && cells.every((cell) => cell === 'Payroll'),
    );
    await page.getByRole('button', { name: 'Clear all' }).click();
    await explore.count(150);
    await explore.box.click();
    await page.getByRole('option', { name: /^databaseName:Payroll/ }).click();
    await page.waitForURL((url) => url.searchParams.get('filter') === 'databaseName:Payroll');
  });

  it('excludes a value from its cell in the table, and filters by a value from the drawer', async () => {
    const cell = explore.events.locator('tbody tr').first().locator('td').nth(2);
    await cell.hover();
    await cell.getByRole('button', { name: /^Exclude Database/ }).click();
    await page.waitForURL(/filter=NOT\+databaseName/);
    const drawer = await explore.open(0);
    const principal = await drawer
      .getByRole('row', { name: 'Principal' })
      .first()
      .getByRole('cell')
      .innerText();
    await drawer.getByRole('button', { name: /^Only Principal/ }).click();
    await page.waitForURL(/AND\+principalName/);
    expect(principal).toContain(
      new URL(page.url()).searchParams.get('filter')?.split('principalName:')[1]?.replaceAll('"', ''),
    );
  });

  it('counts the values of a further field that the reader chooses', async () => {
    await page.getByRole('button', { name: 'Fields', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Application', { exact: true }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('group', { name: 'Application' }).getByRole('checkbox').first().waitFor();
  });

  it('names actions in full', async () => {
    await explore.facet('SELECT').waitFor();
  });

  it('searches words, and says what to do if no event matches', async () => {
    await explore.search('salary');
    await explore.count(12);
    await explore.search('nowhere-to-be-found');
    await page.getByText('No event matches').waitFor();
    await page.getByText('No event of any time up to now matches.').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await explore.count(150);
  });

  it('offers values in another letter case, of other times too, and what else a filter may mean', async () => {
    const count = await explore.countOf(explore.facet(/^Payroll/));
    await explore.search('databaseName:payroll NOT principalName:nobody');
    await page.getByText(`There are ${count} events in this time range with`).waitFor();
    await page.getByRole('button', { name: 'Payroll', exact: true }).click();
    await explore.count(count);
    expect(await explore.box.inputValue()).toBe('databaseName:Payroll AND NOT principalName:nobody');
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?filter=databaseName:payroll`);
    await page.getByText(`There are ${count} events at other times with`).waitFor();

    await explore.search('user=sa');
    await page.getByRole('note').getByRole('button', { name: 'principalName:sa' }).click();
    await page.getByText('The newest event that matches').waitFor();
    expect(await explore.box.inputValue()).toBe('principalName:sa');
    expect(await page.getByRole('note').count()).toBe(0);

    await explore.search('user == "sa" and TimeGenerated > ago(7d)');
    await page
      .getByRole('note')
      .getByRole('button', { name: 'principalName:sa · Last 7 days', exact: true })
      .click();
    await page.waitForURL(/range=7d/);
    expect(await explore.box.inputValue()).toBe('principalName:sa');
    await explore.box.fill('');
    await page.getByRole('option', { name: /^responseRows:>1000/ }).click();
    await page.waitForURL((url) => url.searchParams.get('filter') === 'responseRows:>1000');
  });

  it('leads to the newest matching event if none in the time range matches', async () => {
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?filter=databaseName:HumanResources`);
    await page.getByText('The newest event that matches is of 2025-04-15 08:59:').waitFor();
    await page.getByRole('button', { name: 'Show the newest day' }).click();
    await explore.column('Database', (cells) => cells.length > 0);
    expect(await page.getByText('No event matches').count()).toBe(0);
  });

  it('sends no question with a filter that is not understood, and says so', async () => {
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&filter=%22open`);
    await page.getByText('No events were loaded: the filter is not understood').waitFor();
    expect(
      await page
        .getByText(/^(Loading|Counting)/)
        .filter({ visible: true })
        .count(),
    ).toBe(0);
  });

  it('says that a filter is too long, and sends no question', async () => {
    const filter = `objectName:${'a'.repeat(4_100)}`;
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&filter=${filter}`);
    await page.getByText('expected at most 4096 characters').waitFor();
    await page.getByText('No events were loaded: the filter is not understood').waitFor();
  });

  it('says "Not counted" if the service refuses to answer', async () => {
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&search=%22open`);
    await page.getByRole('alert').filter({ hasText: 'search has a quotation mark' }).waitFor();
    await page.getByText('Not counted', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
  });

  it('shows the groups within the screen', async () => {
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    const groups = page.getByRole('region', { name: 'Events by group' });
    await groups
      .getByRole('row', { name: /100\.0 %|\d %/ })
      .first()
      .waitFor();
    const { y = -1 } = (await groups.boundingBox()) ?? {};
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(900);
  });

  it('shows groups in five shapes, whose marks lead to their events', async () => {
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    const groups = page.getByRole('region', { name: 'Events by group' });
    const show = (shape: string) => groups.getByRole('button', { name: shape, exact: true }).click();
    /** Follows a mark whose name ends with its number of events, and comes back. */
    const follow = async (mark: Locator) => {
      const [, n = ''] =
        /: ([\d,]+) event/.exec((await mark.getAttribute('title')) ?? (await mark.innerText())) ?? [];
      await mark.press('Enter');
      await explore.count(Number(n.replaceAll(',', '')));
      expect(new URL(page.url()).searchParams.get('groupBy')).toBeNull();
      await page.goBack();
      await groups.waitFor();
    };
    await show('Over time');
    await follow(groups.getByRole('listitem').getByRole('link').first());
    expect(new URL(page.url()).searchParams.get('shape')).toBe('bars');
    await groups.getByRole('combobox', { name: 'Order' }).selectOption('rarest first');
    await groups.getByRole('listitem').getByRole('link').first().waitFor();
    expect(new URL(page.url()).searchParams.get('groupSort')).toBe('count');
    expect(await violations(page)).toEqual([]);
    await show('Heat map');
    await follow(groups.getByRole('table').getByRole('link').first());
    expect(await violations(page)).toEqual([]);
    await show('Hours of the week');
    await groups.getByRole('link', { name: 'Tue 08:00: 150 events' }).waitFor();
    await show('Flow');
    await follow(groups.getByTestId('flow').getByRole('link').first());
    await groups.getByTestId('flow').getByRole('link').first().waitFor();
    expect(await groups.getByTestId('flow').locator('a:not([tabindex="-1"])').count()).toBe(1);
    expect(
      await groups.getByRole('region', { name: 'The paths of the flow' }).getByRole('row').count(),
    ).toBeGreaterThan(1);
    expect(await violations(page)).toEqual([]);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      groups.getByRole('button', { name: 'Groups as CSV' }).click(),
    ]);
    expect(saved.suggestedFilename()).toMatch(
      /^audit-activity-flow-.*serverPrincipalName.*hostName.*objectName.*\.csv$/,
    );
  });

  it('says what is wrong with a filter, and dims the numbers of the filter before', async () => {
    await explore.search('objectName:a AND (principal:sa');
    const alert = page.getByRole('alert').filter({ hasText: 'The filter is not understood' });
    expect(await alert.innerText()).toMatch(/at character 19: expected a field in place of "principal"/);
    expect(await alert.locator('code').innerText()).toBe('objectName:a AND (▸principal:sa');
    expect(new URL(page.url()).searchParams.get('filter')).toBeNull();
    // The numbers belong to the previous filter: they are dimmed, and the total is gone.
    await page.locator('[data-stale]').waitFor();
    await page.getByText('Not counted', { exact: true }).waitFor();
    expect(await page.getByText('150 events', { exact: true }).count()).toBe(0);
    await explore.box.fill('objectName:a');
    await explore.count(150);
    expect(await page.locator('[data-stale]').count()).toBe(0);
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&filter=%22open`);
    await alert.waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
  });

  it('sorts by a column in both directions, by keyboard', async () => {
    const heading = explore.heading('Database');
    await heading.press('Enter');
    await page.waitForURL(/sortBy=databaseName&sortDirection=asc/);
    const ascending = await explore.column(
      'Database',
      (cells) => cells[0] !== 'Sales_2024' && cells.length === 25,
    );
    expect(ascending).toEqual(ascending.toSorted());
    await heading.press('Enter');
    await page.waitForURL(/sortBy=databaseName(?!&sortDirection=asc)/);
    await explore.column('Database', (cells) => cells[0] === 'master');
  });

  it('jumps to a page of the exact total', async () => {
    const field = page.getByLabel('Go to page');
    await field.fill('6');
    await field.press('Enter');
    await page.getByText('126 – 150 of 150').waitFor();
    const times = await explore.column('Time', (cells) => cells.length === 25);
    expect(times.at(-1)).toMatch(/^2025-04-15 08:53:/);
  });

  it('shows the columns that the reader chose, also after a reload', async () => {
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('dialog', { name: 'Columns' }).getByLabel('Host', { exact: true }).check();
    await page.keyboard.press('Escape');
    await explore.events.getByRole('columnheader', { name: 'Host' }).waitFor();
    await page.reload();
    await explore.events.getByRole('columnheader', { name: 'Host' }).waitFor();
  });

  it('moves a column and makes it wider, by dragging and by keyboard, and keeps both for the person', async () => {
    const other = await opened.dashboard.signedIn(key, '/explore?range=all');
    const own = new ExplorePage(other);
    await own.count(150);
    const titles = async () =>
      (await own.events.locator('thead th').allInnerTexts()).map((text) => text.trim());
    const head = (name: string) => own.events.getByRole('columnheader', { name });
    expect((await titles()).slice(0, 3)).toEqual(['Time', 'Action', 'Database']);
    await head('Database').locator('[draggable]').first().dragTo(head('Time').locator('[draggable]').first());
    await until(titles, ([first]) => first === 'Database');
    await other.getByRole('button', { name: 'Columns' }).click();
    await other.getByRole('button', { name: 'Move Database back' }).press('Enter');
    await until(titles, ([first]) => first === 'Time');
    await other.getByRole('button', { name: 'Make Action wider' }).press('Enter');
    await other.getByRole('button', { name: 'Make Action wider' }).press('Enter');
    const widthOf = async () => Math.round((await head('Action').boundingBox())?.width ?? 0);
    await until(widthOf, (width) => width === 240);
    await other.keyboard.press('Escape');
    const edge = await head('Action').locator('[data-edge]').boundingBox();
    if (!edge) throw new Error('the heading has no edge to drag');
    await other.mouse.move(edge.x + edge.width / 2, edge.y + edge.height / 2);
    await other.mouse.down();
    await other.mouse.move(edge.x + edge.width / 2 + 60, edge.y + edge.height / 2, { steps: 3 });
    await other.mouse.up();
    const wide = await until(widthOf, (width) => width > 270);
    // Without the columns in the address, the person's own are shown.
    await other.goto(other.url().replace(/[?].*/, '?range=all'));
    await own.count(150);
    expect((await titles()).slice(0, 3)).toEqual(['Time', 'Database', 'Action']);
    expect(await widthOf()).toBe(wide);
    await other.context().close();
  });

  it('shows 23 rows in a window of 1440 by 900, below a heading that stays', async () => {
    const other = await opened.dashboard.signedIn(key, '/explore?range=all&pageSize=100', {
      viewport: { width: 1440, height: 900 },
    });
    const own = new ExplorePage(other);
    await own.count(150);
    await other.getByRole('region', { name: 'Completeness' }).waitFor();
    const rows = own.events.locator('tbody tr');
    const footer = await other.getByText('1 – 100 of 150').boundingBox();
    const end = footer?.y ?? 0;
    expect(end).toBeGreaterThan(800);
    const boxes = await Promise.all([...Array(30).keys()].map((i) => rows.nth(i).boundingBox()));
    const shown = boxes.filter((box) => box && box.y + box.height <= end);
    expect(shown.length).toBeGreaterThanOrEqual(23);
    await rows.nth(80).scrollIntoViewIfNeeded();
    const head = await own.events.locator('thead').boundingBox();
    const row = await rows.nth(80).boundingBox();
    expect(head?.y).toBeGreaterThan(100);
    expect(row?.y).toBeGreaterThan(head?.y ?? Number.POSITIVE_INFINITY);
    await other.context().close();
  });

  it('leaves room for the other columns beside a long value', async () => {
    await opened.dashboard.fabrikam.audited({
      objectName: 'X'.repeat(400),
      eventTime: '2026-01-06T08:00:00.0000000Z',
    });
    const other = await opened.dashboard.signedIn(
      opened.dashboard.fabrikam.key,
      '/explore?range=all&filter=objectName:XXX*&columns=eventTime,objectName,hostName',
    );
    const table = new ExplorePage(other);
    await table.count(1);
    const { width = 0 } = (await table.events.getByText('XXXX').first().boundingBox()) ?? {};
    expect(width).toBeGreaterThan(100);
    expect(width).toBeLessThan(400);
    await other.context().close();
  });

  it('makes invisible characters of a value visible, and shortens long values, wherever values are counted', async () => {
    await opened.dashboard.fabrikam.audited({
      objectName: '\u202Egnp.exe',
      databaseName: ' ',
      schemaName: 'Y'.repeat(400),
      eventTime: '2026-01-07T08:00:00.0000000Z',
    });
    const range = 'startTime=2026-01-07T07:59:00Z&endTime=2026-01-07T08:01:00Z';
    const other = await opened.dashboard.signedIn(opened.dashboard.fabrikam.key, `/explore?${range}`);
    const view = new ExplorePage(other);
    await view.facet('⟦U+202E⟧gnp.exe').check();
    await other.getByText('Object: ⟦U+202E⟧gnp.exe', { exact: true }).waitFor();
    await view.facet(/^" "/).waitFor();
    await view.events.getByText('" "', { exact: true }).waitFor();
    const group = async (...fields: string[]) => {
      await other.goto(`${opened.dashboard.origin}/dashboard/explore?${range}&groupBy=${fields.join()}`);
      return other.getByRole('region', { name: 'Events by group' }).getByRole('row').last();
    };
    await (await group('objectName', 'databaseName')).getByText('⟦U+202E⟧gnp.exe').waitFor();
    for (const fields of [['schemaName'], ['objectName', 'schemaName']]) {
      const long = (await group(...fields)).getByTitle(/^YYY/);
      const { width = 0 } = (await long.boundingBox()) ?? {};
      expect(width).toBeGreaterThan(100);
      expect(width).toBeLessThan(400);
    }
    await other.context().close();
  });

  it('shows a view although its address has an unusual form of a time', async () => {
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&around=2026-01-01T00:00:00,5Z`);
    await explore.count(150);
  });

  it('shows every field of an event, and its statement formatted and as recorded', async () => {
    await explore.search('salary');
    await explore.count(12);
    const drawer = await explore.open(0);
    const recordId = await explore.field(drawer, 'Record id');
    const { body } = await opened.dashboard.contoso.get(`/audit-activity/${recordId}`);
    expect(await explore.field(drawer, 'Time (UTC)')).toBe(
      body.data.eventTime.replace('T', ' ').replace('Z', ''),
    );
    expect(await explore.field(drawer, 'Database principal')).toBe(body.data.databasePrincipalName);
    const statement = drawer.getByTestId('statement');
    await statement.locator('.hljs-keyword').first().waitFor();
    expect((await statement.innerText()).replace(/\s+/g, '')).toBe(body.data.statement.replace(/\s+/g, ''));
    await drawer.getByText('Original', { exact: true }).click();
    await until(
      () => statement.innerText(),
      (text) => text === body.data.statement,
    );
    await drawer.getByRole('button', { name: 'Copy the original statement' }).click();
    await drawer.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(body.data.statement);
  });

  it('keeps the list in use beside an open event: j and k step, tabs stay, the edge sizes it', async () => {
    const other = await opened.dashboard.signedIn(key, '/explore?range=all');
    const own = new ExplorePage(other);
    await own.count(150);
    const panel = await own.open(0);
    const json = async () => JSON.parse(await panel.getByTestId('json').innerText());
    await panel.getByRole('tab', { name: 'JSON' }).click();
    const first = await json();
    await other.keyboard.press('j');
    const second = await until(json, ({ recordId }) => recordId !== first.recordId);
    await other.keyboard.press('k');
    await until(json, ({ recordId }) => recordId === first.recordId);
    expect(Object.keys(second)).toEqual(expect.arrayContaining(['recordId', 'statement', 'proof']));
    await panel.getByRole('tab', { name: 'Proof' }).click();
    await panel.getByRole('region', { name: 'Proof' }).waitFor();
    const edge = panel.getByRole('separator', { name: 'Width of the panel' });
    const widthOf = async () => Math.round((await panel.boundingBox())?.width ?? 0);
    const before = await widthOf();
    await edge.press('ArrowLeft');
    await until(widthOf, (width) => width === before + 40);
    await other.reload();
    await panel.getByText('Record id').waitFor();
    expect(await widthOf()).toBe(before + 40);
    await own.events.getByRole('row').nth(3).getByRole('link').first().click();
    await until(
      () => other.evaluate<string>('location.search'),
      (search) => !search.includes(first.recordId),
    );
    await panel.getByRole('button', { name: 'Same session' }).click();
    expect(new URL(other.url()).searchParams.get('filter')).toMatch(
      /serverInstanceName:.* AND sessionId:|serverInstanceName:\S+ sessionId:/,
    );
    await other.context().close();
  });

  it('shows markup in a statement as the text it is', async () => {
    const statement = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await opened.dashboard.fabrikam.audited({ statement, eventTime: '2026-01-05T08:00:00.0000000Z' });
    const other = await opened.dashboard.signedIn(
      opened.dashboard.fabrikam.key,
      '/explore?range=all&search=onerror',
    );
    const drawer = await new ExplorePage(other).open(0);
    await drawer.getByText('Original', { exact: true }).click();
    await until(
      () => drawer.getByTestId('statement').innerText(),
      (text) => text === statement,
    );
    expect(await drawer.locator('img, script').count()).toBe(0);
    expect(await other.title()).toBe('Explore · Audit Activity');
    await other.context().close();
  });

  it('leads from an event to the events around it and to those of its principal', async () => {
    const drawer = await explore.open(3);
    const principal = await explore.field(drawer, 'Principal');
    await drawer.getByRole('button', { name: 'Same principal' }).click();
    await until(
      () => explore.column('Principal'),
      (cells) => cells.every((cell) => cell === principal),
    );
    await drawer.waitFor({ state: 'detached' });
    const again = await explore.open(0);
    await again.getByRole('button', { name: /^Around this event: 5 minutes each way on SQL/ }).click();
    await page.waitForURL(/startTime=2025-04-15T08%3A5/);
    const says = page.getByText(/^5 minutes to either side of the event of 2025-04-15 08:5\d:\d\d\.\d{3}$/);
    await says.waitFor();
    await explore.search('actionId:*');
    await says.waitFor({ state: 'detached' });
    await page.goBack();
    await says.waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toMatch(/^serverInstanceName:/);
  });

  it('shows a colleague the same view by its link', async () => {
    await explore.facet(/^master/).click();
    await page.waitForURL(/databaseName%3Amaster/);
    await explore.heading('Principal').press('Enter');
    await page.waitForURL(/sortBy=serverPrincipalName/);
    await page.getByRole('button', { name: 'Copy link to this view' }).click();
    const link = await until(
      () => page.evaluate<string>('navigator.clipboard.readText()'),
      (text) => text.startsWith('http'),
    );
    // The old rows stay until those of this view arrive.
    await explore.column('Database', (cells) => cells.every((cell) => cell === 'master'));
    await explore.column('Principal', (cells) => cells.join() === cells.toSorted().join());
    const mine = await explore.column('Time');

    const colleague = await opened.dashboard.signedIn(
      (await opened.dashboard.world.key({ tenantIds: [opened.dashboard.contoso.tenantId] })).key,
      link.slice(`${opened.dashboard.origin}/dashboard`.length),
    );
    expect(await new ExplorePage(colleague).column('Time')).toEqual(mine);
    await colleague.context().close();
  });

  it('goes back through its views with the back button of the browser', async () => {
    await explore.search('salary');
    await explore.count(12);
    await page.goBack();
    await explore.count(150);
  });

  it('shows times in UTC or in local time', async () => {
    const [utc] = await explore.column('Time');
    expect(utc).toBe('2025-04-15 08:59:46.630');
    await page.getByText('Local', { exact: true }).click();
    await explore.column('Time', ([first]) => first === '2025-04-15 04:59:46.630 −04:00');
  });

  it.each([
    ['America/St_Johns', '2025-04-15 06:29:46.630 −02:30', '2025-04-15T06:29'],
    ['Europe/Berlin', '2025-04-15 10:59:46.630 +02:00', '2025-04-15T10:59'],
    ['Asia/Tehran', '2025-04-15 12:29:46.630 +03:30', '2025-04-15T12:29'],
    ['Australia/Sydney', '2025-04-15 18:59:46.630 +10:00', '2025-04-15T18:59'],
  ])(
    'shows a reader in %s local times, and others the same times by the address',
    async (zone, time, typed) => {
      const there = await opened.dashboard.signedIn(key, '/explore?range=all', {
        timezoneId: zone,
      });
      await there.getByText('Local', { exact: true }).click();
      await new ExplorePage(there).column('Time', ([first]) => first === time);
      await there.waitForURL((url) => url.searchParams.get('zone') === zone);
      const link = there.url();
      await there.context().close();

      await page.goto(link);
      await explore.column('Time', ([first]) => first === time);
      // What is typed is of that zone too, which stays on the way through the pages.
      await page.getByRole('button', { name: 'All time' }).click();
      await page.getByLabel(`From (${zone})`).fill(typed);
      await page.getByLabel(`To (${zone})`).fill(`${typed}:59`);
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.waitForURL((url) => url.searchParams.get('startTime') === '2025-04-15T08:59:00.000Z');
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.waitForURL((url) => url.searchParams.get('zone') === zone);
    },
  );
});
