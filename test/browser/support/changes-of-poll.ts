import type { Page } from 'playwright-core';

/** Notes what changes in the document: the row of each change, by its second cell, or else the element. */
const OBSERVE = `{
  const nameOf = (target) => {
    const element = target.nodeType === 1 ? target : target.parentElement;
    return element?.closest('tr')?.innerText.split('\\t')[1]?.trim() ?? element?.outerHTML;
  };
  window.changed = [];
  const begun = new Map();
  // React sets the attributes of a field anew, to what they were: of each, the first value tells.
  const isFirst = ({ target, attributeName }) => {
    const names = begun.get(target) ?? new Set();
    begun.set(target, names);
    return !names.has(attributeName) && names.add(attributeName);
  };
  const isChange = (one) => one.type !== 'attributes' ||
    (isFirst(one) && one.target.getAttribute(one.attributeName) !== one.oldValue);
  window.seen?.disconnect();
  window.seen = new MutationObserver((records) => {
    changed.push(...records.filter(isChange).map(({ target }) => nameOf(target)));
  });
  seen.observe(document.body, { subtree: true, childList: true, characterData: true, attributeOldValue: true });
}`;

/**
 * What the next poll changes in a page whose clock is installed.
 * @param question in the body of the request @param everyMs at most so long after the poll before
 */
export async function changesOfPoll(page: Page, question: RegExp, everyMs: number): Promise<string[]> {
  await page.evaluate(OBSERVE);
  const answered = page.waitForResponse((response) => question.test(response.request().postData() ?? ''));
  await page.clock.fastForward(everyMs);
  await (await answered).finished();
  await page.clock.runFor(100);
  return page.evaluate<string[]>('changed');
}
