import { fold } from '../../event/search';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { AuditStatement, ObjectAction } from './audit-statement';
import { ObjectActions, type SingleAction } from './object-actions';
import type { SensitiveObject } from './scope';
import type { Snapshot, SnapshotSpecification } from './snapshot';
import {
  byTime,
  type Change,
  CLASSES,
  covers,
  type Ended,
  type Filter,
  isOf,
  isReadable,
  isWithin,
  keyOf,
  latest,
  newSpecification,
  RECORDED_ACTIONS,
  type Recorded,
  recorded,
  type Specification,
  type Stop,
  type Switch,
  sessionOf,
  statementsIn,
  stopAt,
} from './specification';

/**
 * Replays the changes to audits and their specifications on one server instance, oldest first. What came before the
 * first record is not known, so a specification that was never seen says nothing.
 */
export class AuditReplay {
  readonly #audits = new Map<string, Switch>();
  #seenMs = 0;
  /** The records by which audits were dropped. */
  readonly #drops: Change[] = [];
  /** Audits that leave out what their filters say. */
  readonly #filters = new Map<string, Filter>();
  readonly #specifications = new Map<string, Specification>();
  readonly #stops: ReturnType<typeof stopAt>[] = [];
  /** The newest failure, whose record does not say which audit it was. */
  #failure: Change | null = null;
  /** Groups of specifications that were dropped. */
  #ended: (Ended & { readonly group: string })[] = [];
  /** Single actions of specifications that were dropped. */
  #endedActions: (Ended & { readonly action: string })[] = [];
  /** The single actions, by what they are on; null: they changed since. */
  #actions: ObjectActions | null = null;
  /** Since when a snapshot shows all specifications of the server. */
  #complete: Change | null = null;

  /**
   * @param isKnown whether there is such an action group: names that nobody knows are not kept
   * @param isOfServer whether only specifications of the server may have the group
   */
  constructor(
    private readonly isKnown: (group: string) => boolean,
    private readonly isOfServer: (group: string) => boolean = () => false,
  ) {}

