import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { until } from '../../support/until';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * The violations of WCAG 2.2 AA that axe finds, as sentences.
 * @param contrast `more`: every text needs 7:1, as by WCAG 2.2 AAA, in place of 4.5:1
 */
export async function violations(page: Page, contrast: 'more' | 'usual' = 'usual'): Promise<string[]> {
  // Numbers of the question before are dimmed until the answer is there.
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.evaluate(AXE);
  return found(page, {
    runOnly: RULES,
    rules: contrast === 'more' ? { 'color-contrast-enhanced': { enabled: true } } : {},
  });
}

/** The same, and what the colours of the other themes violate, of a page that follows the system. */
export async function violationsInThemes(page: Page): Promise<string[]> {
  const all = await violations(page);
  for (const [colorScheme, contrast, rule] of [
    ['dark', 'no-preference', 'color-contrast'],
    ['light', 'more', 'color-contrast-enhanced'],
  ] as const) {
    await page.emulateMedia({ colorScheme, contrast });
    const theme = `[data-contrast="${contrast === 'more' ? 'more' : 'usual'}"][data-mantine-color-scheme="${colorScheme}"]`;
    await page.locator(`html${theme}`).waitFor({ state: 'attached' });
    const those = await found(page, { runOnly: [rule], rules: { [rule]: { enabled: true } } });
    all.push(...those.map((one) => `${colorScheme} ${contrast}: ${one}`));
  }
  await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference' });
  return all;
}

async function found(page: Page, options: object): Promise<string[]> {
  // During a transition, a colour is a mixture of two: a hint that opens while axe looks is looked at again.
  const { found: all } = await until(
    () =>
      page.evaluate<{ isStill: boolean; found: Violation[] }>(`(async () => {
        const isMoving = () => document.getAnimations().some(({ playState }) => playState === 'running');
        if (isMoving()) return { isStill: false, found: [] };
        let isStill = true;
        const move = () => { isStill = false; };
        document.addEventListener('transitionrun', move);
        const { violations } = await axe.run(document, ${JSON.stringify(options)});
        document.removeEventListener('transitionrun', move);
        return { isStill: isStill && !isMoving(), found: violations };
      })()`),
    ({ isStill }) => isStill,
  );
  return all.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

export const isWiderThanScreen = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
