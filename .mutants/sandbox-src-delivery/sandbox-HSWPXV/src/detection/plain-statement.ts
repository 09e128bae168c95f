/**
 * A statement in the form in which SQL Server understands it. A space replaces comments and line breaks, and names lose
 * brackets that they do not need. Spaces around `. , ; ( ) = +` and the N before a text are left out. Texts stay as
 * they are. The function takes linear time.
 */
export function plainStatement(statement: string): string {
  const parts: string[] = [];
  for (let at = 0; at < statement.length; ) {
    const end = endOfPiece(statement, at);
    parts.push(plainPiece(statement.slice(at, end)));
    at = end;
  }
  return tightened(parts);
}

const QUOTES: Readonly<Record<string, string>> = { "'": "'", '"': '"', '[': ']' };
const PLAIN = /[^'"[/-]+/y;

/** The index at which the piece that begins here ends. A piece is a text, a quoted name, a comment or anything else. */
function endOfPiece(text: string, at: number): number {
  const char = text[at] as string;
  const close = QUOTES[char];
  if (close) return endOfQuoted(text, at, close);
  if (text.startsWith('--', at)) return endOr(text, text.indexOf('\n', at));
  if (text.startsWith('/*', at)) return endOfComment(text, at);
  PLAIN.lastIndex = at;
  return PLAIN.test(text) ? PLAIN.lastIndex : at + 1;
}

const endOr = (text: string, found: number) => (found < 0 ? text.length : found);

/** Inside a quoted piece, a doubled closing character stands for itself. */
function endOfQuoted(text: string, at: number, close: string): number {
  let end = text.indexOf(close, at + 1);
  while (end >= 0 && text[end + 1] === close) end = text.indexOf(close, end + 2);
  return end < 0 ? text.length : end + 1;
}

const COMMENT_MARK = /\/\*|\*\//g;

/** Comments may be nested. */
function endOfComment(text: string, at: number): number {
  let depth = 0;
  COMMENT_MARK.lastIndex = at;
  for (let mark = COMMENT_MARK.exec(text); mark; mark = COMMENT_MARK.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return COMMENT_MARK.lastIndex;
  }
  return text.length;
}

const NAME = /^(?:\[([\w@#$]+)\]|"([\w@#$]+)")$/;

function plainPiece(piece: string): string {
  if (piece.startsWith("'")) return piece;
  if (piece.startsWith('--') || piece.startsWith('/*')) return ' ';
  const [, inBrackets, inQuotes] = NAME.exec(piece) ?? [];
  return inBrackets ?? inQuotes ?? (/^["[]/.test(piece) ? piece : piece.replace(/\s+/g, ' '));
}

const TIGHT = /[.,;()=+]/;

/** Joins the pieces and keeps only the spaces that have a meaning. */
function tightened(parts: readonly string[]): string {
  const whole: string[] = [];
  let [last, isSpaced] = ['', false];
  const put = (text: string) => {
    if (isSpaced && last !== '' && !TIGHT.test(last) && !TIGHT.test(text[0] as string)) whole.push(' ');
    isSpaced = false;
    whole.push(text);
    last = text.at(-1) as string;
  };
  for (const [i, part] of parts.entries()) {
    if (/^["'[]/.test(part)) {
      put(part);
      continue;
    }
    const next = parts[i + 1];
    const own = next?.startsWith("'") ? part.replace(/(^|[^\w@#$])N$/i, '$1') : part;
    for (const word of own.split(/( )|(?<=[.,;()=+])|(?=[.,;()=+])/)) {
      if (word === ' ') isSpaced = true;
      else if (word) put(word);
    }
  }
  return whole.join('');
}
