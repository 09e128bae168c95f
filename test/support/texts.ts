import fc from 'fast-check';

/** Small alphabets, so that values collide, filters find events and sorts have ties. */
export const NAMES = ['A', 'a', 'Ab', 'é', 'ß', 'İ', 'i\u0307', 'ſ', '\uFF21', '\u{1F600}'];
export const ACTIONS = ['SL', 'sl', 'UP'];
/** With words, of words only, and without words: the search index finds these in different ways. */
export const INSTANCES = ['A', 'a', 'SQL1', 'SQL1\\PAY', 'Straße', 'i\u0307A', '\\', '\uFEFFA'];
export const WORDS = [
  ...['select', 'Pay', 'PAYROLL', 'Straße', 'STRASSE', 'οδος', 'ΟΔΟΣ', 'x1', '名前'],
  ...['İstanbul', 'i\u0307stanbul', 'ſtraße', 'Cafe\u0301'],
];
/** Of the two marks, one belongs to words, because a letter is folded to it. */
export const SEPARATORS = [' ', ' ', ' ', ' ', '.', '_', "'", '%', '\\', '\u0301', '\u0302'];
/** Characters that no URL can carry. Some texts of events have them. */
export const UNSPEAKABLE = ['\uD83D', '\uDE00', '\0'];

export const oneOf = (values: readonly string[]) => fc.constantFrom(...values);
export const phraseOf = (separator: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(oneOf(WORDS), separator), { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.flat().join(''));
export const speakable = phraseOf(oneOf(SEPARATORS));
