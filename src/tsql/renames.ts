import { markAt, meaningful, nameAt, wordAt } from './call-parts';

/** A login that a statement gives another name. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/**
 * The rename of a login by `ALTER LOGIN … WITH …, NAME = …`. A record tells of one: of several in its text, of the one
 * that has the given name, or else of the first.
 * @returns null: the text has none
 */
export function renameIn(sql: string, name: string | null): Rename | null {
  const tokens = meaningful(sql);
  const named = name?.toLowerCase();
  let first: Rename | null = null;
  /** The login of the statement that is read; null: it is another statement. */
  let from: string | null = null;
  for (let at = 0; at < tokens.length; at++) {
    const word = wordAt(tokens, at);
    if (markAt(tokens, at) === ';') from = null;
    else if (word === 'alter') {
      const [parts] = wordAt(tokens, at + 1) === 'login' ? nameAt(tokens, at + 2) : [null];
      from = parts?.[0] ?? null;
    } else if (from !== null && word === 'name' && markAt(tokens, at + 1) === '=') {
      const to = nameAt(tokens, at + 2)[0]?.[0];
      const rename = to ? { from, to } : null;
      if (rename && [from, to].some((one) => one?.toLowerCase() === named)) return rename;
      first ??= rename;
      from = null;
    }
  }
  return first;
}
