type Part = '%' | ((char: string) => boolean);

/** A pattern of LIKE: `%` is any text, `_` a character, `[a-f]` one of some and `[^a-f]` one of the others. */
export function like(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern);
  return (text) => isLike(text, parts);
}

function partsOf(pattern: string): readonly Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    const end = char === '[' ? pattern.indexOf(']', at + 1) : -1;
    if (char === '%') {
      if (parts.at(-1) !== '%') parts.push('%');
    } else if (char === '_') parts.push(() => true);
    else if (end > at) {
      parts.push(oneOf(pattern.slice(at + 1, end)));
      at = end;
    } else parts.push((one) => one === char);
  }
  return parts;
}

/** @param set what stands between the brackets */
function oneOf(set: string): (char: string) => boolean {
  const isNot = set.startsWith('^');
  const chars = isNot ? set.slice(1) : set;
  return (char) => has(chars, char) !== isNot;
}

function has(chars: string, char: string): boolean {
  for (let at = 0; at < chars.length; at++) {
    const [from, to] = [chars[at] as string, chars[at + 2]];
    if (chars[at + 1] === '-' && to !== undefined) {
      if (from <= char && char <= to) return true;
      at += 2;
    } else if (from === char) return true;
  }
  return false;
}

/** Goes back to the last `%` alone, so it takes at most the product of both lengths. */
function isLike(text: string, parts: readonly Part[]): boolean {
  let [at, part, star, from] = [0, 0, -1, 0];
  while (at < text.length) {
    const one = parts[part];
    if (one === '%') {
      star = part;
      from = at;
      part += 1;
    } else if (one?.(text[at] as string)) {
      at += 1;
      part += 1;
    } else if (star >= 0) {
      part = star + 1;
      from += 1;
      at = from;
    } else return false;
  }
  return parts.slice(part).every((one) => one === '%');
}
