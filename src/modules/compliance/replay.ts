import { hasMark } from '../../event/marks';
import { fold } from '../../event/search';
import { LIMITS } from '../../limits';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import { type AuditStatement, auditStatementsOf } from './audit-statement';

/** What is known of an audit action group on a server instance from changes to audits alone. */
export interface Recorded {
  readonly is: 'configured' | 'contradicted';
  /** Since when, as an event time. */
  readonly since: string;
  /** The login that made it so; null: the record does not say. */
  readonly by: string | null;
  readonly recordId: string;
}

/** A time in which an audit did not record. */
export interface Stop {
  readonly from: string;
  /** Null: it has not started again. */
  readonly to: string | null;
  readonly recordId: string;
}

interface Change {
  readonly at: string;
  readonly by: string | null;
  readonly recordId: string;
}
interface Switch {
  is: 'on' | 'off' | null;
  change: Change | null;
}
interface Specification {
  audit: string | null;
  readonly state: Switch;
  /** The groups that it has, each with the change that added it. */
  readonly groups: Map<string, Change>;
  readonly removed: Map<string, Change>;
  /** Null: it is of the whole server. */
  readonly database: string | null;
}

/**
 * Replays the changes to audits and their specifications on one server instance, oldest first. What came before the
 * first record is not known, so a specification that was never seen says nothing.
 */
export class AuditReplay {
  readonly #audits = new Map<string, Switch>();
  readonly #specifications = new Map<string, Specification>();
  readonly #stops: { from: string; to: string | null; recordId: string; audit: string | null }[] = [];
  /** Groups of specifications that were dropped. */
  readonly #ended: { readonly group: string; readonly database: string | null; readonly change: Change }[] =
    [];

  /** @param isKnown whether there is such an action group: names that nobody knows are not kept */
  constructor(private readonly isKnown: (group: string) => boolean) {}

  /** @param event of one of the codes in `AUDIT_CHANGES` */
  take(event: StoredAuditEvent): void {
    if (!event.succeeded) return;
    const change = { at: event.eventTime, by: event.serverPrincipalName, recordId: event.recordId };
    const action = event.actionId.trim();
    if (action === 'AUSC') this.#session(String(event.additional.additionalInformation ?? ''), change);
    else if (action === 'AUSF') this.#fail(change);
    else if (isReadable(event.statement)) {
      const statements = auditStatementsOf(event.statement);
      for (const statement of statements)
        if (isOf(statement, event, statements.length === 1)) this.#apply(statement, event, change);
    } else this.#forget(event);
  }

