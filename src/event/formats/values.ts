import type { FeedEvent } from './feed-item';

/** The object without its absent values: null, undefined, empty texts, empty lists and empty objects. */
export function present(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => isPresent(value)));
}

const isPresent = (value: unknown) =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  !(typeof value === 'object' && Object.keys(value).length === 0);

const ZERO = /^(?:0x0*|0+|0{8}(?:-0{4}){3}-0{12})$/i;

/** The values of a record that are neither absent nor zero: SQL Server writes zeros where it has nothing to say. */
export const stating = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) =>
        isPresent(value) &&
        value !== 0 &&
        value !== false &&
        !(typeof value === 'string' && ZERO.test(value)),
    ),
  );

/** Splits a principal: `CORP\alice` is a name in a domain. */
export function accountOf(principal: string | null): { name: string | null; domain: string | null } {
  const at = principal?.indexOf('\\') ?? -1;
  if (principal === null || at < 1) return { name: principal, domain: null };
  return { name: principal.slice(at + 1), domain: principal.slice(0, at) };
}

/** The machine of a server instance: `SQL01\PAYROLL` is on SQL01. */
export const machineOf = (instance: string | null): string | null => instance?.split('\\')[0] ?? null;

/** The name of an instance on its machine: PAYROLL of `SQL01\PAYROLL`; null: it is the machine's default instance. */
export const instanceNameOf = (instance: string | null): string | null =>
  instance?.split('\\').slice(1).join('\\') || null;

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** Null for a text that SQL Server writes in place of an address ("local machine", "named pipe"). */
export function ipOf(text: string | null): string | null {
  if (text === null) return null;
  const isIp = IPV4.test(text) || (text.includes(':') && URL.canParse(`http://[${text}]`));
  return isIp ? text : null;
}

/** A value that the record states beside the fields. */
export const stated = ({ event }: FeedEvent, name: string): string | null => {
  const value = event.additional[name];
  return value === null || value === undefined || value === '' ? null : String(value);
};

/** The principal that was acted on, who may differ from the one who acted; null: the record states none. */
export const targetOf = (feed: FeedEvent): string | null =>
  stated(feed, 'targetServerPrincipalName') ?? stated(feed, 'targetDatabasePrincipalName');

const PERMISSIONS = /^\s*(?:GRANT|REVOKE(?:\s+GRANT\s+OPTION\s+FOR)?|DENY)\s+(.+?)\s+(?:ON|TO|FROM)\s/is;
const PERMISSIONS_MAX = 50;

/** The permissions that a statement names; empty: they cannot be told. */
export const permissionsOf = (statement: string | null): string[] =>
  (PERMISSIONS.exec((statement ?? '').slice(0, STATEMENT_READ_CHARS))?.[1] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, PERMISSIONS_MAX);
const STATEMENT_READ_CHARS = 4_000;
