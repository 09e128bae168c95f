/** The contents of the elements of that name. The answers of object stores have no element within one of its name. */
export const xmlTexts = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, text = '']) => text,
  );

/** The text of the first such element; empty if there is none. */
export const xmlText = (xml: string, name: string): string => unescaped(xmlTexts(xml, name)[0] ?? '');

const unescaped = (text: string): string =>
  text.replace(/&(?:lt|gt|quot|apos|amp|#(\d+)|#x([0-9a-f]+));/gi, (entity, decimal, hex) => {
    if (decimal !== undefined) return fromCode(Number(decimal));
    if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
    return NAMED[entity.toLowerCase()] ?? entity;
  });
const NAMED: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};
const fromCode = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');
