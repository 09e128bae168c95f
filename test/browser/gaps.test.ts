import type { Page } from 'playwright-core';
import { aGap, aReport, REPORT } from '../support/audit-sources';
import { screenshot, useDashboard } from './support/dashboard';
import { ExplorePage } from './support/explore-page';

/** The chart shows the hour from 08:00, and has bars from 08:53 on. */
const GAPS = [
  ['SQLPROD01', '08:55', '08:57'],
  ['SQLOTHER', '08:06', '08:18'],
] as const;
const at = (clock: string) => `2025-04-15T${clock}:00.0000000Z`;

/** The share of pixels in the colour that most pixels have, in the lowest part of the bars of some minutes. */
const plainShare = (page: Page, [from, to]: readonly [number, number]) =>
  page.evaluate<number>(`(() => {
    const canvas = document.querySelector('[data-testid="histogram"] canvas');
    const bars = canvas.parentElement.querySelector('.u-over').getBoundingClientRect();
    const box = canvas.getBoundingClientRect();
    const left = Math.round(bars.left - box.left + (bars.width * ${from}) / 60);
    const wide = Math.round((bars.width * ${to - from}) / 60);
    const bottom = Math.round(bars.bottom - box.top);
    const { data } = canvas.getContext('2d').getImageData(left, bottom - 20, wide, 15);
    const colours = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const colour = data.slice(i, i + 3).join();
      colours.set(colour, (colours.get(colour) ?? 0) + 1);
    }
    return Math.max(...colours.values()) / (data.length / 4);
  })()`);

describe('gaps in the histogram', () => {
  const opened = useDashboard();

  it('are drawn over the bars and in a lane below, for the sources that the filter concerns', async () => {
    const { world, contoso } = opened.dashboard;
    const caughtUpAt = new Date().toISOString().replace('Z', '0000Z');
    for (const [hostName, after, before] of GAPS) {
      const gaps = [{ ...aGap(), afterTime: at(after), beforeTime: at(before) }];
      const report = aReport({ tenantId: contoso.tenantId, hostName, caughtUpAt, gaps });
      await world.graphql(contoso.agentKey, REPORT, { report });
    }
    const page = await opened.dashboard.signedIn(contoso.key, '/explore?range=all');
    const explore = new ExplorePage(page);
    await explore.count(150);
    const lane = page.getByTestId('gaps').locator('> div');
    await lane.nth(1).waitFor();
    const bars = await page.getByTestId('histogram').locator('.u-over').boundingBox();
    if (!bars) throw new Error('the histogram has no place');
    for (const [i, minutes] of [[6, 18] as const, [55, 57] as const].entries()) {
      const box = await lane.nth(i).boundingBox();
      const [from, to] = minutes.map((minute) => bars.x + (bars.width * minute) / 60);
      expect(Math.abs((box?.x ?? 0) - (from ?? 0))).toBeLessThan(3);
      expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) - (to ?? 0))).toBeLessThan(3);
      expect(box?.y).toBeGreaterThan(bars.y + bars.height);
    }
    await screenshot(page, 'explore-gaps');
    expect(await plainShare(page, [57.1, 57.8])).toBeGreaterThan(0.9);
    expect(await plainShare(page, [55.1, 55.8])).toBeLessThan(0.8);

    const filter = encodeURIComponent(String.raw`serverInstanceName:"SQLPROD01\\PAYROLL"`);
    await page.goto(`${opened.dashboard.origin}/dashboard/explore?range=all&filter=${filter}`);
    const note = page.getByRole('region', { name: 'Completeness' });
    await note.getByText('2 sources of other hosts left out, as the filter says.').waitFor();
    await note.getByText(/SQLPROD01 \(Payroll\).*1 gap/).waitFor();
    expect(await note.getByText('SQLOTHER').count()).toBe(0);
    expect(await lane.count()).toBe(1);
    await page.context().close();
  });
});
