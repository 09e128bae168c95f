import type { AuditEventFilter } from '../../../event/query';
import type { StoredAuditEvent } from '../../rows/audit-event-reader';
import type { ArrivedRow } from './row-text';

/** An event, at its place in the evidence log of its tenant. */
export interface ArrivedEvent {
  /** Index in the log, from 0. */
  readonly position: number;
  readonly event: StoredAuditEvent;
  /**
   * The time when the service received the event: ISO 8601, UTC, milliseconds. Null: the event was stored by a release
   * that did not keep this time.
   */
  readonly receivedAt: string | null;
}

/** An event as JSON of a feed item in the service's own form. Most readers ask for it; it is made without the event. */
export interface ArrivedText {
  readonly position: number;
  readonly json: string;
}

/** The place in a log from which to read on. */
export interface ArrivalPlace {
  readonly tenantId: number;
  /** The first position to read. */
  readonly from: number;
}

/** A stretch of one tenant's log: the positions from `from` to before `next`. */
export interface Arrivals<T = ArrivedEvent> extends ArrivalPlace {
  readonly next: number;
  /** The number of entries that the log had. */
  readonly size: number;
  /** In the order of their positions. */
  readonly items: readonly T[];
  /**
   * Positions of the stretch whose events retention removed. A removed event that was sent again stands further on, at
   * the position of its new arrival.
   */
  readonly removed: number;
  /** Positions of entries that are not events: those of the service, and what an erasure left. Nobody lacks an event there. */
  readonly others: readonly number[];
  /** The removed positions at the beginning of the log, which were passed at once. */
  readonly skipped: number;
  /** Bytes of the statements and additional values that were read. */
  readonly bytes: number;
}

/** How many events retention removed of the positions of a stretch that stand before a place in it. */
export function removedBefore(
  { from, items, others }: Arrivals<{ readonly position: number }>,
  place: number,
): number {
  const isBefore = (position: number) => position < place;
  const there = items.filter(({ position }) => isBefore(position)).length + others.filter(isBefore).length;
  return place - from - there;
}

/** The limits of one call. The limit that is reached first ends the stretch. */
export interface ArrivalLimits {
  /** Positions read, of all tenants together. The removed beginning of a log is passed at once and does not count. */
  readonly positions: number;
  /** The stretch ends before this position at the latest. */
  readonly end?: number;
  /** No position is passed unread: a check of the log does not trust a table about which events are gone. */
  readonly isWhole?: true;
  readonly events: number;
  /** Bytes of statements and additional values, those of the last event not counted. */
  readonly bytes: number;
  /** Only events of these actions, in lower case, are read. The others count as removed. */
  readonly actions?: readonly string[] | undefined;
  /** Events have marks in place of large statements (`LargeStatements`). */
  readonly hasMarks?: boolean | undefined;
}

/** The limits of one statement. */
export type ReadLimits = Pick<ArrivalLimits, 'events' | 'bytes' | 'actions' | 'hasMarks'>;

/**
 * Port: a tenant's events in the order in which they arrived. An event that the log does not hold yet is missing here.
 * It comes at a later position, so a reader that goes on from `next` misses nothing and reads nothing twice.
 */
export interface ArrivalReader {
  /** The number of entries of each log; 0: the tenant has no log. */
  sizes(tenants: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /**
   * The hash of the entry before each position, in hex, by tenant. A tenant is missing if its log has no such entry. The
   * hash is salted for each arrival, and stays when its event is removed or erased. So it tells a log from another one
   * of the same length, as a fail-over to a database that lacks the last entries makes it.
   */
  marks(positions: ReadonlyMap<number, number>): Promise<ReadonlyMap<number, string>>;
  read(tenantId: number, from: number, limits: ArrivalLimits): Promise<Arrivals>;
  readRows(tenantId: number, from: number, limits: ArrivalLimits): Promise<Arrivals<ArrivedRow>>;
  /**
   * Reads several tenants with few statements. Each tenant has its share of the limits; a share that one tenant does
   * not use is not given to another. The answers are in the order of the places. A `from` beyond the end means the end.
   */
  readEach(places: readonly ArrivalPlace[], limits: ArrivalLimits): Promise<readonly Arrivals[]>;
  readTexts(
    places: readonly ArrivalPlace[],
    limits: ArrivalLimits,
  ): Promise<readonly Arrivals<ArrivedText>[]>;
  /** Whether an event passes a filter, as the database says: for one that was read with a mark. */
  passes(tenantId: number, recordId: string, filter: AuditEventFilter): Promise<boolean>;
  /** The first position that was received at this time or later, or at an unknown time; else the end of the log. */
  positionAt(tenantId: number, receivedAt: Date): Promise<number>;
}
