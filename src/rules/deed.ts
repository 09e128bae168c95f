import { LOGIN_CLASSES, USER_CLASSES } from '../event/principals';
import type { DetectionEvent } from './event';
import { behindOf, codeOf, granteeOf, loginOf, roleMemberOf } from './event-values';
import { plainStatementOf } from './plain-statement';

/** What one event did to a login, user or role. */
export interface Deed {
  /** The login that did it, also where it acted under another name; null: the record names none. */
  readonly by: string | null;
  /** The principal that got it. */
  readonly to: string;
  /** What it got, for example the name of a role; null: nothing with a name. */
  readonly got: string | null;
  /** A sentence with both: `CORP\dba.ali added CORP\j.ortega to sysadmin on SQLPROD01\PAYROLL`. */
  readonly text: string;
}

const NAME_CHARS_MAX = 160;
const short = (name: string) =>
  name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX - 1)}…` : name;

const PRINCIPALS = new Set([...LOGIN_CLASSES, ...USER_CLASSES]);
const SERVER_ROLE = 'SG';
/** Class types of the server and of what it holds itself. */
const OF_SERVER = new Set(['SR', SERVER_ROLE, 'EP', ...LOGIN_CLASSES]);
/** Actions on a login or user, as the middle of a sentence. */
const CHANGES: Readonly<Record<string, string>> = {
  PWC: 'changed the password of',
  PWR: 'reset the password of',
  PWU: 'unlocked',
  PWMC: 'made a new password necessary for',
  PWPL: 'changed the password policy of',
  PWEX: 'changed the password expiry of',
  LGEA: 'enabled',
  LGDA: 'disabled',
  LGNM: 'renamed',
  CCLG: 'changed the credential of',
};
const OF_PRINCIPALS: Readonly<Record<string, string>> = { CR: 'created', AL: 'altered', DR: 'dropped' };
const GRANTS: Readonly<Record<string, string>> = {
  G: 'granted',
  GWG: 'granted, with the right to grant it on,',
  D: 'denied',
  DWC: 'denied',
};

const PERMISSION = /^(?:grant|deny) (.{1,120}?)(?: on (.{1,200}?))? to /i;

/** @returns null: the event is not about a principal, or failed, or does not say which */
export function deedOf(event: DetectionEvent): Deed | null {
  const { fields, additional } = event;
  if (fields.succeeded === false) return null;
  const action = codeOf(fields.actionId ?? '').toUpperCase();
  const kind = codeOf(additional.classType);
  const target =
    textOf(additional.targetServerPrincipalName) ?? textOf(additional.targetDatabasePrincipalName);
  if (action === 'APRL' || action === 'DPRL') {
    const [verb, word] = action === 'APRL' ? ['added', 'to'] : ['removed', 'from'];
    const role = fields.objectName ?? null;
    const isOfServer = kind === SERVER_ROLE;
    return deed(
      event,
      roleMemberOf(event) ?? target,
      role,
      (to) => `${verb} ${to} ${word} ${role ?? 'a role'}`,
      isOfServer,
    );
  }
  const grant = GRANTS[action];
  if (grant) {
    const [, permission, on] = PERMISSION.exec(plainStatementOf(event)) ?? [];
    const got = permission ? short(on ? `${permission} on ${on}` : permission) : null;
    const to = granteeOf(event) ?? target;
    return deed(
      event,
      to,
      got,
      (name) => `${grant} ${got ?? 'a permission'} to ${name}`,
      typeof kind === 'string' && OF_SERVER.has(kind.toUpperCase()),
    );
  }
  const isOfPrincipal = typeof kind === 'string' && PRINCIPALS.has(kind.toUpperCase());
  const verb = CHANGES[action] ?? (isOfPrincipal ? OF_PRINCIPALS[action] : undefined);
  if (!verb) return null;
  return deed(event, target ?? fields.objectName ?? undefined, null, (to) => `${verb} ${to}`, true);
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function deed(
  event: DetectionEvent,
  to: string | undefined,
  got: string | null,
  middle: (to: string) => string,
  isOfServer: boolean,
): Deed | null {
  if (!to) return null;
  const { databaseName, serverInstanceName } = event.fields;
  const login = loginOf(event) ?? null;
  const behind = behindOf(event);
  const by = behind ?? login;
  const doer = behind && login ? `${short(behind)} as ${short(login)}` : by && short(by);
  const places = [
    ...(!isOfServer && databaseName ? [`in ${short(databaseName)}`] : []),
    ...(serverInstanceName ? [`on ${short(serverInstanceName)}`] : []),
  ];
  const text = [doer ?? 'Somebody', middle(short(to)), ...places].join(' ');
  return { by, to, got, text };
}
