/**
 * Characters that turn the direction of text, or are not seen at all: text with them may read as something else. Tabs
 * and line ends are as they seem.
 */
const HIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cf}]/gu;

export const hasHidden = (text: string): boolean => text.search(HIDDEN) >= 0;

/** The text with each such character as its code, `⟦U+202E⟧`, to be seen and without effect. */
export const showHidden = (text: string): string =>
  text.replace(HIDDEN, (character) => `⟦${codeOf(character)}⟧`);

/** A value as a list of values shows it: one with spaces at an end is told apart by quotation marks. */
export const showValue = (value: string): string =>
  value.trim() === value ? showHidden(value) : `"${showHidden(value)}"`;

const codeOf = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
