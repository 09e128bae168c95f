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

/** The roles of a principal, each with the times in which it is a member, at a server or in a database of it. */
interface Roles {
  readonly place: readonly string[];
  readonly name: string;
  readonly times: Map<string, Membership[]>;
}

/** A membership on the way to a powerful role. Member and role are named by their place and name. */
interface Step {
  readonly member: string;
  readonly above: string;
  readonly isPowerful: boolean;
  readonly times: readonly Membership[];
}

/**
 * Who is a member of a powerful role when, also by a role that is a member of it. Events that change roles, drop logins and users, or rename logins are given in
 * the order of their times. Who is removed without having been added was a member before the log began. While sa has
 * another name, that name counts too.
 */
export class Privileged {
  /** By place and name, letter case folded. The place is a server, or a database of it. */
  readonly #members = new Map<string, Roles>();
  /** What `#leading` found; null: nobody asked since the last change. */
  #steps: ReadonlyMap<string, readonly Step[]> | null = null;

  take(event: StoredAuditEvent): void {
    this.#steps = null;
    const { actionId, succeeded, objectName, eventTime } = event;
    if (!succeeded) return;
    if (isRename(event)) this.#rename(event);
    if (objectName === null) return;
    const classType = liftedValue('classType', event);
    const dropped = droppedBy({ ...event, classType });
    if (dropped) {
      const place = dropped.kind === 'login' ? serverOf(event) : databaseOf(event);
      for (const times of this.#members.get(keyOf(place, dropped.name))?.times.values() ?? [])
        endAt(times, eventTime);
      return;
    }
    const member = liftedValue('roleMember', event);
    if (member === null) return;
    const role = fold(objectName);
    const place = placeOf(event, role, classType);
    if (!place) return;
    const roles = this.#rolesOf(place, member);
    const times = roles.times.get(role) ?? [];
    roles.times.set(role, times);
    const last = times.at(-1);
    if (actionId.startsWith('A')) {
      if (last?.to !== null) times.push({ from: eventTime, to: null });
    } else if (!last) times.push({ from: '', to: eventTime });
    else endAt(times, eventTime);
  }

  #rolesOf(place: readonly string[], name: string): Roles {
    const key = keyOf(place, name);
    const roles = this.#members.get(key) ?? { place, name, times: new Map<string, Membership[]>() };
    this.#members.set(key, roles);
    return roles;
  }

  #rename(event: StoredAuditEvent): void {
    const { eventTime, objectName, statement } = event;
    const rename = renameIn(statement ?? '', objectName);
    if (!rename) return;
    const { from, to } = rename;
    const place = serverOf(event);
    const before = new Map(this.#members.get(keyOf(place, from))?.times);
    if (fold(from) === SA) before.set(SA, [{ from: eventTime, to: null }]);
    if (before.size === 0) return;
    const { times: now } = this.#rolesOf(place, to);
    for (const [role, times] of before) {
      if (times.at(-1)?.to !== null) continue;
      endAt(times, eventTime);
      const held = now.get(role) ?? [];
      if (held.at(-1)?.to !== null) held.push({ from: eventTime, to: null });
      now.set(role, held);
    }
  }

  /** Whether a principal of the event is sa, or a member at that time. */
  has(event: StoredAuditEvent): boolean {
    const { serverPrincipalName: login, databasePrincipalName: user, eventTime } = event;
    if (login !== null && fold(login) === SA) return true;
    return (
      (login !== null && this.#isPrivileged(keyOf(serverOf(event), login), eventTime)) ||
      (user !== null && this.#isPrivileged(keyOf(databaseOf(event), user), eventTime))
    );
  }

  #isPrivileged(key: string, time: string): boolean {
    const steps = this.#leading();
    const reached = new Set([key]);
    for (const one of reached)
      for (const { above, isPowerful, times } of steps.get(one) ?? []) {
        if (!isAt(times, time)) continue;
        if (isPowerful) return true;
        reached.add(above);
      }
    return false;
  }

  /**
   * The memberships that lead to a powerful role, by member, also by roles that are members of it. A role may have had its
   * members at another time. Of all memberships, an event of a login in thousands of roles would look at each.
   */
  #leading(): ReadonlyMap<string, readonly Step[]> {
    if (this.#steps) return this.#steps;
    const all: Step[] = [];
    for (const [member, { place, times: roles }] of this.#members)
      for (const [role, times] of roles)
        all.push({ member, above: keyOf(place, role), isPowerful: isPowerfulRole(place, role), times });
    const below = grouped(all, 'above');
    const leading = new Set(all.filter((step) => step.isPowerful).map(({ member }) => member));
    for (const one of leading) for (const { member } of below.get(one) ?? []) leading.add(member);
    const kept = all.filter(({ isPowerful, above }) => isPowerful || leading.has(above));
    const steps = grouped(kept, 'member');
    this.#steps = steps;
    return steps;
  }

  /** A condition that every event of a principal satisfies. */
  get expression(): Expression {
    const [logins, users] = [new Set([SA]), new Set<string>()];
    const steps = this.#leading();
    for (const [key, { place, name }] of this.#members)
      if (steps.has(key)) (isServer(place) ? logins : users).add(name);
    const term = (field: FieldTerm['field']) => (text: string) => equals(field, text, true);
    const of = [
      ...[...logins].map(term('serverPrincipalName')),
      ...[...users].map(term('databasePrincipalName')),
    ];
    return { kind: 'or', of };
  }
}

function endAt(times: readonly Membership[], time: string): void {
  const last = times.at(-1);
  if (last?.to === null) last.to = time;
}

function grouped(steps: readonly Step[], by: 'member' | 'above'): ReadonlyMap<string, readonly Step[]> {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const group = groups.get(step[by]) ?? [];
    groups.set(step[by], group);
    group.push(step);
  }
  return groups;
}

const isAt = (times: readonly Membership[], time: string) =>
  times.some(({ from, to }) => from <= time && (to === null || time <= to));

type Placed = Pick<StoredAuditEvent, 'serverInstanceName' | 'databaseName'>;
const serverOf = ({ serverInstanceName }: Placed) => [fold(serverInstanceName ?? '')];
const databaseOf = (event: Placed) => [...serverOf(event), fold(event.databaseName ?? '')];
const isServer = (place: readonly string[]) => place.length === 1;
const keyOf = (place: readonly string[], name: string) => JSON.stringify([...place, fold(name)]);

/** Where a role is; null: no record says it, and the name is none of a powerful role. */
function placeOf(event: Placed, role: string, classType: string | null): readonly string[] | null {
  const isOther = classType !== 'SG' && classType !== 'RL';
  if (classType === 'SG' || (isOther && SERVER_ROLES.includes(role))) return serverOf(event);
  return classType === 'RL' || (isOther && DATABASE_ROLES.includes(role)) ? databaseOf(event) : null;
}

const isPowerfulRole = (place: readonly string[], role: string) =>
  isServer(place) ? SERVER_ROLES.includes(role) || role === SA : DATABASE_ROLES.includes(role);
