import { signIn, useDashboard } from './support/dashboard';
import { ExplorePage } from './support/explore-page';

describe('two tenants in two browsers', () => {
  const opened = useDashboard();

  it("never see each other's events", async () => {
    const { contoso, fabrikam } = opened.dashboard;
    const [a, b] = await Promise.all(
      [contoso, fabrikam].map(({ key }) => opened.dashboard.signedIn(key, '/explore?range=all')),
    );
    if (!a || !b) throw new Error('two pages were asked for');
    await Promise.all([new ExplorePage(a).count(150), new ExplorePage(b).count(80)]);
    for (const page of [a, b])
      await page.getByRole('region', { name: 'Counts by field' }).getByText('Action').waitFor();
    const [seenByA, seenByB] = await Promise.all([a.innerText('main'), b.innerText('main')]);
    expect([seenByA.includes('SQLPROD01'), seenByA.includes('SQLDEV')]).toEqual([true, false]);
    expect([seenByB.includes('SQLPROD01'), seenByB.includes('SQLDEV')]).toEqual([false, true]);
  });

  it("cannot open each other's events by a link", async () => {
    const { contoso, fabrikam } = opened.dashboard;
    const { body } = await contoso.get('/audit-activity', { pageSize: 1 });
    const page = await opened.dashboard.signedIn(fabrikam.key, `/explore?event=${body.data[0].recordId}`);
    await page.getByText('There is no such event among those this sign-in may read').waitFor();
  });

  it('do not see what another tenant saw before in the same browser', async () => {
    const { contoso, fabrikam } = opened.dashboard;
    const page = await opened.dashboard.visit('/explore?range=all');
    await signIn(page, contoso.key);
    await new ExplorePage(page).count(150);
    await page.getByRole('button', { name: 'test' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signIn(page, fabrikam.key);
    expect(await page.getByText('150 events').count()).toBe(0);
    await new ExplorePage(page).count(80);
  });
});
