import { Scanner } from './tokens';

/**
 * A statement without its literals: texts are `'…'`, numbers `0`, binary numbers `0x`, comments empty. A name in double
 * quotes may be a text, so it is `"…"`. Everything else stays, and the result is a statement again. What is not closed
 * is closed. The function takes linear time; masked twice it is the same.
 */
export function maskLiterals(sql: string): string {
  const scanner = new Scanner(sql);
  const parts: string[] = [];
  let last = '';
  while (scanner.next()) {
    const piece = masked(scanner.kind, sql, scanner.start, scanner.end);
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
      return isClosed(sql.slice(start + 1, end)) ? sql.slice(start, end) : '[…]';
    default:
      return sql.slice(start, end);
  }
}

/** Whether a name in brackets, without the first one, has its end. */
const isClosed = (rest: string) => (/\]*$/.exec(rest)?.[0].length ?? 0) % 2 === 1;

const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}\p{Pc}@#$'"]$/u;
const BEGINS_WORD = /^[\p{L}\p{N}\p{M}\p{Pc}@#$'"]/u;
const touches = (last: string, piece: string) =>
  (ENDS_IN_WORD.test(last) && BEGINS_WORD.test(piece)) ||
  (last === '.' && piece.startsWith('0')) ||
  (last === '0' && piece.startsWith('.'));
