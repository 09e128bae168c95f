import type { StoredAuditEvent } from '../audit-event-reader';

/** An event, at its place in the evidence log of its tenant. */
export interface ArrivedEvent {
  /** Index in the log, from 0. */
  readonly position: number;
  readonly event: StoredAuditEvent;
  /** When the service received it: ISO 8601, UTC, milliseconds. Null: it was stored by a release that did not keep this. */
  readonly receivedAt: string | null;
}

/** The same as JSON of a feed's item in the service's own form: what most readers ask for, made without the event. */
export interface ArrivedText {
  readonly position: number;
  readonly json: string;
}

/** Where to read on. */
export interface ArrivalPlace {
  readonly tenantId: number;
  /** The first position to read. */
  readonly from: number;
}

/** A stretch of one tenant's log: the positions from `from` to before `next`. */
export interface Arrivals<T = ArrivedEvent> extends ArrivalPlace {
  readonly next: number;
  /** Where the log ended: entries of it. */
  readonly size: number;
  /** In the order of their positions. */
  readonly items: readonly T[];
  /**
   * Positions of the stretch without an event: retention removed it. One that was sent again after that stands further
   * on, at the position of its new arrival.
   */
  readonly removed: number;
  /** Those among them at the log's beginning that were passed at once. */
  readonly skipped: number;
  /** Of statements and additional values that were read. */
  readonly bytes: number;
}

/** Of one call. Whichever is reached first ends the stretch. */
export interface ArrivalLimits {
  /** Positions gone through, of all tenants together; a log's removed beginning is passed at once and does not count. */
  readonly positions: number;
  /** The stretch goes no further than to before this position. */
  readonly end?: number;
  /** No position is passed unread: whoever verifies a log does not take it from a table which of its events are gone. */
  readonly isWhole?: true;
  readonly events: number;
  /** Of statements and additional values, but for those of the last event. */
  readonly bytes: number;
  /** Only events of these actions, in lower case, are read. The others count as removed. */
  readonly actions?: readonly string[] | undefined;
}

/**
 * Port: a tenant's events in the order in which they arrived. An event that the log does not hold yet is missing here.
 * It comes at a later position, so a reader that goes on from `next` misses nothing and reads nothing twice.
 */
export interface ArrivalReader {
  /** How many entries the logs have; 0: the tenant has none. */
  sizes(tenants: readonly number[]): Promise<ReadonlyMap<number, number>>;
  read(tenantId: number, from: number, limits: ArrivalLimits): Promise<Arrivals>;
  /**
   * The same for several tenants with few statements. Each has its share of the limits; what one leaves over is not
   * given to another. In the order of the places; a `from` beyond the end is the end.
   */
  readEach(places: readonly ArrivalPlace[], limits: ArrivalLimits): Promise<readonly Arrivals[]>;
  readTexts(
    places: readonly ArrivalPlace[],
    limits: ArrivalLimits,
  ): Promise<readonly Arrivals<ArrivedText>[]>;
  /** The first position received at that time or later, or of which it is not known; else the end of the log. */
  positionAt(tenantId: number, receivedAt: Date): Promise<number>;
}
