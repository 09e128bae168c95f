import {
  binaryValue,
  charValue,
  joined,
  madeText,
  marked,
  NULL,
  numberValue,
  TEXT_MAX,
  textValue,
  UNKNOWN,
  unknownOf,
  type Value,
} from './value';

const JSON_CHARS_MAX = 8_192;
const JSON_STEP = /\.(?:"([^"]*)"|([\w$]+))|\[(\d+)\]/g;

/** The value at a path such as `$.a[0]`; the whole text where there is none. */
function jsonValue(text: string, path = '$'): string {
  let value: unknown;
  try {
    value = JSON.parse(text.slice(0, JSON_CHARS_MAX));
  } catch {
    return text;
  }
  for (const [, quoted, name, place] of path.matchAll(JSON_STEP)) {
    const key = quoted ?? name ?? place ?? '';
    const at: object = typeof value === 'object' && value !== null ? value : {};
    value = Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : text;
}

/** As often as a text of so many characters may be repeated: no text is longer than the server lets it be. */
const timesOf = (count: string, chars: number): number =>
  Math.max(0, Math.min(Math.trunc(Number(count)) || 0, Math.floor(REPEATED_MAX / Math.max(1, chars))));
const REPEATED_MAX = 8_000;

/** REPLACE, as far as a value keeps its text. The server refuses to look for a longer text. */
function replaced(text: string, from = '', to = ''): string {
  if (from === '' || from.length > REPEATED_MAX) return text;
  const parts: string[] = [];
  let [chars, behind] = [0, 0];
  for (let at = text.indexOf(from); at >= 0 && chars < TEXT_MAX; at = text.indexOf(from, behind)) {
    parts.push(text.slice(behind, at), to);
    chars += at - behind + to.length;
    behind = at + from.length;
  }
  return parts.join('') + text.slice(behind);
}

/** TRIM of some characters, on the sides that are named. */
export function trimmed(
  text: string,
  chars: string,
  { atStart, atEnd }: { readonly atStart: boolean; readonly atEnd: boolean },
): string {
  const ends = new Set(chars.split(''));
  let [from, end] = [0, text.length];
  while (atStart && from < end && ends.has(text[from] as string)) from += 1;
  while (atEnd && end > from && ends.has(text[end - 1] as string)) end -= 1;
  return text.slice(from, end);
}

type Made = (text: string, ...more: readonly string[]) => string;
/** Functions that change a text that is known. Nobody needs them for a text that he may write as it is. */
const CHANGES: Readonly<Record<string, Made>> = {
  reverse: (text) => [...text].reverse().join(''),
  replace: replaced,
  translate: (text, from = '', to = '') => {
    const places = new Map([...from].map((char, i) => [char, i] as const).reverse());
    return [...text]
      .map((char) => (places.has(char) ? (to[places.get(char) as number] ?? '') : char))
      .join('');
  },
  stuff: (text, start = '1', length = '0', to = '') =>
    text.slice(0, Number(start) - 1) + to + text.slice(Number(start) - 1 + Number(length)),
  substring: (text, start = '1', length = '0') =>
    text.slice(Math.max(0, Number(start) - 1), Math.max(0, Number(start) - 1 + Number(length))),
  left: (text, length = '0') => text.slice(0, Number(length)),
  right: (text, length = '0') => (Number(length) > 0 ? text.slice(-Number(length)) : ''),
  unistr: (text) =>
    text.replace(CODES, (_, long?: string, short?: string) => {
      const code = Number.parseInt(long ?? short ?? '5c', 16);
      return String.fromCodePoint(Math.min(code, CODE_MAX));
    }),
};
const CODES = /\\(?:\+([0-9a-f]{6})|([0-9a-f]{4})|\\)/gi;
const CODE_MAX = 0x10ffff;
const PLAIN_CHANGES: Readonly<Record<string, Made>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  lcase: (text) => text.toLowerCase(),
  ucase: (text) => text.toUpperCase(),
  ltrim: (text, chars = ' ') => trimmed(text, chars, { atStart: true, atEnd: false }),
  rtrim: (text, chars = ' ') => trimmed(text, chars, { atStart: false, atEnd: true }),
  quotename: (text) => `[${text.replaceAll(']', ']]')}]`,
  formatmessage: (text, ...more) => {
    let next = 0;
    return text.replace(/%[sdi]/g, () => more[next++] ?? '');
  },
  parsename: (text, part = '1') => text.split('.').at(-Number(part)) ?? '',
  choose: (at, ...more) => more[Number(at) - 1] ?? '',
  json_value: jsonValue,
  string_escape: (text) => text,
  space: (count) => ' '.repeat(timesOf(count, 1)),
  replicate: (text, count = '0') => text.repeat(timesOf(count, text.length)),
};
/** Functions that make a number of a text. */
const NUMBERS: Readonly<Record<string, (text: string) => number>> = {
  len: (text) => text.trimEnd().length,
  datalength: (text) => text.length,
  ascii: (text) => text.charCodeAt(0) || 0,
  unicode: (text) => text.codePointAt(0) ?? 0,
};
/** Functions that read a text from something else. */
const DECODERS = ['decompress', 'base64_decode', 'decryptbypassphrase', 'decryptbykey'];
/** Functions that change texts by patterns, which are not followed here. */
const BY_PATTERN = ['regexp_replace', 'regexp_substr'];

