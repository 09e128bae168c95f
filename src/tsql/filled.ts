import { KEYWORDS, markAt, wordAt } from './call-parts';
import type { Variables } from './expression';
import { NormalForm, narrow } from './normal-form';
import type { Token } from './tokens';
import { UNKNOWN } from './value';

/** Statements and functions that name files by variables: `RESTORE … FROM DISK=@d`, `dm_os_file_exists(@f)`. */

const STATEMENTS = ['backup', 'restore'];
/** Keywords that stand in such a statement. */
const INSIDE = ['from', 'with', 'as'];
const FUNCTION = /^(?:dm_os_file|dm_os_enum|fn_trace_get|fn_get_audit_file|fn_xe_file)\w*$/;
const TOKENS_MAX = 60;
/** No name of a file or device is longer. */
const VALUE_CHARS_MAX = 1_024;

/** The statement or function that begins here, with the values of its variables; null: there is none, or none is known. */
export function filledAt(tokens: readonly Token[], at: number, variables: Variables): string | null {
  if (variables.size === 0) return null;
  const word = wordAt(tokens, at) || nameAt(tokens, at);
  const isFunction = FUNCTION.test(word) && markAt(tokens, at + 1) === '(';
  if (!isFunction && !STATEMENTS.includes(wordAt(tokens, at))) return null;
  const form = new NormalForm();
  let isFilled = false;
  for (const [i, { kind, text }] of tokens.slice(at, at + TOKENS_MAX).entries()) {
    if (i > 0 && isEnd(tokens, at + i)) break;
    const value = kind === 'variable' ? variables.get(narrow(text).toLowerCase()) : undefined;
    if (value && value.text !== UNKNOWN.text) {
      isFilled = true;
      form.add('text', value.text.slice(0, VALUE_CHARS_MAX));
    } else form.add(kind, text);
    if (isFunction && kind === 'mark' && text === ')') break;
  }
  return isFilled ? form.toString() : null;
}

const nameAt = (tokens: readonly Token[], at: number): string => {
  const token = tokens[at];
  return token?.kind === 'name' ? token.text.toLowerCase() : '';
};

const isEnd = (tokens: readonly Token[], at: number): boolean => {
  const word = wordAt(tokens, at);
  return markAt(tokens, at) === ';' || (KEYWORDS.has(word) && !INSIDE.includes(word));
};
