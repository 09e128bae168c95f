import { FAILED_LOGIN_ACTIONS } from '../event/action-names';
import { liftedValue } from '../event/lifted';
import { unmappedAddress } from '../event/network';
import { fold } from '../event/search';
import type { DetectionEvent, Value } from './event';
import { plainStatementsOf, readingOf } from './plain-statement';

/** Reads values that stand elsewhere in an event when their own field is empty. */

/** SQL Server pads codes with spaces, and not every collector leaves them out. */
export const codeOf = <T extends Value>(code: T): T =>
  (typeof code === 'string' && code.endsWith(' ') ? code.trimEnd() : code) as T;

export const isFailedLogin = ({ fields }: DetectionEvent): boolean =>
  (FAILED_LOGIN_ACTIONS as readonly string[]).includes(codeOf(fields.actionId ?? '').toUpperCase());

/** `[CLIENT: 10.1.2.3]` in the text of a failed login. */
const CLIENT = /\[CLIENT: ([^[\]<>]+)\]/;

export function clientOf({ fields }: DetectionEvent): string | undefined {
  const address = fields.clientIp || CLIENT.exec(fields.statement ?? '')?.[1];
  return address && unmappedAddress(address);
}

/** `Login failed for user 'sa'.` */
const FAILED_FOR = /^[^']{0,100}'([^']{1,512})'/;

export function loginOf(event: DetectionEvent): string | undefined {
  const { serverPrincipalName, statement } = event.fields;
  if (serverPrincipalName) return serverPrincipalName;
  return isFailedLogin(event) ? FAILED_FOR.exec(statement ?? '')?.[1] : undefined;
}

/** The login of the session, which acts under another name after EXECUTE AS; undefined: it acts under its own. */
export function behindOf(event: DetectionEvent): string | undefined {
  const { sessionServerPrincipalName: name } = event.additional;
  const login = loginOf(event);
  if (typeof name !== 'string' || name === '' || login === undefined) return undefined;
  return fold(name.trim()) === fold(login.trim()) ? undefined : name;
}

const NAME = String.raw`(?:\[((?:[^\]]|\]\]){1,512})\]|([^\s;,.[\]()]{1,512}))`;
const MEMBER = new RegExp(String.raw`\b(?:add|drop) member ${NAME}`, 'i');
const MEMBER_OF_CALL = /^sp_(?:add|drop)srvrolemember '((?:[^']|''){1,512})'/i;
const GRANTEE = new RegExp(String.raw`\bto ${NAME}`, 'i');

/** The member that a change of a role concerns: the one of the record, or else the principal that the statement names. */
export function roleMemberOf(event: DetectionEvent): string | undefined {
  const { additional, fields } = event;
  const member = liftedValue('roleMember', { actionId: codeOf(fields.actionId ?? ''), additional });
  if (member !== null) return member;
  const { targetServerPrincipalName: target } = additional;
  if (typeof target === 'string' && target !== '') return target;
  const [, called] =
    readingOf(event)
      .calls.map((call) => MEMBER_OF_CALL.exec(call))
      .find(Boolean) ?? [];
  return called?.replaceAll("''", "'") ?? nameIn(event, MEMBER);
}

/** The principal to whom a grant gives something; of several the first. */
export const granteeOf = (event: DetectionEvent): string | undefined =>
  GRANTS.includes(codeOf(event.fields.actionId ?? '').toUpperCase()) ? nameIn(event, GRANTEE) : undefined;
const GRANTS = ['G', 'GWG'];

const MADE_LOGIN = new RegExp(String.raw`\bcreate login ${NAME}`, 'i');

/** The login that is made: the object of the record, or else the login that a batch names; of several the first. */
export const madeLoginOf = (event: DetectionEvent): string | undefined =>
  codeOf(event.fields.actionId ?? '').toUpperCase() === 'CR'
    ? (event.fields.objectName ?? undefined)
    : nameIn(event, MADE_LOGIN);

function nameIn(event: DetectionEvent, pattern: RegExp): string | undefined {
  const found = plainStatementsOf(event).map((form) => pattern.exec(form));
  const [, inBrackets, plain] = found.find(Boolean) ?? [];
  return inBrackets?.replaceAll(']]', ']') ?? plain;
}

/** `<session><![CDATA[Main$A]]></session>` in the record of an audit that starts or ends. */
const SESSION = /<session>(?:<!\[CDATA\[)?([^\]<]{1,512}?)(?:\$A)?(?:\]\]>)?<\/session>/;
const AUDIT_ACTIONS = ['AUSC', 'AUSF'];

/** The audit that starts or ends. */
export function auditNameOf({ fields, additional }: DetectionEvent): string | undefined {
  if (!AUDIT_ACTIONS.includes(codeOf(fields.actionId ?? '').toUpperCase())) return undefined;
  const { additionalInformation } = additional;
  const [, session] =
    typeof additionalInformation === 'string' ? (SESSION.exec(additionalInformation) ?? []) : [];
  return session ?? fields.objectName ?? undefined;
}