  /**
   * What the changes say of a group; null: nothing.
   * @param within a database, whose own specifications then count too; null: the whole instance
   */
  of(group: string, within: string | null = null): Recorded | null {
    const isOf = (database: string | null) =>
      database === null || (within !== null && fold(database) === fold(within));
    const own = [...this.#specifications.values()].filter(({ database }) => isOf(database));
    const having = own.flatMap((specification) => {
      const added = specification.groups.get(group);
      return added ? [{ specification, added }] : [];
    });
    for (const { specification, added } of having)
      if (specification.state.is === 'on' && this.#auditOf(specification)?.is !== 'off')
        return recorded('configured', latest([added, specification.state.change]));
    const ends = [
      ...own.flatMap(({ removed }) => removed.get(group) ?? []),
      ...having.flatMap(({ specification }) => this.#endOf(specification) ?? []),
      ...this.#ended.filter((one) => one.group === group && isOf(one.database)).map(({ change }) => change),
    ];
    return ends.length === 0 ? null : recorded('contradicted', latest(ends));
  }

  /** The databases whose own specifications record a group. */
  databasesOf(group: string): readonly string[] {
    return [...this.#specifications.values()].flatMap(({ database, state, groups }) =>
      database !== null && state.is === 'on' && groups.has(group) ? [database] : [],
    );
  }

  /** The times in which an audit stood still, oldest first. */
  get stops(): readonly Stop[] {
    return this.#stops;
  }

  #auditOf({ audit }: Specification): Switch | undefined {
    return audit === null ? undefined : this.#audits.get(fold(audit));
  }

  /** The change by which a specification that has a group stopped to record it. */
  #endOf(specification: Specification): Change | null {
    const audit = this.#auditOf(specification);
    if (specification.state.is === 'off') return specification.state.change;
    return audit?.is === 'off' ? audit.change : null;
  }

  /** After a change that cannot be read, nothing is known of what it changed. */
  #forget({ objectName, additional }: StoredAuditEvent): void {
    const isSame = (name: string) => objectName === null || fold(objectName) === fold(name);
    const { classType } = additional;
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

  #applyToAudit({ verb, name, renamed, state }: AuditStatement, change: Change): void {
    const key = fold(name);
    const known = this.#audits.get(key) ?? { is: null, change: null };
    this.#audits.set(key, known);
    // A new audit does not record until it is switched on.
    const asked = verb === 'drop' ? 'off' : state;
    if (asked) this.#turn(known, asked, change, name);
    if (renamed !== null) {
      this.#audits.delete(key);
      this.#audits.set(fold(renamed), known);
      for (const specification of this.#specifications.values())
        if (specification.audit !== null && fold(specification.audit) === key) specification.audit = renamed;
    }
  }

  #applyToSpecification(
    { verb, of, name, audit, adds, drops, state }: AuditStatement,
    event: StoredAuditEvent,
    change: Change,
  ): void {
    const database = of === 'database' ? (event.databaseName ?? '') : null;
    const key = JSON.stringify([database === null ? null : fold(database), fold(name)]);
    const known = this.#specifications.get(key);
    if (verb === 'drop') {
      for (const group of known?.groups.keys() ?? []) this.#ended.push({ group, database, change });
      this.#specifications.delete(key);
      return;
    }
    const specification = known ?? {
      audit: null,
      state: { is: verb === 'create' ? ('off' as const) : null, change: null },
      groups: new Map<string, Change>(),
      removed: new Map<string, Change>(),
      database,
    };
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
    if (state) {
      specification.state.is = state;
      specification.state.change = change;
    }
  }

  /** A session is named after its audit, with `$A` behind. */
  #session(information: string, change: Change): void {
    const name = /<session>(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?<\/session>/s.exec(information)?.[1];
    const isOn = information.includes('event enabled');
    if (!name || (!isOn && !information.includes('event disabled'))) return;
    const audit = name.replace(/\$A$/, '');
    const known = this.#audits.get(fold(audit)) ?? { is: null, change: null };
    this.#audits.set(fold(audit), known);
    this.#turn(known, isOn ? 'on' : 'off', change, audit);
  }

  #turn(audit: Switch, is: 'on' | 'off', change: Change, name: string): void {
    const stop = this.#stops.findLast((one) => one.audit === null || fold(one.audit) === fold(name));
    if (is === 'on' && stop && stop.to === null) stop.to = change.at;
    if (is === 'off' && audit.is !== 'off') this.#stops.push({ ...stopAt(change), audit: name });
    if (audit.is !== is) audit.change = change;
    audit.is = is;
  }

  /** A failure shuts the server down or ends the audit. The record does not say which audit it was. */
  #fail(change: Change): void {
    for (const audit of this.#audits.values()) {
      audit.is = 'off';
      audit.change = change;
    }
    this.#stops.push({ ...stopAt(change), audit: null });
  }
}

const stopAt = ({ at, recordId }: Change) => ({ from: at, to: null as string | null, recordId });

const CLASSES = { audit: 'A', server: 'SA', database: 'DA' } as const;
/** A batch may hold several statements, and each of them leaves a record with the text of the whole batch. */
function isOf(
  { of, name }: AuditStatement,
  { objectName, additional }: StoredAuditEvent,
  isAlone: boolean,
): boolean {
  const { classType } = additional;
  if (typeof classType === 'string' && classType.trim().toUpperCase() !== CLASSES[of]) return false;
  return objectName === null ? isAlone : fold(objectName) === fold(name);
}

/** A statement that is not there, or is too long to be read in one go, is not judged. */
const isReadable = (statement: string | null): statement is string =>
  statement !== null && statement.length <= LIMITS.complianceStatementCharsMax && !hasMark(statement);

const recorded = (is: Recorded['is'], { at, by, recordId }: Change): Recorded => ({
  is,
  since: at,
  by,
  recordId,
});

/** Event times have one format, so they compare as texts. */
const latest = (changes: readonly (Change | null)[]): Change =>
  changes.filter((one) => one !== null).reduce((a, b) => (b.at > a.at ? b : a));
