import { type ExpressionField, fieldNamed } from '../../../../src/event/expression/expression';
import { fieldText, quoteValue } from './value-text';

/** A part of a filter that means something else than its author may think. */
export interface Hint {
  readonly typed: string;
  readonly why: string;
  /** The condition that may be meant; null: none is known. */
  readonly meant: string | null;
  /** The whole filter with that condition; null likewise. */
  readonly filter: string | null;
}

/** Names that people know from elsewhere, in lower case and without separators. */
const KNOWN_AS: Readonly<Record<string, ExpressionField>> = {
  user: 'serverPrincipalName',
  username: 'serverPrincipalName',
  login: 'serverPrincipalName',
  loginname: 'serverPrincipalName',
  principal: 'serverPrincipalName',
  account: 'serverPrincipalName',
  db: 'databaseName',
  database: 'databaseName',
  dbuser: 'databasePrincipalName',
  server: 'serverInstanceName',
  instance: 'serverInstanceName',
  servername: 'serverInstanceName',
  object: 'objectName',
  table: 'objectName',
  schema: 'schemaName',
  action: 'actionId',
  host: 'hostName',
  client: 'hostName',
  workstation: 'hostName',
  machine: 'hostName',
  ip: 'clientIp',
  address: 'clientIp',
  clientaddress: 'clientIp',
  app: 'applicationName',
  application: 'applicationName',
  program: 'applicationName',
  success: 'succeeded',
  sql: 'statement',
  query: 'statement',
  tenant: 'tenantId',
};

const CONDITION = /(?<=^|[\s(-])([A-Za-z_]+)(:|~| ?(?:==?|!=|<>) ?)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s()"']+)/g;
const HINTS_MAX = 3;

/** The hints for a filter, which may be invalid; at most three. */
export function hintsOf(text: string): readonly Hint[] {
  return [...text.matchAll(CONDITION)]
    .filter(({ index }) => !isQuoted(text, index))
    .flatMap((found) => hintOf(found) ?? [])
    .map(({ at, ...hint }) => ({
      ...hint,
      filter: hint.meant && text.slice(0, at) + hint.meant + text.slice(at + hint.typed.length),
    }))
    .slice(0, HINTS_MAX);
}

/** Whether a place lies between quotation marks. */
const isQuoted = (text: string, at: number): boolean =>
  [
    ...text
      .slice(0, at)
      .replace(/\\["\\]/g, '')
      .matchAll(/"/g),
  ].length %
    2 ===
  1;

function hintOf(found: RegExpExecArray): (Omit<Hint, 'filter'> & { readonly at: number }) | null {
  const [typed, name = '', operator = '', given = ''] = found;
  const sign = operator.trim();
  const known = fieldNamed(name);
  const field =
    known ?? KNOWN_AS[name.replaceAll('_', '').toLowerCase()] ?? fieldNamed(name.replaceAll('_', ''));
  if (!field) return null;
  const value = given.replace(/^(["'])(.*)\1$/s, '$2');
  const at = found.index;
  if (sign === ':' || sign === '~') {
    if (known) return null;
    return { at, typed, why: `No field is named ${name}.`, meant: `${fieldText(field)}${sign}${given}` };
  }
  const isNot = sign === '!=' || sign === '<>';
  const meant = `${isNot ? 'NOT ' : ''}${fieldText(field)}:${quoteValue(value)}`;
  return { at, typed, why: `${sign} makes no condition: a colon joins a field with its value.`, meant };
}
