import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { until } from '../../support/until';

/** A form or an action of a view. */
export interface Form {
  /** What is clicked until the form is there, or the action done. */
  readonly click: readonly string[];
  /** Null: the last click is the action. Without it, the form of a dialog. */
  readonly form?: string | null;
  /** Labels of what is chosen. Of other choices the last is taken. */
  readonly choose?: readonly string[];
  /** What is typed, by the beginning of a label. Other fields get their label. */
  readonly type?: Readonly<Record<string, string>>;
}

const OF_DIALOG = '[role=dialog] form';
const LATE_MS = 60_000;

const LABEL_OF = `(one) => (one.getAttribute('aria-label') ?? [...(one.labels ?? [])].map((each) => each.innerText).join(' ')).replaceAll(/\\s+/g, ' ').trim()`;

/** Fills in what is not filled in yet. The program runs in the page, and resolves with the number of fields. */
const fillingIn = ({ form = OF_DIALOG, choose = [], type = {} }: Form) => `(async () => {
  const { where, choose, type } = ${JSON.stringify({ where: form, choose, type })};
  const filled = (globalThis.filled ??= new WeakSet());
  const form = [...document.querySelectorAll(where)].at(-1);
  const labelOf = ${LABEL_OF};
  const set = (one, value) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(one), 'value').set.call(one, value);
    one.dispatchEvent(new Event(one.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
  };
  // The page draws after each change.
  const drawn = () => new Promise((done) => setTimeout(done));
  const isChosen = (one) => choose.includes(labelOf(one));
  let count = 0;
  for (const one of form.querySelectorAll('input, textarea, select')) {
    if (filled.has(one) || !one.isConnected || ['hidden', 'file'].includes(one.type)) continue;
    filled.add(one);
    count++;
    const label = labelOf(one);
    if (one.type === 'radio') {
      const all = [...form.querySelectorAll('input[type=radio]')].filter(({ name }) => name === one.name);
      const chosen = all.find(isChosen) ?? all.at(-1);
      if (one === chosen) one.click();
    } else if (one.type === 'checkbox') {
      // Of a group, the last one: the others stay as they were.
      const group = [...(one.closest('[role=group]')?.querySelectorAll('input[type=checkbox]') ?? [one])];
      if (one === group.at(-1)) one.click();
    }
    else if (one.tagName === 'SELECT') {
      const options = [...one.options];
      const option = options.find(({ text }) => choose.includes(text)) ?? options.at(-1);
      if (option) set(one, option.value);
    } else if (one.getAttribute('aria-haspopup') === 'listbox') {
      one.focus();
      one.click();
      const shown = () => [...document.querySelectorAll('[role=option]')].find((each) => each.checkVisibility());
      for (let i = 0; i < 500 && !shown(); i++) await drawn();
      shown()?.click();
      one.blur();
    } else if (one.type === 'datetime-local') set(one, '2026-01-12T09:' + (30 + count) + (one.step === '1' ? ':15' : ''));
    else if (one.pattern || ['numeric', 'decimal'].includes(one.inputMode)) set(one, String(2 + count));
    else {
      const [, text] = Object.entries(type).find(([begin]) => label.startsWith(begin)) ?? [];
      set(one, text ?? 'typed ' + label);
    }
    await drawn();
  }
  return count;
})()`;

/** What a form has: each field with its value, and the choices of a list. */
const fieldsOf = (where: string) => `(() => {
  const labelOf = ${LABEL_OF};
  return [...[...document.querySelectorAll('${where}')].at(-1).querySelectorAll('input, textarea, select')].filter(({ type }) => !['hidden', 'file'].includes(type)).map((one) => {
    if (['radio', 'checkbox'].includes(one.type)) return (one.checked ? '[x] ' : '[ ] ') + labelOf(one);
    if (one.tagName !== 'SELECT') return labelOf(one) + ': ' + one.value;
    return labelOf(one) + ': ' + one.selectedOptions[0]?.text + ' of ' + [...one.options].map(({ text }) => text).join(' | ');
  });
})()`;

/**
 * Opens a form, fills it in and sends it.
 * @param sent what the service has been told since the form was opened
 * @param wanted what it should begin with, for which it is waited: its lists may come later than the form
 * @returns what the form began with, was filled in with and sent; what did not come about is told in its place
 */
export async function sendForm(
  page: Page,
  form: Form,
  sent: () => readonly string[],
  wanted?: readonly string[],
): Promise<object> {
  const of = form.click.join(', ');
  const where = form.form ?? OF_DIALOG;
  const forms = page.locator(where);
  const count = () => forms.count();
  const before = await count();
  try {
    for (const step of form.click) await page.locator(step).first().click({ timeout: LATE_MS });
    if (form.form === undefined) await until(count, (now) => now > before, LATE_MS);
    else if (form.form !== null) await forms.last().waitFor({ timeout: LATE_MS });
  } catch {
    return { of, failed: 'it did not open' };
  }
  const ended = async () => {
    await until(sent, (all) => all.length > 0, LATE_MS).catch(() => {});
    return [...sent()];
  };
  if (form.form === null) return { of, sent: await ended() };
  const read = () => page.evaluate<string[]>(fieldsOf(where));
  if (wanted) await until(read, (now) => isDeepStrictEqual(now, wanted), LATE_MS).catch(() => {});
  else await page.waitForLoadState('networkidle');
  const begins = await read();
  await until(
    () => page.evaluate<number>(fillingIn(form)),
    (count) => count === 0,
  );
  const filled = await read();
  await page.evaluate(`[...document.querySelectorAll('${where}')].at(-1).requestSubmit()`);
  const told = { of, begins, filled, sent: await ended() };
  if (form.form !== undefined) return told;
  const isClosed = await until(count, (now) => now <= before, LATE_MS).then(
    () => true,
    () => false,
  );
  return isClosed ? told : { ...told, failed: `it stays: ${await forms.last().innerText()}` };
}
