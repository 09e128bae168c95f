import { type Expression, equals, type FieldTerm } from '../../event/expression/expression';
import { liftedValue } from '../../event/lifted';
import { droppedBy, isRename } from '../../event/principals';
import { fold } from '../../event/search';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import { renameIn } from '../../tsql/renames';

/** Roles whose members can do nearly everything, or give themselves the right to it. */
const SERVER_ROLES = [
  'sysadmin',
  'securityadmin',
  'serveradmin',
  'setupadmin',
  'processadmin',
  '##ms_servicemanager##',
];
const DATABASE_ROLES = ['db_owner', 'db_securityadmin', 'db_accessadmin'];
/** It has every right on each server, without a role. */
const SA = 'sa';

/** The time in which a principal is a member; null: it still is. */
interface Membership {
  readonly from: string;
  to: string | null;
}

/**
 * Who is a member of a powerful role when. Events that change roles, drop logins and users, or rename logins are given in
 * the order of their times. Who is removed without having been added was a member before the log began. While sa has
 * another name, that name counts too.
 */
export class Privileged {
  /** By place and name, letter case folded. The place is a server, or a database of it. */
  readonly #members = new Map<string, Map<string, Membership[]>>();
  readonly #logins = new Set([SA]);
  readonly #users = new Set<string>();

  take(event: StoredAuditEvent): void {
    const { actionId, succeeded, objectName, eventTime } = event;
    if (!succeeded) return;
    if (isRename(event)) this.#rename(event);
    if (objectName === null) return;
    const dropped = droppedBy({ ...event, classType: liftedValue('classType', event) });
    if (dropped) {
      const left = this.#members.get((dropped.kind === 'login' ? loginKey : userKey)(event, dropped.name));
      for (const times of left?.values() ?? []) endAt(times, eventTime);
      return;
    }
    const member = liftedValue('roleMember', event);
    if (member === null) return;
    const role = fold(objectName);
    const isOfServer = SERVER_ROLES.includes(role);
    if (!isOfServer && !DATABASE_ROLES.includes(role)) return;
    (isOfServer ? this.#logins : this.#users).add(member);
    const key = isOfServer ? loginKey(event, member) : userKey(event, member);
    const roles = this.#members.get(key) ?? new Map<string, Membership[]>();
    this.#members.set(key, roles);
    const times = roles.get(role) ?? [];
    roles.set(role, times);
    const last = times.at(-1);
    if (actionId.startsWith('A')) {
      if (last?.to !== null) times.push({ from: eventTime, to: null });
    } else if (!last) times.push({ from: '', to: eventTime });
    else endAt(times, eventTime);
  }

  #rename(event: StoredAuditEvent): void {
    const { eventTime, objectName, statement } = event;
    const rename = renameIn(statement ?? '', objectName);
    if (!rename) return;
    const { from, to } = rename;
    const before = this.#members.get(loginKey(event, from)) ?? new Map<string, Membership[]>();
    if (fold(from) === SA) before.set(SA, [{ from: eventTime, to: null }]);
    const now = this.#members.get(loginKey(event, to)) ?? new Map<string, Membership[]>();
    for (const [role, times] of before) {
      if (times.at(-1)?.to !== null) continue;
      endAt(times, eventTime);
      const held = now.get(role) ?? [];
      if (held.at(-1)?.to !== null) held.push({ from: eventTime, to: null });
      now.set(role, held);
    }
    if (now.size === 0) return;
    this.#members.set(loginKey(event, to), now);
    this.#logins.add(to);
  }

  /** Whether a principal of the event is sa, or a member at that time. */
  has(event: StoredAuditEvent): boolean {
    const { serverPrincipalName: login, databasePrincipalName: user } = event;
    if (login !== null && fold(login) === SA) return true;
    return (
      (login !== null && this.#isMember(loginKey(event, login), event.eventTime)) ||
      (user !== null && this.#isMember(userKey(event, user), event.eventTime))
    );
  }

  #isMember(key: string, time: string): boolean {
    for (const times of this.#members.get(key)?.values() ?? [])
      if (times.some(({ from, to }) => from <= time && (to === null || time <= to))) return true;
    return false;
  }

  /** A condition that every event of a principal satisfies. */
  get expression(): Expression {
    const term = (field: FieldTerm['field']) => (text: string) => equals(field, text, true);
    const of = [
      ...[...this.#logins].map(term('serverPrincipalName')),
      ...[...this.#users].map(term('databasePrincipalName')),
    ];
    return { kind: 'or', of };
  }
}

function endAt(times: readonly Membership[], time: string): void {
  const last = times.at(-1);
  if (last?.to === null) last.to = time;
}

type Placed = Pick<StoredAuditEvent, 'serverInstanceName' | 'databaseName'>;
const loginKey = ({ serverInstanceName }: Placed, name: string) =>
  JSON.stringify([fold(serverInstanceName ?? ''), fold(name)]);
const userKey = ({ serverInstanceName, databaseName }: Placed, name: string) =>
  JSON.stringify([fold(serverInstanceName ?? ''), fold(databaseName ?? ''), fold(name)]);
