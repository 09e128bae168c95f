import type { JsonScalar } from '../event/audit-record';
import type { AuditEvent } from '../event/fields';

/** An event as rules look at it. */
export interface DetectionEvent {
  readonly recordId: string;
  /** Event time in microseconds since 1970: whole, and within what a double holds. */
  readonly at: number;
  /** Where it stands in the tenant's order of arrival. */
  readonly position: number;
  readonly fields: Readonly<Partial<AuditEvent>>;
  readonly additional: Readonly<Record<string, JsonScalar>>;
}

export type Value = string | number | boolean | null | undefined;

/** Where a rule finds a field: by number, so that what is folded once serves every rule. */
export interface FieldSlot {
  /** Or `NO_SLOT`. */
  readonly slot: number;
  readonly name: string;
  /** Several where the view of an event has several. */
  readonly read: (event: DetectionEvent) => Value | readonly Value[];
}

/** Of a field that only somebody's own rules know: nothing is kept for it. */
export const NO_SLOT = -1;

/** An empty text is the same as none: on disk SQL Server does not tell them apart. */
export const isAbsent = (value: Value): value is null | undefined | '' =>
  value === null || value === undefined || value === '';

export const textOf = (value: Value): string => (isAbsent(value) ? '' : String(value));

/** Letter case as Sigma folds it. */
export const foldCase = (text: string): string => text.toLowerCase();
