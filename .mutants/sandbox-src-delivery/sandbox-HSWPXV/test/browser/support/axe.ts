import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The violations of WCAG 2.2 AA that axe finds, as sentences. */
export async function violations(page: Page): Promise<string[]> {
  // During a transition, a colour is a mixture of two.
  await page.waitForFunction("document.getAnimations().every(({ playState }) => playState !== 'running')");
  await page.evaluate(AXE);
  const { violations: found } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`,
  );
  return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

export const isWiderThanScreen = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
