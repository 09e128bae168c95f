import type { DetectionEvent } from './event';

const known = new WeakMap<DetectionEvent, string>();

/** The plain form of an event's statement. It is made once, because several rules and views ask for it. */
export function plainStatementOf(event: DetectionEvent): string {
  const made = known.get(event) ?? plainStatement(event.fields.statement ?? '');
  known.set(event, made);
  return made;
}

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
/** Where a text, a quoted name or a comment begins. */
const SPECIAL = /['"[]|--|\/\*/g;

/** The index at which the piece that begins here ends. A piece is a text, a quoted name, a comment or anything else. */
function endOfPiece(text: string, at: number): number {
  const char = text[at] as string;
  const close = QUOTES[char];
  if (close) return endOfQuoted(text, at, close);
  if (text.startsWith('--', at)) return endOr(text, text.indexOf('\n', at));
  if (text.startsWith('/*', at)) return endOfComment(text, at);
  SPECIAL.lastIndex = at;
  return SPECIAL.exec(text)?.index ?? text.length;
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

/** White space that is not one space. A single space stays as it is, which costs nothing. */
const BREAKS = /[^\S ]\s*| \s+/g;

function plainPiece(piece: string): string {
  if (piece.startsWith("'")) return piece;
  if (piece.startsWith('--') || piece.startsWith('/*')) return ' ';
  const [, inBrackets, inQuotes] = NAME.exec(piece) ?? [];
  return inBrackets ?? inQuotes ?? (/^["[]/.test(piece) ? piece : piece.replace(BREAKS, ' '));
}

/** A character that stands for itself without spaces. The `g` pattern takes the spaces with it. */
const TIGHT = '.,;()=+';
const AROUND_TIGHT = / ?([.,;()=+]) ?/g;
const N_BEFORE_TEXT = /(^|[^\w@#$])N$/i;
const SPACE = ' ';

/** Joins the pieces and keeps only the spaces that have a meaning. */
function tightened(parts: readonly string[]): string {
  const whole: string[] = [];
  let [last, isSpaced] = ['', false];
  const put = (text: string) => {
    if (text === '') return;
    if (isSpaced && last !== '' && !TIGHT.includes(last) && !TIGHT.includes(text[0] as string))
      whole.push(SPACE);
    isSpaced = false;
    whole.push(text);
    last = text.at(-1) as string;
  };
  for (const [i, part] of parts.entries()) {
    if (part.startsWith("'") || part.startsWith('"') || part.startsWith('[')) {
      put(part);
      continue;
    }
    const own = parts[i + 1]?.startsWith("'") ? part.replace(N_BEFORE_TEXT, '$1') : part;
    const text = own.replace(AROUND_TIGHT, '$1');
    isSpaced ||= text.startsWith(SPACE);
    put(text.trim());
    isSpaced ||= text.endsWith(SPACE);
  }
  return whole.join('');
}
