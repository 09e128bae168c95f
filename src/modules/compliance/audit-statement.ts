import { Scanner, type Token } from '../../tsql/tokens';

/** What a statement does to an audit or to one of its specifications. Names are as the statement writes them. */
export interface AuditStatement {
  readonly verb: 'create' | 'alter' | 'drop';
  readonly of: 'audit' | 'server' | 'database';
  readonly name: string;
  /** The audit that a specification is for; null: the statement does not say. */
  readonly audit: string | null;
  /** The new name of an audit; null: it keeps its name. */
  readonly renamed: string | null;
  /** Whether an audit is given an id; absent: it is not. */
  readonly hasGuid?: true;
  /** Names of action groups, in capitals. */
  readonly adds: readonly string[];
  readonly drops: readonly string[];
  /** Single actions on objects of a database; absent: none. */
  readonly actions?: { readonly adds: readonly ObjectAction[]; readonly drops: readonly ObjectAction[] };
  /** Whether an audit gets a filter of events, or loses it; absent: the statement does not say. */
  readonly filter?: 'set' | 'removed';
  /** The state that it asks for; null: it does not say. */
  readonly state: 'on' | 'off' | null;
}

/** A single action on objects that a specification of a database records. */
export interface ObjectAction {
  /** In capitals, such as `SELECT`. */
  readonly action: string;
  /** Null: every schema of the database. Absent in the statement: the default schema, which is taken for dbo. */
  readonly schemaName: string | null;
  /** Null: every object. */
  readonly objectName: string | null;
  /** Whose actions are recorded. Everybody is in `public`. */
  readonly by: string;
}

/**
 * The statements on audits within a text, in their order. Anything else in the text is left out. The function takes
 * linear time and never throws.
 */
export function auditStatementsOf(sql: string): readonly AuditStatement[] {
  const tokens = meaningfulTokens(sql);
  const starts = tokens.flatMap((_, at) => startAt(tokens, at) ?? []);
  return starts.map((start, i) => read(tokens.slice(start.after, starts[i + 1]?.at ?? tokens.length), start));
}

const READ_ONLY = ['VERIFYONLY', 'HEADERONLY', 'FILELISTONLY', 'LABELONLY', 'REWINDONLY'];

/** Whether each RESTORE of a text reads a backup and restores nothing; a text without any is not known to. */
export function onlyReadsBackups(sql: string): boolean {
  const tokens = meaningfulTokens(sql);
  const kinds = tokens.flatMap((token, at) => (word(token) === 'RESTORE' ? word(tokens[at + 1]) : []));
  return kinds.length > 0 && kinds.every((kind) => READ_ONLY.includes(kind));
}

interface Start extends Pick<AuditStatement, 'verb' | 'of'> {
  readonly at: number;
  /** The place of the name. */
  readonly after: number;
}

const VERBS: Readonly<Record<string, AuditStatement['verb']>> = {
  CREATE: 'create',
  ALTER: 'alter',
  DROP: 'drop',
};

function startAt(tokens: readonly Token[], at: number): Start | null {
  const verb = VERBS[word(tokens[at])];
  const scope = word(tokens[at + 1]);
  if (!verb || (scope !== 'SERVER' && scope !== 'DATABASE') || word(tokens[at + 2]) !== 'AUDIT') return null;
  if (word(tokens[at + 3]) === 'SPECIFICATION')
    return { verb, of: scope === 'SERVER' ? 'server' : 'database', at, after: at + 4 };
  return scope === 'SERVER' ? { verb, of: 'audit', at, after: at + 3 } : null;
}

