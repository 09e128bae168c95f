import { formatDigits } from '../lib/numbers';
import type { In } from '../lib/texts';
import type { OVERVIEW } from './texts';

type Texts = In<typeof OVERVIEW>;

/**
 * How a number of the week stands to that of the week before, such as `12 the week before`.
 * @param before decimal digits; null: nothing was recorded then
 */
export function beforeText(before: string | number | null | undefined, t: Texts): string {
  return before === null || before === undefined ? t.nothingBefore : t.before(formatDigits(String(before)));
}

/** `+40 %`, `−3 %`, `×12`; null: there is nothing to compare with. */
export function changeText(
  now: string | number,
  before: string | number | null | undefined,
  t: Texts,
): string | null {
  if (before === null || before === undefined) return null;
  const [a, b] = [Number(now), Number(before)];
  if (a === b) return '±0 %';
  if (b === 0) return t.isNew;
  if (a / b >= 10) return `×${Math.round(a / b)}`;
  const percent = Math.round(Math.abs((a - b) / b) * 100);
  return `${a > b ? '+' : '−'}${percent === 0 ? '<1' : percent} %`;
}
