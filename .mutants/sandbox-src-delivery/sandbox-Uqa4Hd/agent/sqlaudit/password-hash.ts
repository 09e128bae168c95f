const TAG = '(?:[\\w.-]+:)?PasswordFirstNibbleHash';
/** The whole element, in any case, with attributes, self-closing, or open up to the end of the text. */
const ELEMENT = new RegExp(`<${TAG}\\b[^>]*(?:(?<=/)>|>[^]*?(?:</${TAG}\\s*>|$)|$)`, 'gi');
const UP_TO_STRAY_END = new RegExp(`^[^]*</${TAG}\\s*>`, 'i');

/**
 * `additional_information` without the password hash that a failed login may leave in it: the hash must not leave the
 * host. The caller joins the parts of a split text first, since a tag may be split between them.
 * @param isFragment the text is a later part without its beginning, so it may begin within such an element
 */
export function withoutPasswordHash(text: string, { isFragment }: { readonly isFragment: boolean }): string {
  const cleared = text.replace(ELEMENT, '');
  return isFragment ? withoutUnknownBeginning(cleared) : cleared;
}

/** Text before the first tag belongs to an unknown element. Text before a stray end tag is the hash. */
function withoutUnknownBeginning(text: string): string {
  const firstTag = text.indexOf('<');
  return firstTag < 0 ? '' : text.slice(firstTag).replace(UP_TO_STRAY_END, '');
}
