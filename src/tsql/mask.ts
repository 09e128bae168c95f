import { KEYWORDS, markAt, meaningful, pathAt, wordAt } from './call-parts';
import { Scanner, type Token } from './tokens';

/**
 * A statement without its literals: texts are `'…'`, numbers `0`, binary numbers `0x`, comments empty. A name in double
 * quotes may be a text, so it is `"…"`. A word that a procedure gets as an argument is a text too. Everything else stays,
 * and the result is a statement again. What is not closed is closed. The function takes linear time; masked twice it is
 * the same.
 */
export function maskLiterals(sql: string): string {
  const scanner = new Scanner(sql);
  const parts: string[] = [];
  const texts = textArguments(sql);
  let last = '';
  while (scanner.next()) {
    const piece = texts.has(scanner.start) ? "'…'" : masked(scanner.kind, sql, scanner.start, scanner.end);
    // Two pieces that touch must not become one.
    if (touches(last, piece)) parts.push(' ');
    parts.push(piece);
    last = piece;
  }
  return parts.join('');
}

function masked(kind: Scanner['kind'], sql: string, start: number, end: number): string {
  switch (kind) {
    case 'text':
      return sql[start] === "'" ? "'…'" : "N'…'";
    case 'number':
      return '0';
    case 'binary':
      return '0x';
    case 'comment':
      return sql[start] === '-' ? '--' : '/**/';
    case 'name':
      if (sql[start] === '"') return '"…"';
      return isClosed(sql.slice(start, end)) ? sql.slice(start, end) : '[…]';
    default:
      return sql.slice(start, end);
  }
}

/** Whether a name in brackets has its end. */
function isClosed(name: string): boolean {
  let at = name.length;
  while (at > 1 && name[at - 1] === ']') at -= 1;
  return (name.length - at) % 2 === 1;
}

const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}\p{Pc}@#$'"]$/u;
const BEGINS_WORD = /^[\p{L}\p{N}\p{M}\p{Pc}@#$'"]/u;
const touches = (last: string, piece: string) =>
  (ENDS_IN_WORD.test(last) && BEGINS_WORD.test(piece)) ||
  (last === '.' && piece.startsWith('0')) ||
  (last === '0' && piece.startsWith('.'));

const CALLS = ['exec', 'execute'];
/** Behind EXECUTE: it is a permission, or changes who acts. */
const NO_CALL = ['as', 'on', 'to', 'from', 'any'];
const SYSTEM_NAME = /^[sx]p_/i;
const CONSTANT = /^(?:null|default)$/i;

/** Where words and names in brackets begin that procedures get as arguments: `EXEC sp_addlogin eve, secret`. */
function textArguments(sql: string): ReadonlySet<number> {
  const texts = new Set<number>();
  const tokens = meaningful(sql);
  const [path] = pathAt(tokens, 0, new Map());
  // The first statement may call a procedure without EXEC.
  let at =
    path !== null && (path.length > 1 || SYSTEM_NAME.test(path[0] ?? ''))
      ? addTexts(tokens, 0, sql, texts)
      : 0;
  while (at < tokens.length)
    at = CALLS.includes(wordAt(tokens, at)) ? addTexts(tokens, at + 1, sql, texts) : at + 1;
  return texts;
}

/** @param from the place of the procedure. @returns the place behind its arguments */
function addTexts(tokens: readonly Token[], from: number, sql: string, texts: Set<number>): number {
  if (NO_CALL.includes(wordAt(tokens, from)) || markAt(tokens, from) === '(') return from + 1;
  const takesResult = tokens[from]?.kind === 'variable' && markAt(tokens, from + 1) === '=';
  let at = pathAt(tokens, takesResult ? from + 2 : from, new Map())[1];
  for (let isDue = false; at < tokens.length; isDue = true) {
    if (tokens[at]?.kind === 'variable' && markAt(tokens, at + 1) === '=') {
      at += 2;
      isDue = true;
    }
    if ('+-'.includes(markAt(tokens, at) || ' ')) at += 1;
    const token = tokens[at];
    if (!token || token.kind === 'mark') break;
    if (token.kind === 'word' && !isDue && KEYWORDS.has(token.text.toLowerCase())) break;
    const isName = token.kind === 'word' || (token.kind === 'name' && sql[token.start] === '[');
    if (isName && !(token.kind === 'word' && CONSTANT.test(token.text))) texts.add(token.start);
    at += ['out', 'output', 'readonly'].includes(wordAt(tokens, at + 1)) ? 2 : 1;
    if (markAt(tokens, at) !== ',') break;
    at += 1;
  }
  return Math.max(at, from);
}