/** What a function makes of values. @param call its name in lower case */
export function applied(call: string, values: readonly Value[]): Value {
  const [first = UNKNOWN] = values;
  if (call === 'char' || call === 'nchar') return charValue(first.number ?? codeOf(first));
  if (call === 'concat') return concat(values);
  if (call === 'concat_ws')
    return concat(values.slice(1).flatMap((one, i) => (i === 0 ? [one] : [first, one])));
  if (call === 'nullif' && values.every((one) => one.isKnown)) return nullIf(values);
  if (Object.hasOwn(NUMBERS, call) && first.isKnown)
    return marked(numberValue(NUMBERS[call]?.(first.text) ?? 0), ...first.marks);
  if (call === 'isnull' || call === 'coalesce') return values.find((one) => one !== NULL) ?? UNKNOWN;
  if (call === 'base64_decode' && first.isKnown)
    return marked(binaryValue(Buffer.from(first.text, 'base64').toString('hex')), ...first.marks, call);
  if (DECODERS.includes(call)) return unknownOf(values, call);
  if (BY_PATTERN.includes(call)) return unknownOf(values, ...(first.isKnown ? [call] : []));
  const isKnown = values.length > 0 && values.every((one) => one.isKnown);
  const [text = '', ...more] = values.map((one) => one.text);
  const change = Object.hasOwn(CHANGES, call) ? CHANGES[call] : undefined;
  if (change)
    return isKnown ? madeText(change(text, ...more), values, call) : unknownOf(values, ...hiding(call));
  const plain = Object.hasOwn(PLAIN_CHANGES, call) ? PLAIN_CHANGES[call] : undefined;
  if (plain && isKnown) return madeText(plain(text, ...more), values);
  // Each row adds the text.
  if (call === 'string_agg') return { ...unknownOf(values), text: first.text, chars: first.chars * 2 };
  return values.length === 1
    ? { ...marked(UNKNOWN), marks: first.marks, chars: first.chars }
    : unknownOf(values);
}

/** Templates are filled by REPLACE, and lists lose their first comma by STUFF. A text is turned round to hide it. */
const hiding = (call: string) => (call === 'reverse' ? [call] : []);

/** Texts are compared without letter case. */
function nullIf([one = UNKNOWN, other = UNKNOWN]: readonly Value[]): Value {
  const [a, b] = [one, other].map(({ text }) => text.trimEnd().toLowerCase());
  return a === b ? NULL : one;
}

const concat = (values: readonly Value[]): Value =>
  values.reduce((all, one) => joined(asText(all), asText(one)), textValue(''));

const codeOf = ({ hex }: Value): number | null =>
  hex !== null && hex.length > 0 && hex.length <= 8 ? Number.parseInt(hex, 16) : null;

const asText = (value: Value): Value => (value.number === null ? value : { ...value, number: null });
