import { hasMark } from '../../event/marks';
import { fold } from '../../event/search';
import { LIMITS } from '../../limits';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import { readCalls } from '../../tsql/calls';
import {
  type AuditStatement,
  auditStatementsOf,
  type ObjectAction,
  onlyReadsBackups,
} from './audit-statement';
import type { SensitiveObject } from './scope';

/** What is known of an audit action group on a server instance from changes to audits alone. */
export interface Recorded {
  readonly is: 'configured' | 'contradicted';
  /** Since when, as an event time. */
  readonly since: string;
  /** The login that made it so, or the snapshot that shows it; null: the record does not say. */
  readonly by: string | null;
  /** Null: a snapshot shows it. */
  readonly recordId: string | null;
}

/** A time in which an audit did not record. */
export interface Stop {
  readonly from: string;
  /** Null: it has not started again. */
  readonly to: string | null;
  readonly recordId: string | null;
}

export type Change = Omit<Recorded, 'is' | 'since'> & { readonly at: string };
/** What a specification had that was dropped. */
export interface Ended {
  readonly database: string | null;
  readonly change: Change;
}
/** The change by which an audit got a filter of events. */
export type Filter = Change & { readonly audit: string };

export interface Switch {
  is: 'on' | 'off' | null;
  change: Change | null;
}
export interface Specification {
  audit: string | null;
  readonly state: Switch;
  /** The groups that it has, each with the change that added it. */
  readonly groups: Map<string, Change>;
  readonly removed: Map<string, Change>;
  /** Single actions on objects, by `JSON.stringify`. */
  readonly actions: Map<string, Change>;
  readonly removedActions: Map<string, Change>;
  /** Null: it is of the whole server. */
  readonly database: string | null;
  /** The time of the newest snapshot that shows it; null: none does. */
  readonly shownAt: string | null;
}

export const newSpecification = (database: string | null, is: Switch['is']): Specification => ({
  audit: null,
  state: { is, change: null },
  groups: new Map(),
  removed: new Map(),
  actions: new Map(),
  removedActions: new Map(),
  database,
  shownAt: null,
});

/** Whether a specification counts for a database, or for the whole instance (null). */
export const isWithin = (database: string | null, within: string | null): boolean =>
  database === null || (within !== null && fold(database) === fold(within));

export const keyOf = (database: string | null, name: string) =>
  JSON.stringify([database === null ? null : fold(database), fold(name)]);

/** An object is recorded if each of these actions on it is. */
export const RECORDED_ACTIONS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
export const isSame = (a: string | null, b: string | null) =>
  a === null || (b !== null && fold(a) === fold(b));
/** Whether a single action of a specification covers an action of everybody on an object. */
export const covers = (of: ObjectAction, action: string, { schemaName, objectName }: SensitiveObject) =>
  of.action === action &&
  fold(of.by) === 'public' &&
  isSame(of.schemaName, schemaName) &&
  isSame(of.objectName, objectName);

/** @param audit null: no record says which it is */
export const stopAt = ({ at, by, recordId }: Change, audit: string | null) => ({
  ...{ from: at, to: null as string | null },
  ...{ by, recordId, audit },
});

export const CLASSES = { audit: 'A', server: 'SA', database: 'DA' } as const;
/** A batch may hold several statements, and each of them leaves a record with the text of the whole batch. */
export function isOf(
  { of, name }: AuditStatement,
  { objectName, additional }: StoredAuditEvent,
  isAlone: boolean,
): boolean {
  const { classType } = additional;
  if (typeof classType === 'string' && classType.trim().toUpperCase() !== CLASSES[of]) return false;
  return objectName === null ? isAlone : fold(objectName) === fold(name);
}

/** The audit that a record of a session tells of, and whether it began; null: neither. A session has `$A` behind. */
export function sessionOf(information: string): { readonly audit: string; readonly isOn: boolean } | null {
  const name = /<session>(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?<\/session>/s.exec(information)?.[1];
  const isOn = information.includes('event enabled');
  if (!name || (!isOn && !information.includes('event disabled'))) return null;
  return { audit: name.replace(/\$A$/, ''), isOn };
}

/** The statements on audits of a record, also those in texts that it executes. */
export const statementsIn = (statement: string): readonly AuditStatement[] =>
  [statement, ...readCalls(statement).executed].flatMap(auditStatementsOf);

/** A statement that is not there, or is too long to be read in one go, is not judged. */
export const isReadable = (statement: string | null): statement is string =>
  statement !== null && statement.length <= LIMITS.complianceStatementCharsMax && !hasMark(statement);

/** Whether the record of a restore is of one that reads a backup only. */
export const isOnlyRead = (statement: string | null): boolean =>
  isReadable(statement) && onlyReadsBackups(statement);

export const recorded = (is: Recorded['is'], { at, by, recordId }: Change): Recorded => ({
  is,
  since: at,
  by,
  recordId,
});

/** Event times have one format, so they compare as texts. */
export const byTime = (a: Change, b: Change): number => (a.at < b.at ? -1 : 1);
export const latest = (changes: readonly (Change | null)[]): Change =>
  changes.filter((one) => one !== null).reduce((a, b) => (b.at > a.at ? b : a));
