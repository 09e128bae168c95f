import { CLOCK_MARK, type JsonScalar } from '../event/audit-record';
import type { AuditEvent } from '../event/fields';

/** An event in the form that rules read. */
export interface DetectionEvent {
  readonly recordId: string;
  /** Event time in whole microseconds since 1970, small enough for a double to hold exactly. */
  readonly at: number;
  /** The event's place in the tenant's order of arrival. */
  readonly position: number;
  readonly fields: Readonly<Partial<AuditEvent>>;
  readonly additional: Readonly<Record<string, JsonScalar>>;
}

export type Value = string | number | boolean | null | undefined;

/** Whether the event's time cannot be right, so that nothing may be concluded from it about other events. */
export const isMarked = ({ additional }: DetectionEvent): boolean => CLOCK_MARK in additional;

/**
 * The time at which an event tells what is usual, in microseconds since 1970: its own, or that of its arrival if it is
 * marked.
 */
export function usualAt({ at, additional }: DetectionEvent): number {
  const arrivedMs = Date.parse(String(additional[CLOCK_MARK]));
  return Number.isNaN(arrivedMs) ? at : arrivedMs * 1_000;
}

/** How a rule reads a field. The slot is a number, so that a value that was folded once serves every rule. */
export interface FieldSlot {
  /** A number from 0, or `NO_SLOT`. */
  readonly slot: number;
  readonly name: string;
  /** Returns several values where the view of an event has several. */
  readonly read: (event: DetectionEvent) => Value | readonly Value[];
}

/** The slot of a field that only a tenant's own rules name. Its values are not cached. */
export const NO_SLOT = -1;

/** An empty text counts as absent, because SQL Server's files do not distinguish it from none. */
export const isAbsent = (value: Value): value is null | undefined | '' =>
  value === null || value === undefined || value === '';

export const textOf = (value: Value): string => (isAbsent(value) ? '' : String(value));
