const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** JSON's writer never produces a longer number. */
const CHARS_MAX = 40;

/**
 * Whether reading and writing a number through a double, as JSON does, changes its value. That is so for `1e400` and
 * for most integers of 20 digits. `1.50` becomes `1.5`, which has the same value.
 */
export function isAltered(text: string): boolean {
  if (!NUMBER.test(text)) return false; // not a number: `JSON.parse` reports it
  const value = Number(text);
  if (text.length > CHARS_MAX || !Number.isFinite(value)) return true;
  return decimalOf(text) !== decimalOf(JSON.stringify(value));
}

/** A number of JSON as evidence: its text if the number would change, else the number. */
export const numberOrText = (text: string): number | string => (isAltered(text) ? text : Number(text));

/** Sign, digits and exponent in a normal form. */
function decimalOf(text: string): string | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return `${sign}0`;
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
