const TAG = '(?:[\\w.-]+:)?PasswordFirstNibbleHash';
/** The whole element, in any case, with attributes, self-closing, or open up to the end of the text. */
const ELEMENT = new RegExp(`<${TAG}\\b[^>]*(?:(?<=/)>|>[^]*?(?:</${TAG}\\s*>|$)|$)`, 'gi');
const UP_TO_STRAY_END = new RegExp(`^[^]*</${TAG}\\s*>`, 'i');

/**
 * `additional_information` without the password hash a failed login may leave in it: that must not go anywhere.
 * Parts of a split text are joined before they come here, since the seam may lie within a tag.
 * @param isFragment the text is a later part without its beginning, so it may begin within such an element
 */
export function withoutPasswordHash(text: string, { isFragment }: { readonly isFragment: boolean }): string {
  const cleared = text.replace(ELEMENT, '');
  return isFragment ? withoutUnknownBeginning(cleared) : cleared;
}

/** What stands before the first tag is content of an element nobody can name; what ends in a stray end tag is the hash. */
function withoutUnknownBeginning(text: string): string {
  const firstTag = text.indexOf('<');
  return firstTag < 0 ? '' : text.slice(firstTag).replace(UP_TO_STRAY_END, '');
}