/** @param tokens of one statement, from its name on */
function read(tokens: readonly Token[], { verb, of }: Start): AuditStatement {
  const found = {
    audit: null as string | null,
    renamed: null as string | null,
    state: null as 'on' | 'off' | null,
  };
  const [adds, drops]: [string[], string[]] = [[], []];
  const actions: { adds: ObjectAction[]; drops: ObjectAction[] } = { adds: [], drops: [] };
  let into: string[] | null = null;
  let filter: AuditStatement['filter'];
  let hasGuid = false;
  for (let at = 1; at < tokens.length; at++) {
    const [here, next, second, third] = [0, 1, 2, 3].map((step) => word(tokens[at + step]));
    if (into !== null) {
      if (here === ')') into = null;
      else if (here?.endsWith('_GROUP')) into.push(here);
    } else if ((here === 'ADD' || here === 'DROP') && next === '(') {
      into = here === 'ADD' ? adds : drops;
      at += 1;
      const end = tokens.findIndex((token, i) => i > at && word(token) === ')');
      const within = tokens.slice(at + 1, end === -1 ? tokens.length : end);
      actions[here === 'ADD' ? 'adds' : 'drops'].push(...objectActionsOf(within));
    } else if (here === 'FOR' && next === 'SERVER' && second === 'AUDIT') {
      found.audit = tokens[at + 3]?.text ?? null;
      at += 3;
    } else if (here === 'WHERE' && of === 'audit') {
      filter = word(tokens[at - 1]) === 'REMOVE' ? 'removed' : 'set';
    } else if (here === 'AUDIT_GUID' && next === '=') {
      hasGuid = true;
    } else if (here === 'MODIFY' && next === 'NAME' && second === '=') {
      found.renamed = tokens[at + 3]?.text ?? null;
      at += 3;
    } else if (here === 'STATE' && next === '=' && (second === 'ON' || second === 'OFF')) {
      if (third !== '.') found.state = second === 'ON' ? 'on' : 'off';
    }
  }
  const hasActions = actions.adds.length + actions.drops.length > 0;
  return {
    verb,
    of,
    name: tokens[0]?.text ?? '',
    adds,
    drops,
    ...(hasActions && { actions }),
    ...(filter && { filter }),
    ...(hasGuid && { hasGuid }),
    ...found,
  };
}

const OBJECT_ACTIONS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'EXECUTE', 'RECEIVE', 'REFERENCES'];

/** @param tokens between the brackets, such as `SELECT, INSERT ON SCHEMA::dbo BY public` */
function objectActionsOf(tokens: readonly Token[]): ObjectAction[] {
  const [on, by] = ['ON', 'BY'].map((keyword) => tokens.findIndex((token) => word(token) === keyword));
  if (on === undefined || by === undefined || on < 1 || by < on) return [];
  const named = tokens.slice(0, on).map(word);
  const classEnd = tokens.findIndex((token, i) => i > on && i < by && word(token) === '::');
  const kind = classEnd === -1 ? 'OBJECT' : word(tokens[on + 1]);
  const path = tokens.slice((classEnd === -1 ? on : classEnd) + 1, by).filter((token) => word(token) !== '.');
  const names = path.map(({ text }) => text);
  const of = {
    schemaName:
      kind === 'DATABASE' ? null : kind === 'SCHEMA' ? (names.at(-1) ?? '') : (names.at(-2) ?? 'dbo'),
    objectName: kind === 'OBJECT' ? (names.at(-1) ?? '') : null,
  };
  const principals = tokens.slice(by + 1).filter((token) => word(token) !== ',');
  return OBJECT_ACTIONS.filter((action) => named.includes(action)).flatMap((action) =>
    principals.map(({ text }) => ({ action, ...of, by: text })),
  );
}

/** A keyword or mark in capitals; empty: the token is a quoted name or a text, which is never a keyword. */
const word = (token: Token | undefined): string =>
  token && (token.kind === 'word' || token.kind === 'mark') ? token.text.toUpperCase() : '';

function meaningfulTokens(sql: string): Token[] {
  const scanner = new Scanner(sql);
  const tokens: Token[] = [];
  while (scanner.next()) {
    if (scanner.kind !== 'space' && scanner.kind !== 'comment') tokens.push(scanner.token);
  }
  return tokens;
}
