import { actionNameOf } from '../../../../src/event/action-names';
import type { In } from '../../lib/texts';
import type { EVENT } from './texts';

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

type Texts = In<typeof EVENT>;

/** The frequent actions that the catalogue tells with an object, without one, and with a member and a role. */
const WITH_OBJECT = [
  ...(['SL', 'IN', 'UP', 'DL', 'MG', 'EX', 'CR', 'AL', 'DR'] as const),
  ...(['TRO', 'G', 'R', 'D', 'BA', 'RS', 'VSST'] as const),
];
const ALONE = ['LGIS', 'LGIF', 'LGO', 'AUSC', 'PWC', 'IMP'] as const;
const OF_ROLES = ['APRL', 'DPRL'] as const;

/** `CORP\alice updated dbo.Payroll from WS-ALICE, 10.1.7.12: succeeded` */
export function sentenceOf(event: Told, t: Texts): string {
  const who = event.serverPrincipalName ?? event.databasePrincipalName ?? t.somebody;
  const origin = [event.hostName, event.clientIp].filter(Boolean).join(', ');
  return t.sentence(who, deedOf(event, t), origin, event.succeeded);
}

function deedOf(event: Told, t: Texts): string {
  const { actionId } = event;
  const among = <T extends string>(ids: readonly T[]) => ids.find((id) => id === actionId);
  const alone = among(ALONE);
  if (alone) return t[alone];
  // The object of such an event is the role.
  const change = among(OF_ROLES);
  if (change) return t[change](event.roleMember || t.aMember, event.objectName || t.aRole);
  const object = objectOf(event, t);
  const verb = among(WITH_OBJECT);
  if (verb && object) return t[verb](object);
  const name = actionNameOf(actionId) ?? actionId;
  return object ? t.didOn(name, object) : t.did(name);
}

function objectOf({ databaseName, schemaName, objectName }: Told, t: Texts): string | null {
  if (objectName) return [schemaName, objectName].filter(Boolean).join('.');
  return databaseName ? t.theDatabase(databaseName) : null;
}
