/** Characters that end a line, change the direction of text or are invisible. */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The text on one line, as a person reads it: each hidden character is shown as a code, such as `⟦U+202E⟧`. So a name
 * with line breaks cannot pass for lines of the service.
 */
export const onOneLine = (text: string): string => text.replace(HIDDEN, visible);

/** The code by which a hidden character is shown. */
export const visible = (character: string): string =>
  `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`;

/** The same value in JSON on one line, with hidden characters as `\u202e`. @param json without white space between */
export const jsonOnOneLine = (json: string): string =>
  json.replace(HIDDEN, (character) => character.split('').map(escaped).join(''));

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
