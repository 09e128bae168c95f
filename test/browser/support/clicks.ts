import type { Page } from 'playwright-core';

/** Counts in the browser, across the pages of one tab: each press of the mouse, and each choice in a list of the system. */
const COUNT = `{
  const more = () => sessionStorage.setItem('clicks', Number(sessionStorage.getItem('clicks')) + 1);
  addEventListener('pointerdown', more, true);
  addEventListener('change', ({ target }) => { if (target.localName === 'select') more(); }, true);
}`;

/** Counts the clicks of a task from now on. The answer tells how many they were. Keys cost none. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(COUNT);
  await page.evaluate(`sessionStorage.removeItem('clicks'); ${COUNT}`);
  return () => page.evaluate<number>("Number(sessionStorage.getItem('clicks'))");
}
