import { until } from '../../support/until';
import { ExplorePage } from '../support/explore-page';
import type { Exploring } from '../support/exploring';

/** Time ranges, the histogram, time zones, and the address of a view. */
export function timesOf(opened: Exploring): void {
  it('leads from a time range without events to the newest events', async () => {
    const { page, explore } = opened;
    await page.goto(`${opened.dashboard.origin}/dashboard/explore`);
    await page.getByText('No events in this time range').waitFor();
    await page.getByText('The newest event is of 2025-04-15 08:59:46.').waitFor();
    await page.getByRole('button', { name: 'Show the newest day' }).click();
    await explore.count(150);
  });

  it('zooms to the stretch of the histogram that the mouse drags over', async () => {
    const { page, explore } = opened;
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
    const { page, explore } = opened;
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

  it('shows a view although its address has an unusual form of a time', async () => {
    const { page, explore } = opened;
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&around=2026-01-01T00:00:00,5Z`);
    await explore.count(150);
  });

  it('shows a colleague the same view by its link', async () => {
    const { page, explore } = opened;
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
    const { page, explore } = opened;
    await explore.search('salary');
    await explore.count(12);
    await page.goBack();
    await explore.count(150);
  });

  it('shows times in UTC or in local time', async () => {
    const { page, explore } = opened;
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
      const { page, explore, key } = opened;
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
}
