import { createHash } from 'node:crypto';
import type { SyslogSeverity } from '../../delivery/syslog-message';

/** What a receiver is told of an event, or of a message that is none. */
export interface Item {
  /** In the log; null: it is no event. */
  readonly position: number | null;
  /** Of the event; of a message its id. */
  readonly recordId: string;
  /** ISO 8601. */
  readonly time: string;
  readonly actionId: string;
  readonly succeeded: boolean;
  readonly hostName: string | null;
  /** How bad it is, where the item is a message that says so. */
  readonly severity?: SyslogSeverity;
  /** The item in the destination's format. */
  readonly json: string;
}

/** Something that is no event, such as an alert. */
export interface Message {
  /** A repeat has the same: receivers drop what they have. */
  readonly id: string;
  readonly at: Date;
  /** For receivers that have a place for it beside the content. */
  readonly severity: SyslogSeverity;
  /** Small; it is sent as JSON, in the way of the destination's type. */
  readonly content: object;
}

/** Positions of the log, half-open. */
export interface Bounds {
  readonly from: number;
  readonly to: number;
}

export interface Batch extends Bounds {
  /** The same whenever the same events are sent again: a receiver drops what it has. */
  readonly id: string;
  readonly tenantId: number;
  readonly items: readonly Item[];
}

/** @param generation of replays: what an operator wants to be sent again is not dropped by the receiver */
export function batchId(destinationId: string, generation: number, { from, to }: Bounds): string {
  const digest = createHash('sha256')
    .update(`${destinationId}/${generation}/${from}/${to}`)
    .digest('base64url');
  return `msg_${digest.slice(0, 27)}`;
}
