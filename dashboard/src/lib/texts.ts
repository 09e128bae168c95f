/** The English texts of a page: plain ones, and functions that put values into sentences. A second language is a file. */
export type Catalogue = Readonly<Record<string, string | ((...values: never[]) => string)>>;

/** The texts of a catalogue in another language. */
export type In<C extends Catalogue> = {
  readonly [K in keyof C]: C[K] extends string ? string : C[K];
};

/** The translation of each catalogue that has one. */
export type Translations = ReadonlyMap<Catalogue, Catalogue>;

/** The languages of the page, by their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

export const isLanguage = (text: unknown): text is Language =>
  typeof text === 'string' && Object.hasOwn(LANGUAGES, text);

/** A catalogue with its translation. */
export const translated = <C extends Catalogue>(english: C, other: In<C>): [Catalogue, Catalogue] => [
  english,
  other,
];
