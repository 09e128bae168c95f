/**
 * Reads a line as "ArcSight Common Event Format (CEF) Implementation Standard" says: seven fields with `|` between, in
 * which `|` and `\` have a `\` before; then pairs, in which `=` and `\` of a value have a `\` before, and `\n` and `\r`
 * are line breaks. It throws where a line is not of that grammar.
 */
export interface CefMessage {
  readonly head: readonly string[];
  readonly extension: Readonly<Record<string, string>>;
}

/** Keys of the dictionary that the service uses, and keys of labels. */
const KEYS =
  /^(?:rt|externalId|cat|act|outcome|dvchost|dhost|suser|sntdom|duser|dntdom|src|c6a2|shost|sourceServiceName|deviceFacility|cs[1-6]|cn[1-3]|flexString1|flexNumber1|deviceCustomDate1|msg|(?:c6a2|cs[1-6]|cn[1-3]|flexString1|flexNumber1|deviceCustomDate1)Label)$/;
const NUMBERS = /^(?:cn[1-3]|flexNumber1)$/;
const TIMES = /^(?:rt|deviceCustomDate1)$/;

export function readCef(line: string): CefMessage {
  if (/[\n\r\0\u0085\u2028\u2029]/.test(line)) throw new Error('a line break');
  const head = [''];
  let at = 0;
  for (; head.length <= 7; at++) {
    const c = line[at];
    if (c === undefined) throw new Error('the head has too few fields');
    if (c === '|') head.push('');
    else if (c === '\\') {
      const next = line[++at];
      if (next !== '|' && next !== '\\') throw new Error(`\\${next} in the head`);
      head[head.length - 1] += next;
    } else head[head.length - 1] += c;
  }
  head.pop();
  if (!/^CEF:[01]$/.test(head[0] ?? '')) throw new Error('the version');
  if (!/^(?:10|\d)$/.test(head[6] ?? '')) throw new Error('the severity');
  if (head.some((field) => field === '')) throw new Error('an empty field of the head');
  return { head, extension: extensionOf(line.slice(at)) };
}

function extensionOf(text: string): Record<string, string> {
  // An equals sign that is not escaped ends a key, which has no space.
  const keys = [...text.matchAll(/(?:^| )([A-Za-z0-9]+)=/g)].filter(
    ({ index, 0: { length } }) => text[index + length - 2] !== '\\',
  );
  if (text !== '' && keys[0]?.index !== 0) throw new Error('the extension does not begin with a key');
  const pairs: Record<string, string> = {};
  keys.forEach((match, i) => {
    const [whole, key = ''] = match;
    const value = textOf(text.slice(match.index + whole.length, keys[i + 1]?.index));
    if (!KEYS.test(key)) throw new Error(`the key ${key}`);
    if (key in pairs) throw new Error(`the key ${key} twice`);
    if (value === '') throw new Error(`${key} is empty`);
    if (NUMBERS.test(key) && !/^-?\d{1,19}$/.test(value)) throw new Error(`${key} is no number`);
    if (TIMES.test(key) && !/^-?\d+$/.test(value)) throw new Error(`${key} is no time`);
    pairs[key] = value;
  });
  for (const key of Object.keys(pairs))
    if (/^(?:c6a|cs|cn|flex|deviceCustom)/.test(key) && !key.endsWith('Label') && !(`${key}Label` in pairs))
      throw new Error(`${key} without a label`);
  return pairs;
}

function textOf(text: string): string {
  let value = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c === '=') throw new Error('= in a value');
    if (c !== '\\') {
      value += c;
      continue;
    }
    const next = text[++i];
    const plain = { '\\': '\\', '=': '=', n: '\n', r: '\r' }[next ?? ''];
    if (plain === undefined) throw new Error(`\\${next} in a value`);
    value += plain;
  }
  return value;
}
