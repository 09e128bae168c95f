import { visible } from '../../../../src/event/visible-text';

/**
 * Characters that change the direction of text or are invisible, so that a text may look like another one. Tabs and line
 * ends are not among them.
 */
const HIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cf}]/gu;

export const hasHidden = (text: string): boolean => text.search(HIDDEN) >= 0;

/** The text with each such character replaced by its visible code, such as `⟦U+202E⟧`. */
export const showHidden = (text: string): string => text.replace(HIDDEN, visible);

/** A value as lists show it: quotation marks distinguish a value with spaces at an end. */
export const showValue = (value: string): string =>
  value.trim() === value ? showHidden(value) : `"${showHidden(value)}"`;
