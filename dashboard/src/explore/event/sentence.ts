import { actionNameOf } from '../../../../src/event/action-names';

interface Told {
  readonly actionId: string;
  readonly succeeded: boolean;
  readonly databaseName: string | null;
  readonly schemaName: string | null;
  readonly objectName: string | null;
  readonly serverPrincipalName: string | null;
  readonly databasePrincipalName: string | null;
  readonly hostName: string | null;
  readonly clientIp: string | null;
  /** Of a changed role. */
  readonly roleMember?: string | null;
}

/** Verbs for the frequent actions; each stands before the object. */
const VERBS: Readonly<Record<string, string>> = {
  SL: 'read',
  IN: 'inserted into',
  UP: 'updated',
  DL: 'deleted from',
  MG: 'merged into',
  EX: 'executed',
  CR: 'created',
  AL: 'altered',
  DR: 'dropped',
  TRO: 'took ownership of',
  G: 'granted rights on',
  R: 'revoked rights on',
  D: 'denied rights on',
  BA: 'backed up',
  RS: 'restored',
  VSST: 'viewed the state of',
};
/** Verbs for actions without an object. */
const DEEDS: Readonly<Record<string, string>> = {
  LGIS: 'logged in',
  LGIF: 'tried to log in',
  LGO: 'logged out',
  AUSC: 'changed the audit',
  PWC: 'changed a password',
  IMP: 'impersonated another',
};

/** `CORP\alice updated dbo.Payroll from WS-ALICE, 10.1.7.12: succeeded` */
export function sentenceOf(event: Told): string {
  const who = event.serverPrincipalName ?? event.databasePrincipalName ?? 'Somebody';
  const origin = [event.hostName, event.clientIp].filter(Boolean).join(', ');
  const from = origin ? ` from ${origin}` : '';
  return `${who} ${deedOf(event)}${from}: ${event.succeeded ? 'succeeded' : 'failed'}`;
}

function deedOf(event: Told): string {
  const { actionId } = event;
  const deed = DEEDS[actionId] ?? memberDeed(event);
  if (deed) return deed;
  const object = objectOf(event);
  const verb = VERBS[actionId];
  if (verb && object) return `${verb} ${object}`;
  const name = actionNameOf(actionId) ?? actionId;
  return object ? `did ${name} on ${object}` : `did ${name}`;
}

/** `added CORP\bob to sysadmin`: the object of such an event is the role. Null: the event changes no role. */
function memberDeed({ actionId, objectName, roleMember }: Told): string | null {
  const [member, role] = [roleMember || 'a member', objectName || 'a role'];
  if (actionId === 'APRL') return `added ${member} to ${role}`;
  return actionId === 'DPRL' ? `took ${member} from ${role}` : null;
}

function objectOf({ databaseName, schemaName, objectName }: Told): string | null {
  if (objectName) return [schemaName, objectName].filter(Boolean).join('.');
  return databaseName ? `the database ${databaseName}` : null;
}
