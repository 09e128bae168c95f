const whole = new Intl.NumberFormat('en');

/** `1,234,567` */
export const formatCount = (n: number): string => whole.format(n);

/** `formatCount` of a whole number of any length, given as decimal digits. */
export const formatDigits = (digits: string): string => whole.format(BigInt(digits));

/** `1 event`, `2 events` */
export const counted = (n: number, one: string): string => `${formatCount(n)} ${one}${n === 1 ? '' : 's'}`;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Bytes in powers of 1000, as `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}