  /** Takes a snapshot: what it does not have of the server, or of its database, is not there at its time. */
  load(snapshot: Snapshot, change: Change): void {
    this.#actions = null;
    const { databaseName, specifications } = snapshot;
    const before = new Map(this.#specifications);
    const given = new Map(specifications.map((one) => [keyOf(one.database, one.name), one]));
    for (const [key, known] of before) {
      const { database } = known;
      if (database !== null && fold(database) !== fold(databaseName)) continue;
      this.#end(known, change, given.get(key));
      this.#specifications.delete(key);
    }
    for (const { name, database, audit, auditIsOn, isOn, groups, actions } of specifications) {
      const key = keyOf(database, name);
      const known = before.get(key);
      const state = isOn ? 'on' : 'off';
      const auditState = this.#audits.get(fold(audit));
      const is = auditIsOn ? 'on' : 'off';
      if (auditState?.is !== is) {
        this.#audits.set(fold(audit), { is, change: turnedBy(auditState?.is ?? null, is, change) });
        if (auditIsOn) this.#endLastStop(audit, change);
      }
      this.#specifications.set(key, {
        ...newSpecification(database, state),
        audit,
        shownAt: change.at,
        state: known?.state.is === state ? known.state : { is: state, change },
        groups: new Map(
          groups.filter(this.isKnown).map((group) => [group, known?.groups.get(group) ?? change]),
        ),
        actions: new Map(
          actions.map((one) => JSON.stringify(one)).map((one) => [one, known?.actions.get(one) ?? change]),
        ),
      });
    }
    this.#complete = change;
  }

  /** @param event of one of the codes in `AUDIT_CHANGES` */
  take(event: StoredAuditEvent): void {
    if (!event.succeeded) return;
    this.#actions = null;
    const change = { at: event.eventTime, by: event.serverPrincipalName, recordId: event.recordId };
    const action = event.actionId.trim();
    if (action === 'AUSC') this.#session(String(event.additional.additionalInformation ?? ''), change);
    else if (action === 'AUSF') this.#fail(change);
    else if (isReadable(event.statement)) {
      const all = statementsIn(event.statement);
      const own = all.filter((statement) => isOf(statement, event, all.length === 1));
      for (const statement of own) this.#apply(statement, event, change);
      if (own.length === 0) this.#forget(event);
    } else this.#forget(event);
  }

  /** Notes the time of the newest event of any code: some audit recorded it. */
  seenThrough(ms: number): void {
    this.#seenMs = ms;
  }

  /**
   * Forgets what the specifications of a database had when it was dropped, made or restored: that was of the one before.
   * What a later snapshot shows stays.
   */
  replaced(databaseName: string, atMs: number): void {
    this.#actions = null;
    const isOlder = (change: Change | null) => change === null || Date.parse(change.at) <= atMs;
    const isOf = (database: string | null) => database !== null && fold(database) === fold(databaseName);
    for (const [key, specification] of this.#specifications) {
      const { database, groups, removed, actions, removedActions, state, shownAt } = specification;
      if (!isOf(database) || (shownAt !== null && Date.parse(shownAt) > atMs)) continue;
      const before = groups.size + actions.size;
      for (const changes of [groups, removed, actions, removedActions])
        for (const [name, change] of changes) if (isOlder(change)) changes.delete(name);
      const isGone = isOlder(state.change);
      if (groups.size + actions.size < before) specification.audit = null;
      if (isGone) [state.is, state.change] = [null, null];
      if (isGone && [groups, removed, actions, removedActions].every(({ size }) => size === 0))
        this.#specifications.delete(key);
    }
    const isLeft = ({ database, change }: Ended) => !isOf(database) || !isOlder(change);
    this.#ended = this.#ended.filter(isLeft);
    this.#endedActions = this.#endedActions.filter(isLeft);
  }

  /**
   * What the changes say of a group; null: nothing.
   * @param within a database, whose own specifications then count too; null: the whole instance
   */
  of(group: string, within: string | null = null): Recorded | null {
    const own = [...this.#specifications.values()].filter(({ database }) => isWithin(database, within));
    const having = own.flatMap((specification) => {
      const added = specification.groups.get(group);
      return added ? [{ specification, added }] : [];
    });
    const on = having.filter(({ specification }) => this.#isOn(specification));
    const begun = on.map(({ specification, added }) => this.#begunOf(specification, added));
    const [first] = begun.sort(byTime);
    if (first) return recorded('configured', first);
    const ends = [
      ...own.flatMap(({ removed }) => removed.get(group) ?? []),
      ...having.flatMap(({ specification }) => this.#endOf(specification) ?? []),
      ...this.#ended
        .filter((one) => one.group === group && isWithin(one.database, within))
        .map(({ change }) => change),
    ];
    if (ends.length > 0) return recorded('contradicted', latest(ends));
    // A group of databases may be in a specification of a database that no snapshot shows.
    return this.#complete && this.isOfServer(group) ? recorded('contradicted', this.#complete) : null;
  }

  /** The filter of the audits because of which specifications record a part only; null: none is known. */
  filterOf(within: string | null, has: (one: Specification) => boolean): Filter | null {
    const all = [...this.#specifications.values()];
    const own = all.filter((one) => isWithin(one.database, within) && has(one) && this.#isOn(one));
    const filters = own.map(({ audit }) => this.#filters.get(fold(audit ?? '')) ?? null);
    return filters.includes(null) ? null : (filters[0] ?? null);
  }

  /** What the changes say of the accesses to an object, or to all within a schema or database; null: nothing. */
  ofObject(object: SensitiveObject, group: string): Recorded | null {
    const byGroup = this.of(group, object.databaseName);
    if (byGroup?.is === 'configured') return byGroup;
    const near = this.#near(object);
    const found = RECORDED_ACTIONS.map((action) => {
      const own = near.filter((one) => covers(one.action, action, object));
      const on = own
        .flatMap((one) =>
          one.is === 'there' && this.#isOn(one.specification)
            ? this.#begunOf(one.specification, one.change)
            : [],
        )
        .sort(byTime);
      const ends = own.flatMap((one) =>
        one.is === 'there' ? (this.#endOf(one.specification) ?? []) : one.change,
      );
      return { on, ends };
    });
    if (found.every(({ on }) => on.length > 0))
      return recorded('configured', latest(found.map(({ on }) => on[0] ?? null)));
    const ends = found.filter(({ on }) => on.length === 0).flatMap((one) => one.ends);
    return ends.length > 0 ? recorded('contradicted', latest(ends)) : byGroup;
  }

  /** Whether a specification records something that people do with an object by single actions. */
  hasActionOn(specification: Specification, object: SensitiveObject): boolean {
    return this.#near(object).some(
      (one) =>
        one.is === 'there' &&
        one.specification === specification &&
        RECORDED_ACTIONS.some((action) => covers(one.action, action, object)),
    );
  }

  /**
   * Whether an access to an object may have been recorded by a specification of single actions, of which it shows nothing
   * about the other actions, or about others who act. @param atMs the time of the access
   */
  mayBeOfActions(object: SensitiveObject, atMs: number): boolean {
    const isLater = (end: Change | null) => end === null || Date.parse(end.at) >= atMs;
    return this.#near(object).some((one) =>
      isLater(one.is === 'there' ? this.#endOf(one.specification) : one.change),
    );
  }

  /** The databases that have, or had, specifications of their own. */
  get databases(): readonly string[] {
    const names = [...this.#specifications.values(), ...this.#ended, ...this.#endedActions].flatMap(
      ({ database }) => database ?? [],
    );
    return [...new Map(names.map((name) => [fold(name), name])).values()].sort();
  }

  /** The databases whose own specifications record a group. */
  databasesOf(group: string): readonly string[] {
    return [...this.#specifications.values()]
      .flatMap((one) =>
        one.database !== null && one.groups.has(group) && this.#isOn(one) ? [one.database] : [],
      )
      .sort();
  }

  /** Whether a specification of a database may have recorded a group at any time after this one. */
  mayBeOfDatabase(group: string, since: string): boolean {
    const isLater = (end: Change | null | undefined) => end != null && end.at >= since;
    return (
      [...this.#specifications.values()].some((one) => {
        if (one.database === null) return false;
        if (!one.groups.has(group)) return isLater(one.removed.get(group));
        const end = this.#endOf(one);
        return end === null || isLater(end);
      }) || this.#ended.some((one) => one.database !== null && one.group === group && isLater(one.change))
    );
  }

  /** The change since which every audit that is known stands still, if it came after a time; null: none did. */
  stillSince(time: string): Change | null {
    return this.#anyAudit(time)?.change ?? null;
  }

  /** The times in which an audit stood still, oldest first. */
  get stops(): readonly Stop[] {
    return this.#stops;
  }

  #near(object: SensitiveObject): readonly SingleAction[] {
    if (!this.#actions) {
      this.#actions = new ObjectActions();
      for (const specification of this.#specifications.values()) {
        const { database, actions, removedActions } = specification;
        if (database === null) continue;
        for (const [is, changes] of [['removed', removedActions] as const, ['there', actions] as const])
          for (const [text, change] of changes)
            this.#actions.add(database, {
              is,
              action: JSON.parse(text) as ObjectAction,
              change,
              specification,
            });
      }
      for (const { action, database, change } of this.#endedActions)
        if (database !== null)
          this.#actions.add(database, { is: 'dropped', action: JSON.parse(action) as ObjectAction, change });
    }
    return this.#actions.near(object);
  }

  #isOn(specification: Specification): boolean {
    return specification.state.is === 'on' && this.#auditOf(specification)?.is !== 'off';
  }

  #auditOf({ audit, state }: Specification): Switch | undefined {
    const since = state.change?.at ?? '';
    if (audit === null) return this.#anyAudit(since);
    const known = this.#audits.get(fold(audit));
    if (known || this.#failure === null || this.#failure.at < since) return known;
    return { is: 'off', change: this.#failure };
  }

  /** What is known of an audit that no record names, by those that stopped after a time. */
  #anyAudit(since: string): Switch | undefined {
    const stop = this.#stops.findLast(({ from, to, audit }) => {
      const stands = audit === null ? to === null : this.#audits.get(fold(audit))?.is === 'off';
      return from >= since && stands;
    });
    const stopped = stop ? { ...stop, at: stop.from } : this.#drops.findLast(({ at }) => at >= since);
    if (!stopped) return undefined;
    // It may be another one that records.
    const isOn = [...this.#audits.values()].some(({ is }) => is === 'on');
    const isRecorded = isOn || this.#seenMs > Date.parse(stopped.at) + STOPPING_MS;
    return { is: 'off', change: isRecorded ? null : stopped };
  }

  /** The change by which a specification that is on records what was added to it, at the time since which it does. */
  #begunOf(specification: Specification, added: Change): Change {
    const change = latest([added, specification.state.change]);
    return { ...change, at: latest([change, this.#auditOf(specification)?.change ?? null]).at };
  }

  /** The change by which a specification that has a group stopped to record it. */
  #endOf(specification: Specification): Change | null {
    const audit = this.#auditOf(specification);
    if (specification.state.is === 'off') return specification.state.change;
    return audit?.is === 'off' ? audit.change : null;
  }

  /** Notes what a specification had, and had before, beside what a snapshot still shows of it. */
  #end(
    { database, groups, removed, actions, removedActions }: Specification,
    change: Change,
    left?: Pick<SnapshotSpecification, 'groups' | 'actions'>,
  ): void {
    const isLeft = new Set([
      ...(left?.groups ?? []),
      ...(left?.actions ?? []).map((one) => JSON.stringify(one)),
    ]);
    const ended = (had: Iterable<string>, gone: ReadonlyMap<string, Change>) =>
      [...gone, ...[...had].map((name) => [name, change] as const)].filter(([name]) => !isLeft.has(name));
    for (const [group, at] of ended(groups.keys(), removed))
      this.#ended.push({ group, database, change: at });
    for (const [action, at] of ended(actions.keys(), removedActions))
      this.#endedActions.push({ action, database, change: at });
  }

  /** After a change that cannot be read, nothing is known of what it changed. */
  #forget({ objectName, additional }: StoredAuditEvent): void {
    const isSame = (name: string) => objectName === null || fold(objectName) === fold(name);
    const classType = String(additional.classType ?? '')
      .trim()
      .toUpperCase();
    if (classType === CLASSES.audit) {
      for (const [name, audit] of this.#audits) if (isSame(name)) audit.is = null;
    } else
      for (const key of this.#specifications.keys())
        if (isSame((JSON.parse(key) as [unknown, string])[1])) this.#specifications.delete(key);
  }

  #apply(statement: AuditStatement, event: StoredAuditEvent, change: Change): void {
    if (statement.of === 'audit') this.#applyToAudit(statement, change);
    else this.#applyToSpecification(statement, event, change);
  }

  #applyToAudit({ verb, name, renamed, hasGuid, filter, state }: AuditStatement, change: Change): void {
    const key = fold(name);
    // A new audit does not record until it is switched on.
    const made: Switch | null = verb === 'create' ? { is: 'off', change } : null;
    const known = made ?? this.#audits.get(key) ?? { is: null, change: null };
    this.#audits.set(key, known);
    const asked = verb === 'drop' ? 'off' : state;
    if (asked) this.#turn(known, asked, change, name);
    if (verb === 'drop') {
      this.#endStop(name, change);
      this.#drops.push(change);
      this.#rename(key, `${DROPPED}${change.recordId} ${name}`);
    }
    // It may have the id of one that was dropped, and so its specifications.
    if (hasGuid)
      for (const specification of this.#specifications.values())
        if (specification.audit?.startsWith(DROPPED)) specification.audit = null;
    if (filter === 'set') this.#filters.set(key, { ...change, audit: name });
    else if (filter === 'removed' || verb !== 'alter') this.#filters.delete(key);
    if (renamed !== null) this.#rename(key, renamed);
  }

  #rename(key: string, name: string): void {
    const known = this.#audits.get(key);
    this.#audits.delete(key);
    if (known) this.#audits.set(fold(name), known);
    for (const stop of this.#stops) if (stop.audit !== null && fold(stop.audit) === key) stop.audit = name;
    const of = this.#filters.get(key);
    if (of) this.#filters.set(fold(name), { ...of, audit: name });
    this.#filters.delete(key);
    for (const specification of this.#specifications.values())
      if (specification.audit !== null && fold(specification.audit) === key) specification.audit = name;
  }

  #applyToSpecification(
    { verb, of, name, audit, adds, drops, actions, state }: AuditStatement,
    event: StoredAuditEvent,
    change: Change,
  ): void {
    const database = of === 'database' ? (event.databaseName ?? '') : null;
    const key = keyOf(database, name);
    const known = this.#specifications.get(key);
    if (verb === 'drop') {
      if (known) this.#end(known, change);
      this.#specifications.delete(key);
      return;
    }
    // One that is made anew was dropped before.
    if (known && verb === 'create') this.#end(known, change);
    const specification =
      verb === 'create' ? newSpecification(database, 'off') : (known ?? newSpecification(database, null));
    this.#specifications.set(key, specification);
    if (audit !== null) specification.audit = audit;
    for (const group of drops.filter(this.isKnown)) {
      specification.groups.delete(group);
      specification.removed.set(group, change);
    }
    for (const group of adds.filter(this.isKnown)) {
      specification.groups.set(group, change);
      specification.removed.delete(group);
    }
    for (const one of actions?.drops ?? []) {
      specification.actions.delete(JSON.stringify(one));
      specification.removedActions.set(JSON.stringify(one), change);
    }
    for (const one of actions?.adds ?? []) {
      specification.actions.set(JSON.stringify(one), change);
      specification.removedActions.delete(JSON.stringify(one));
    }
    if (state) {
      specification.state.is = state;
      specification.state.change = change;
    }
  }

  #session(information: string, change: Change): void {
    const session = sessionOf(information);
    if (!session) return;
    const { audit, isOn } = session;
    const known = this.#audits.get(fold(audit)) ?? { is: null, change: null };
    this.#audits.set(fold(audit), known);
    this.#turn(known, isOn ? 'on' : 'off', change, audit);
  }

  #turn(audit: Switch, is: 'on' | 'off', change: Change, name: string): void {
    if (is === 'on') this.#endLastStop(name, change);
    if (is === 'off' && audit.is !== 'off') this.#stops.push(stopAt(change, name));
    // A failure may have ended one of which nothing was known.
    const before = audit.is ?? (is === 'on' && this.#failure ? 'off' : null);
    if (before !== is) audit.change = turnedBy(before, is, change);
    audit.is = is;
  }

  /** An audit that is on has started again, if it had stood still. */
  #endLastStop(name: string, { at }: Change): void {
    const stop = this.#stops.findLast((one) => one.audit === null || fold(one.audit) === fold(name));
    if (stop && stop.to === null) stop.to = at;
  }

  /** An audit that is gone stands still no more where another one records. Else the next start of any ends its stop. */
  #endStop(name: string, change: Change): void {
    const isRecorded = [...this.#audits.values()].some(({ is }) => is === 'on');
    for (const stop of this.#stops) {
      if (stop.to !== null || stop.audit === null || fold(stop.audit) !== fold(name)) continue;
      if (isRecorded) stop.to = change.at;
      else stop.audit = null;
    }
  }

  /** A failure shuts the server down or ends the audit. The record does not say which audit it was. */
  #fail(change: Change): void {
    for (const audit of this.#audits.values()) {
      audit.is = 'off';
      audit.change = change;
    }
    this.#stops.push(stopAt(change, null));
    this.#failure = change;
  }
}

/** Within this time after its stop, an audit may still have written an event. */
const STOPPING_MS = 1_000;

/**
 * What stands before the name of an audit that was dropped. Its specifications stay without any: a new audit of its name
 * has another id, by which they would name it.
 */
const DROPPED = '\0dropped ';

/** The change by which an audit is on or off; null: nothing was known of it, so it may have been on before. */
const turnedBy = (before: Switch['is'], is: 'on' | 'off', change: Change): Change | null =>
  before === null && is === 'on' ? null : change;
