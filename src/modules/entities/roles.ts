import { droppedBy, isRename } from '../../event/principals';
import { fold } from '../../event/search';
import type { Answer } from '../../event/shape';
import { type Rename, renameIn } from '../../tsql/renames';
import type { ENTITY } from './answers';

export type HeldRole = NonNullable<Answer<typeof ENTITY>['roles']>[number];

/** An event that changed the members of a role, dropped a login or a user, or renamed a login. */
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
  /** Of a rename it has both names, if they are in the beginning of the statement. */
  readonly statementPreview?: string | null;
  /** What the whole statement renames, where the preview is cut; null: nothing. */
  readonly rename?: Rename | null;
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
 * Who holds which role. A login that is dropped leaves the roles of its server, and a user those of its database. A login
 * that is renamed holds them under its new name, since it got them. Who is removed from a role without having been added was a member before the log began.
 * @param changes in the order of their times
 * @returns the roles that are held, then those that were held, the latest first
 */
export function heldRoles(changes: readonly RoleChange[]): readonly HeldRole[] {
  const held = new Map<string, HeldRole>();
  const ended: HeldRole[] = [];
  const end = (key: string, one: HeldRole, { eventTime, serverPrincipalName, recordId }: RoleChange) => {
    held.delete(key);
    ended.push({ ...one, until: eventTime, untilBy: serverPrincipalName, untilRecordId: recordId });
  };
  for (const change of changes) {
    const { objectName: role, serverInstanceName, actionId, eventTime, recordId } = change;
    if (!change.succeeded) continue;
    if (isRename(change)) {
      const rename = renameOf(change);
      if (!rename) continue;
      for (const [key, one] of [...held])
        if (isOf(one, { kind: 'login', name: rename.from }, change)) {
          end(key, one, change);
          const renamed = { ...one, member: rename.to };
          held.set(keyOf(renamed), renamed);
        }
      continue;
    }
    if (role === null) continue;
    const dropped = droppedBy({ ...change, classType: change.classType ?? null });
    if (dropped) {
      for (const [key, one] of held) if (isOf(one, dropped, change)) end(key, one, change);
      continue;
    }
    const databaseName = isOfServer(change) ? null : change.databaseName;
    const member = change.roleMember ?? null;
    const by = change.serverPrincipalName;
    const key = keyOf({ role, member, serverInstanceName, databaseName });
    const known = held.get(key);
    const none = { since: null, by: null, recordId: null, until: null, untilBy: null, untilRecordId: null };
    const of = { role, member, serverInstanceName, databaseName, ...none };
    if (actionId.startsWith('A')) {
      if (!known) held.set(key, { ...of, since: eventTime, by, recordId });
    } else end(key, known ?? of, change);
  }
  const latest = (a: string | null, b: string | null) => ((a ?? '') < (b ?? '') ? 1 : -1);
  return [
    ...[...held.values()].sort((a, b) => latest(a.since, b.since)),
    ...ended.sort((a, b) => latest(a.until, b.until)),
  ];
}

/** What the whole statement of an event renames; null: nothing. */
export const renameBy = ({
  statement,
  objectName,
}: {
  readonly statement: string | null;
  readonly objectName: string | null;
}): Rename | null => renameIn(statement ?? '', objectName);

const renameOf = ({ rename, statementPreview, objectName }: RoleChange): Rename | null =>
  rename === undefined ? renameIn(statementPreview ?? '', objectName) : rename;

type Membership = Pick<HeldRole, 'role' | 'member' | 'serverInstanceName' | 'databaseName'>;

const keyOf = ({ role, member, serverInstanceName, databaseName }: Membership): string =>
  JSON.stringify([
    ...[fold(serverInstanceName ?? ''), databaseName && fold(databaseName)],
    ...[fold(role), member && fold(member)],
  ]);

/** Whether a membership is of what a change dropped or renamed. */
function isOf(
  { member, serverInstanceName, databaseName }: Membership,
  { kind, name }: NonNullable<ReturnType<typeof droppedBy>>,
  change: RoleChange,
): boolean {
  if (member === null || fold(member) !== fold(name)) return false;
  if (fold(serverInstanceName ?? '') !== fold(change.serverInstanceName ?? '')) return false;
  if (kind === 'login' || databaseName === null) return kind === 'login' && databaseName === null;
  return fold(databaseName) === fold(change.databaseName ?? '');
}

/** The names of some logins, and all that they had or got by renames. */
export function namesOver(renames: readonly RoleChange[], logins: readonly string[]): readonly string[] {
  const others = new Map<string, string[]>();
  const note = (name: string, other: string) => {
    const known = others.get(fold(name)) ?? [];
    known.push(other);
    others.set(fold(name), known);
  };
  for (const change of renames) {
    const rename = change.succeeded ? renameOf(change) : null;
    if (!rename) continue;
    note(rename.from, rename.to);
    note(rename.to, rename.from);
  }
  const names = new Map(logins.map((name) => [fold(name), name]));
  // The map grows while it is walked.
  for (const [name] of names)
    for (const other of others.get(name) ?? []) if (!names.has(fold(other))) names.set(fold(other), other);
  return [...names.values()];
}
