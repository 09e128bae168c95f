import type { Page } from 'playwright-core';

/** Presses Tab until an element of this name has the focus. */
export async function tabTo(page: Page, name: RegExp, tabsMax = 150): Promise<void> {
  for (let i = 0; i < tabsMax; i++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(`(() => {
      const { activeElement: element } = document;
      // Between the last element and the first one, the whole page has the focus.
      if (element === document.body) return '';
      const label = element?.labels?.[0]?.textContent ?? '';
      return element?.getAttribute('aria-label') ?? (label || (element?.textContent ?? ''));
    })()`);
    if (name.test(focused.trim())) return;
  }
  throw new Error(`the focus never came to ${name}`);
}
