import { markAt, meaningful, nameAt, wordAt } from './call-parts';

/** A login that a statement gives another name. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/** The renames of logins in a text: `ALTER LOGIN … WITH …, NAME = …`. */
export function renamesIn(sql: string): readonly Rename[] {
  const tokens = meaningful(sql);
  const renames: Rename[] = [];
  /** The login of the statement that is read; null: it is another statement. */
  let from: string | null = null;
  for (let at = 0; at < tokens.length; at++) {
    const word = wordAt(tokens, at);
    if (markAt(tokens, at) === ';') from = null;
    else if (word === 'alter') {
      const [parts] = wordAt(tokens, at + 1) === 'login' ? nameAt(tokens, at + 2) : [null];
      from = parts?.[0] ?? null;
    } else if (from !== null && word === 'name' && markAt(tokens, at + 1) === '=') {
      const [parts] = nameAt(tokens, at + 2);
      const to = parts?.[0];
      if (to) renames.push({ from, to });
      from = null;
    }
  }
  return renames;
}
