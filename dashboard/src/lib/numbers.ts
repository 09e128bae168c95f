import type { Language } from './texts';

/** Made when it is first wanted: each takes the browser milliseconds, and no page needs all of them. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const writtenIn = (language: Language) => ({
  whole: once(() => new Intl.NumberFormat(language)),
  tenths: once(
    () =>
      new Intl.NumberFormat(language, {
        minimumFractionDigits: 1,
        maximumFractionDigits: 1,
        useGrouping: false,
      }),
  ),
  plurals: once(() => new Intl.PluralRules(language)),
});
let written = writtenIn('en');

/** Numbers and plurals are from now on as this language has them. */
export function writeNumbersIn(language: Language): void {
  written = writtenIn(language);
}

/** `1,234,567` */
export const formatCount = (n: number): string => written.whole().format(n);

/** `formatCount` of a whole number of any length, given as decimal digits. */
export const formatDigits = (digits: string): string => written.whole().format(BigInt(digits));

/** `12.3` */
export const formatTenths = (n: number): string => written.tenths().format(n);

/** `1 event`, `2 events`. @param many the plural; English ones mostly end with s */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${formatCount(n)} ${written.plurals().select(n) === 'one' ? one : many}`;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Bytes in powers of 1000, as `12.3 MB`. */
export function formatBytes(bytes: number): string {
  let shown = bytes;
  let unit = 0;
  // What would be shown as 1000.0 of a unit is 1.0 of the next one.
  for (; shown >= 999.95 && unit < UNITS.length - 1; unit += 1) shown /= 1000;
  return `${unit === 0 ? formatCount(Math.round(shown)) : formatTenths(shown)} ${UNITS[unit]}`;
}
