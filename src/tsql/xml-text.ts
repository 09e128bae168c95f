/** What methods of XML read from a text that the statement says itself. */

const XML_CHARS_MAX = 8_192;
/** `a` of `(/r/a)[2]`, `b` of `/r/@b`, and the number. */
const LAST_STEP = /(@?)([A-Za-z_][\w.-]*)(?:\/text\(\))?\)?(?:\[(\d+)\])?\)*(?:\[(\d+)\])?$/;
const TAG = /<[^<>]*>/g;
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const CODE_MAX = 0x10ffff;
/** The last step of a path has fewer characters. */
const STEP_CHARS_MAX = 256;

/** What stands at a path, as far as it is a name and a number; otherwise all that stands between the tags. */
export function xmlText(xml: string, path: string): string {
  const whole = xml.slice(0, XML_CHARS_MAX);
  const [, sign, name, first, second] = LAST_STEP.exec(path.trimEnd().slice(-STEP_CHARS_MAX)) ?? [];
  if (name === undefined) return plain(whole);
  const place = Math.max(Number(first ?? 1), Number(second ?? 1)) - 1;
  const found = sign === '@' ? attributesOf(whole, name) : elementsOf(whole, name);
  return found.length === 0 ? plain(whole) : plain(found[place] ?? '');
}

const plain = (text: string): string =>
  text.replace(TAG, '').replace(ENTITY, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= CODE_MAX ? String.fromCodePoint(code) : whole;
  });

/** What stands in the elements of a name, in linear time. */
function elementsOf(xml: string, name: string): readonly string[] {
  const [open, close] = [`<${name}`, `</${name}`];
  const found: string[] = [];
  for (let at = xml.indexOf(open); at >= 0; ) {
    const from = xml.indexOf('>', at) + 1;
    const end = xml.indexOf(close, at);
    if (from === 0 || end < 0) break;
    if (/[\s>]/.test(xml[at + open.length] ?? '')) found.push(xml.slice(from, end));
    at = xml.indexOf(open, end);
  }
  return found;
}

const ATTRIBUTE = /\s([A-Za-z_][\w.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const attributesOf = (xml: string, name: string): readonly string[] =>
  [...xml.matchAll(ATTRIBUTE)].flatMap(([, own, a, b]) => (own === name ? [a ?? b ?? ''] : []));

/** `xs:base64Binary("eHA=")`, or of a variable. */
const BINARY =
  /xs:(base64|hex)binary\s*\(\s*(?:"([^"]*)"|'([^']*)'|sql:variable\(\s*["'](@[\w@#$]{1,128})["']\s*\))/i;

/**
 * The hexadecimal digits of the binary value that a path names; null: it names none.
 * @param textOf the text of a variable; undefined: it is not known
 */
export function xmlBinary(
  path: string,
  textOf: (variable: string) => string | undefined,
): { readonly kind: string; readonly hex: string } | null {
  const [, form = '', a, b, variable] = BINARY.exec(path) ?? [];
  const text = a ?? b ?? (variable === undefined ? undefined : textOf(variable.toLowerCase()));
  if (text === undefined) return null;
  const kind = form.toLowerCase();
  const hex = kind === 'hex' ? text.replace(/[^0-9a-f]/gi, '') : Buffer.from(text, 'base64').toString('hex');
  return { kind, hex };
}
