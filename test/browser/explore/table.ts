import { until } from '../../support/until';
import { ExplorePage } from '../support/explore-page';
import type { Exploring } from '../support/exploring';

/** The table of events: its order, pages, columns and rows. */
export function tableOf(opened: Exploring): void {
  it('sorts by a column in both directions, by keyboard', async () => {
    const { page, explore } = opened;
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
    const { page, explore } = opened;
    const field = page.getByLabel('Go to page');
    await field.fill('6');
    await field.press('Enter');
    await page.getByText('126 – 150 of 150').waitFor();
    const times = await explore.column('Time', (cells) => cells.length === 25);
    expect(times.at(-1)).toMatch(/^2025-04-15 08:53:/);
  });

  it('shows the columns that the reader chose, also after a reload', async () => {
    const { page, explore } = opened;
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('dialog', { name: 'Columns' }).getByLabel('Host', { exact: true }).check();
    await page.keyboard.press('Escape');
    await explore.events.getByRole('columnheader', { name: 'Host' }).waitFor();
    await page.reload();
    await explore.events.getByRole('columnheader', { name: 'Host' }).waitFor();
  });

  it('moves a column and makes it wider, by dragging and by keyboard, and keeps both for the person', async () => {
    const { key } = opened;
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
    const { key } = opened;
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
}
