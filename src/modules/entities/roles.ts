import { droppedBy } from '../../event/principals';
import { fold } from '../../event/search';
import type { Answer } from '../../event/shape';
import type { ENTITY } from './answers';

export type HeldRole = NonNullable<Answer<typeof ENTITY>['roles']>[number];

/** An event that changed the members of a role, or dropped a login or a user. */
export interface RoleChange {
  readonly recordId: string;
  readonly eventTime: string;
  readonly actionId: string;
  readonly succeeded: boolean;
  readonly serverInstanceName: string | null;
  readonly databaseName: string | null;
  /** The role, or what was dropped. */
  readonly objectName: string | null;
  readonly serverPrincipalName: string | null;
  readonly roleMember?: string | null;
  /** `SG` is a role of the server. */
  readonly classType?: string | null;
}

const SERVER_CLASS = 'SG';
const SERVER_ROLES = [
  ...['sysadmin', 'securityadmin', 'serveradmin', 'setupadmin', 'processadmin', 'diskadmin', 'dbcreator'],
  'bulkadmin',
];

const isOfServer = ({ classType, objectName }: RoleChange) =>
  classType === SERVER_CLASS ||
  SERVER_ROLES.includes(fold(objectName ?? '')) ||
  fold(objectName ?? '').startsWith('##ms_');

/**
 * Who holds which role. A login that is dropped leaves the roles of its server, and a user those of its database. Who is
 * removed from a role without having been added was a member before the log began.
 * @param changes in the order of their times
 * @returns the roles that are held, then those that were held, the latest first
 */
export function heldRoles(changes: readonly RoleChange[]): readonly HeldRole[] {
  const held = new Map<string, HeldRole>();
  const ended: HeldRole[] = [];
  for (const change of changes) {
    const { objectName: role, serverInstanceName, actionId, eventTime, recordId } = change;
    if (!change.succeeded || role === null) continue;
    const dropped = droppedBy({ ...change, classType: change.classType ?? null });
    if (dropped) {
      for (const [key, one] of held)
        if (isOf(one, dropped, change)) {
          held.delete(key);
          ended.push({
            ...one,
            until: eventTime,
            untilBy: change.serverPrincipalName,
            untilRecordId: recordId,
          });
        }
      continue;
    }
    const databaseName = isOfServer(change) ? null : change.databaseName;
    const member = change.roleMember ?? null;
    const place = [fold(serverInstanceName ?? ''), databaseName && fold(databaseName)];
    const key = JSON.stringify([...place, fold(role), member && fold(member)]);
    const by = change.serverPrincipalName;
    const known = held.get(key);
    const none = { since: null, by: null, recordId: null, until: null, untilBy: null, untilRecordId: null };
    const of = { role, member, serverInstanceName, databaseName, ...none };
    if (actionId.startsWith('A')) {
      if (!known) held.set(key, { ...of, since: eventTime, by, recordId });
    } else {
      held.delete(key);
      ended.push({ ...(known ?? of), until: eventTime, untilBy: by, untilRecordId: recordId });
    }
  }
  const latest = (a: string | null, b: string | null) => ((a ?? '') < (b ?? '') ? 1 : -1);
  return [
    ...[...held.values()].sort((a, b) => latest(a.since, b.since)),
    ...ended.sort((a, b) => latest(a.until, b.until)),
  ];
}

/** Whether a membership is of what a change dropped. */
function isOf(
  { member, serverInstanceName, databaseName }: HeldRole,
  { kind, name }: NonNullable<ReturnType<typeof droppedBy>>,
  change: RoleChange,
): boolean {
  if (member === null || fold(member) !== fold(name)) return false;
  if (fold(serverInstanceName ?? '') !== fold(change.serverInstanceName ?? '')) return false;
  if (kind === 'login' || databaseName === null) return kind === 'login' && databaseName === null;
  return fold(databaseName) === fold(change.databaseName ?? '');
}
