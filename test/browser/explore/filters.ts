import type { Exploring } from '../support/exploring';

/** Filters: by values, by words, and what the page says of them. */
export function filtersOf(opened: Exploring): void {
  it('filters by one value of a field, then by two, to exactly the counted events, and back', async () => {
    const { page, explore } = opened;
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
    const { page, explore } = opened;
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
    const { page, explore } = opened;
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
    const { page, explore } = opened;
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
    const { page, explore } = opened;
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
    const { page, explore } = opened;
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
    const { page } = opened;
    await page.getByRole('button', { name: 'Fields', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Application', { exact: true }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('group', { name: 'Application' }).getByRole('checkbox').first().waitFor();
  });

  it('names actions in full', async () => {
    const { explore } = opened;
    await explore.facet('SELECT').waitFor();
  });

  it('searches words, and says what to do if no event matches', async () => {
    const { page, explore } = opened;
    await explore.search('salary');
    await explore.count(12);
    await explore.search('nowhere-to-be-found');
    await page.getByText('No event matches').waitFor();
    await page.getByText('No event of any time up to now matches.').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await explore.count(150);
  });

  it('offers values in another letter case, of other times too, and what else a filter may mean', async () => {
    const { page, explore } = opened;
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
    const { page, explore } = opened;
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?filter=databaseName:HumanResources`);
    await page.getByText('The newest event that matches is of 2025-04-15 08:59:').waitFor();
    await page.getByRole('button', { name: 'Show the newest day' }).click();
    await explore.column('Database', (cells) => cells.length > 0);
    expect(await page.getByText('No event matches').count()).toBe(0);
  });

  it('sends no question with a filter that is not understood, and says so', async () => {
    const { page } = opened;
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
    const { page } = opened;
    const filter = `objectName:${'a'.repeat(4_100)}`;
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&filter=${filter}`);
    await page.getByText('expected at most 4096 characters').waitFor();
    await page.getByText('No events were loaded: the filter is not understood').waitFor();
  });

  it('says "Not counted" if the service refuses to answer', async () => {
    const { page } = opened;
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&search=%22open`);
    await page.getByRole('alert').filter({ hasText: 'search has a quotation mark' }).waitFor();
    await page.getByText('Not counted', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
  });

  it('says what is wrong with a filter, and dims the numbers of the filter before', async () => {
    const { page, explore } = opened;
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
}
