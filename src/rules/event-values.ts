import type { DetectionEvent, Value } from './event';
import { plainStatementOf } from './plain-statement';

/** Reads values that stand elsewhere in an event when their own field is empty. */

export const FAILED_LOGIN_ACTIONS = ['LGIF', 'DBAF'];

/** SQL Server pads codes with spaces, and not every collector leaves them out. */
export const codeOf = <T extends Value>(code: T): T =>
  (typeof code === 'string' && code.endsWith(' ') ? code.trimEnd() : code) as T;

export const isFailedLogin = ({ fields }: DetectionEvent): boolean =>
  FAILED_LOGIN_ACTIONS.includes(codeOf(fields.actionId ?? '').toUpperCase());

/** `[CLIENT: 10.1.2.3]` in the text of a failed login. */
const CLIENT = /\[CLIENT: ([^\]<>]+)\]/;

export const clientOf = ({ fields }: DetectionEvent): string | undefined =>
  fields.clientIp || CLIENT.exec(fields.statement ?? '')?.[1];

/** `Login failed for user 'sa'.` */
const FAILED_FOR = /^[^']{0,100}'([^']{1,512})'/;

export function loginOf(event: DetectionEvent): string | undefined {
  const { serverPrincipalName, statement } = event.fields;
  if (serverPrincipalName) return serverPrincipalName;
  return isFailedLogin(event) ? FAILED_FOR.exec(statement ?? '')?.[1] : undefined;
}

const ADDED =
  /\b(?:add|drop) member (?:\[([^\]]{1,512})\]|"([^"]{1,512})"|([^\s;]{1,512}))|\bsp_(?:add|drop)srvrolemember (?:@loginame=)?'?([^',;]{1,512})/i;

/** The member that a change of a role concerns: the record's target, or else the principal that the statement names. */
export function roleMemberOf(event: DetectionEvent): string | undefined {
  const { targetServerPrincipalName: target } = event.additional;
  if (typeof target === 'string' && target !== '') return target;
  return ADDED.exec(plainStatementOf(event))?.slice(1).find(Boolean);
}
