const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** No text that JSON writes for a number is longer. */
const CHARS_MAX = 40;
/** So many digits always come back as they were. */
export const SAFE_CHARS = 15;

/**
 * Whether JSON's way of reading and writing numbers, through a double, makes another of this one: of `1e400` and most
 * integers of 20 digits it does; `1.50` becomes `1.5`, which is the same.
 */
export function isAltered(text: string): boolean {
  if (!NUMBER.test(text)) return false; // no number: for `JSON.parse` to find
  const value = Number(text);
  if (text.length > CHARS_MAX || !Number.isFinite(value)) return true;
  return decimalOf(text) !== decimalOf(JSON.stringify(value));
}

/** A number of JSON that is evidence: its text where the number would become another one. */
export const numberOrText = (text: string): number | string => (isAltered(text) ? text : Number(text));

/** Sign, digits and exponent, each in one way. */
function decimalOf(text: string): string | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return `${sign}0`;
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
