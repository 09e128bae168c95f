import type { Locator } from 'playwright-core';
import { violations } from '../support/axe';
import type { Exploring } from '../support/exploring';

/** Groups of events in their shapes. */
export function groupsOf(opened: Exploring): void {
  it('shows the groups within the screen', async () => {
    const { page } = opened;
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
    const { page, explore } = opened;
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
}
