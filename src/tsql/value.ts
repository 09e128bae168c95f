/** A value that a statement says itself. What is not known of it stands as `@_` in its text. */
export interface Value {
  readonly text: string;
  readonly isKnown: boolean;
  readonly number: number | null;
  /** The hexadecimal digits of a binary value. */
  readonly hex: string | null;
  /** How the text was made, beside being joined: names of functions, `hex` or `base64`. */
  readonly marks: readonly string[];
  /** The number of letters and digits that CHAR() made. */
  readonly chars: number;
}

const MARKS_MAX = 8;
export const TEXT_MAX = 65_536;
/** How a text was made that took too much work to make, or is too long. Nobody needs so much. */
export const SPENT = 'work';
const NO_MARKS: readonly string[] = [];

const made = (text: string, isKnown: boolean, change: Partial<Value> = {}): Value => ({
  text,
  isKnown,
  number: null,
  hex: null,
  marks: NO_MARKS,
  chars: 0,
  ...change,
});

export const UNKNOWN = made('@_', false);
/** The constant NULL. */
export const NULL = made('@_', false);
export const textValue = (text: string): Value => made(text, true);
export const numberValue = (number: number): Value => made(String(number), true, { number });
export const binaryValue = (hex: string): Value => made(decoded(hex), true, { hex });

export const unknownOf = (values: readonly Value[], ...marks: readonly string[]): Value =>
  made('@_', false, { marks: union([...values.map((one) => one.marks), marks]) });

/** The same value, made by a further function. */
export const marked = (value: Value, ...marks: readonly string[]): Value => ({
  ...value,
  marks: union([value.marks, marks]),
});

/** A text that a function makes of known values. */
export const madeText = (text: string, of: readonly Value[], ...marks: readonly string[]): Value =>
  marked(
    { ...textValue(text.slice(0, TEXT_MAX)), marks: union(of.map((one) => one.marks)) },
    ...marks,
    ...(text.length > TEXT_MAX ? [SPENT] : []),
  );

/** One or several characters by their codes. @param code null: it is not known */
export function charValue(code: number | null): Value {
  if (code === null || !(code >= 0 && code <= 0x10ffff)) return made('@_', false, { chars: 1 });
  const text = String.fromCodePoint(Math.floor(code));
  return made(text, true, { chars: /\w/.test(text) ? 1 : 0 });
}

/** What `+` makes of two values. */
export function joined(a: Value, b: Value): Value {
  if (a.number !== null && b.number !== null) return numberValue(a.number + b.number);
  const marks = union([a.marks, b.marks]);
  const chars = a.chars + b.chars;
  if (a.text.length + b.text.length > TEXT_MAX) return { ...UNKNOWN, marks: union([marks, [SPENT]]), chars };
  if (a.hex !== null && b.hex !== null) return { ...binaryValue(a.hex + b.hex), marks, chars };
  const isHex = a.hex !== null || b.hex !== null;
  const all = isHex ? union([marks, ['hex']]) : marks;
  return made(a.text + b.text, a.isKnown && b.isKnown, { marks: all, chars });
}

/** How a text that is executed was made: nothing when it is written as it is. */
export function marksOf({ marks, chars, hex }: Value): readonly string[] {
  const others = [
    ...(chars >= CHARS_MIN ? ['char'] : []),
    ...(hex !== null && hex.length >= 8 ? ['hex'] : []),
  ];
  return others.length > 0 ? union([marks, others]) : marks;
}
/** One letter may be that of a column or a drive. */
const CHARS_MIN = 2;

function union(lists: readonly (readonly string[])[]): readonly string[] {
  const [only, ...others] = lists.filter(({ length }) => length > 0);
  if (!only) return NO_MARKS;
  return others.length === 0 ? only : [...new Set([...only, ...others.flat()])].slice(0, MARKS_MAX);
}

/** The text that a binary value means: two bytes a character if every second one is 0. */
function decoded(hex: string): string {
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  const isWide =
    bytes.length >= 2 && bytes.length % 2 === 0 && bytes.every((byte, i) => i % 2 === 0 || byte === 0);
  return bytes.toString(isWide ? 'utf16le' : 'latin1').slice(0, TEXT_MAX);
}
