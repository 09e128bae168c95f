import { visible } from '../../event/visible-text';

/** A text that is markup already. */
export class Markup {
  constructor(readonly text: string) {}
}

type Value = string | number | Markup | readonly Markup[] | null;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Hidden characters, except those that a page shows as white space. */
const HIDDEN = /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Texts that are markup as they are: letters, digits and most signs of ASCII. */
const PLAIN = /^[ !#-%'-;=?-~]*$/;

/** A text as markup. Characters that nobody sees are written as `⟦U+XXXX⟧`. */
const escaped = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(HIDDEN, visible).replace(/[&<>"]/g, (c) => ENTITIES[c] ?? c);

/** Markup with values in it. Each value is escaped, unless it is markup. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(strings.reduce((text, part, i) => text + textOf(values[i - 1] ?? null) + part));
}

function textOf(value: Value): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escaped(String(value));
}
