import { markAt, meaningful, nameAt, wordAt } from './call-parts';
import type { Token } from './tokens';

/** Words behind which a table or a procedure is named. */
const NAMING = new Set(
  'from join into update insert delete merge using apply exec execute for openquery references'.split(' '),
);
/** Words that end the list of tables behind FROM. */
const ENDS = new Set('where group order having union except intersect set values select option'.split(' '));
const OF_SERVER = 4;
/** TOP (5) has so many tokens, or TOP (@n + 1). */
const TOP_TOKENS = 8;

/**
 * The servers that names of four parts name: `LNK` of `FROM LNK.Sales.dbo.Orders`. A column has as many parts, so a name
 * counts only where a table or a procedure stands. The function takes linear time.
 */
export function serversIn(sql: string): readonly string[] {
  const tokens = meaningful(sql);
  const servers = new Set<string>();
  /** Whether a table or a procedure may come next, and at which depths of parentheses FROM has lists. */
  let isDue = false;
  const lists: number[] = [];
  for (let at = 0, depth = 0; at < tokens.length; ) {
    const word = wordAt(tokens, at);
    const mark = markAt(tokens, at);
    if (NAMING.has(word)) {
      isDue = true;
      if (word === 'from' && lists.at(-1) !== depth) lists.push(depth);
      at = behindTop(tokens, at + 1);
    } else if (ENDS.has(word) || word === 'on') {
      isDue = false;
      if (word !== 'on' && lists.at(-1) === depth) lists.pop();
      at += 1;
    } else if (mark !== '') {
      if (mark === '(') depth += 1;
      else if (mark === ')') depth -= 1;
      while ((lists.at(-1) ?? depth) > depth) lists.pop();
      isDue = (isDue && mark === '(') || (mark === ',' && lists.at(-1) === depth);
      at += 1;
    } else if (isDue && tokens[at]?.kind === 'variable' && markAt(tokens, at + 1) === '=') at += 2;
    else {
      const [parts, behind] = nameAt(tokens, at);
      const [path, end] = [parts ?? [], Math.max(behind, at + 1)];
      const [server] = path;
      const isOfXml = path.at(-1)?.toLowerCase() === 'nodes' && markAt(tokens, end) === '(';
      if (isDue && path.length === OF_SERVER && server && !isOfXml) servers.add(server);
      isDue = false;
      at = end;
    }
  }
  return [...servers];
}

/** UPDATE TOP (5) t */
function behindTop(tokens: readonly Token[], at: number): number {
  if (wordAt(tokens, at) !== 'top' || markAt(tokens, at + 1) !== '(') return at;
  let behind = at + 2;
  while (behind < at + TOP_TOKENS && markAt(tokens, behind) !== ')') behind += 1;
  behind += 1;
  return NAMING.has(wordAt(tokens, behind)) ? behind + 1 : behind;
}

/** Functions whose last argument is a statement for another server. */
export const REMOTE = ['openquery', 'openrowset'];
/** Provider, server, login and password stand before the statement. */
const REMOTE_TOKENS_MAX = 30;

/** The statement that another server runs: the last text in the parentheses. */
export function remoteText(tokens: readonly Token[], from: number): string {
  let last = '';
  for (const { kind, text } of tokens.slice(from, from + REMOTE_TOKENS_MAX)) {
    if (kind === 'text') last = text;
    else if (kind === 'mark' && (text === ')' || text === '(')) break;
    else if (kind === 'word' && text.toLowerCase() === 'bulk') return '';
  }
  return last;
}
