import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { SyslogSeverity } from '../../delivery/syslog-message';
import { NO_EPOCH } from '../../store/log/epoch/epoch';

/** What a receiver gets about an event, or about a message that is not an event. */
export interface Item {
  /** The position in the evidence log; null if the item is not an event. */
  readonly position: number | null;
  /** The record id of the event, or the id of the message. */
  readonly recordId: string;
  /** ISO 8601. */
  readonly time: string;
  readonly actionId: string;
  readonly succeeded: boolean;
  /** The machine of SQL Server, and the name of its instance on it; null: not known, or no name. */
  readonly hostName: string | null;
  readonly instanceName?: string | null;
  /** The severity, if the item is a message that has one. */
  readonly severity?: SyslogSeverity;
  /** The item in the destination's format, as JSON. A line of text is a JSON string. */
  readonly json: string;
  /** The item as a line of text, if its format has lines. */
  readonly line?: string;
}

export type MessageKind = 'ALERT' | 'REPORT';

/** A message that is not an event, such as an alert. */
export interface Message {
  /** A repeat has the same id, by which receivers drop what they already have. */
  readonly id: string;
  readonly at: Date;
  /** What it is, for receivers that have a place for it outside the content. Not given: an alert. */
  readonly kind?: MessageKind;
  /** Likewise. */
  readonly severity: SyslogSeverity;
  /** Small, and sent as JSON in the way of the destination's type. */
  readonly content: object;
}

/** A file for receivers that keep files. A repeat has the same name, and takes the place of the first. */
export interface SentFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  open(): Readable;
}

/** Positions of the evidence log, half-open. */
export interface Bounds {
  readonly from: number;
  readonly to: number;
}

export interface Batch extends Bounds {
  /** Stays the same when the same events are sent again, so that a receiver can drop repeats. */
  readonly id: string;
  readonly tenantId: number;
  /** The epoch of the positions (`epochInNames`); empty: a name has none. */
  readonly epoch: string;
  /** The hash of the last entry of the log, in hex: it is in ids and names. Empty: the batch is of no log. */
  readonly mark: string;
  readonly items: readonly Item[];
}

/**
 * @param epoch of the positions: after a restore they hold other events, and a receiver must not drop those
 * @param mark of the last position (`ArrivalReader.marks`): a fail-over to a database that lacks the last entries makes
 * other events stand there, before anybody has noticed it
 * @param generation number of replays and changes: it changes the id, so that a receiver drops no event sent anew
 */
export function batchId(
  epoch: string,
  destinationId: string,
  generation: number,
  { from, to }: Bounds,
  mark: string,
): string {
  const ofEpoch = epoch === NO_EPOCH ? '' : `${epoch}/`;
  const digest = createHash('sha256')
    .update(`${ofEpoch}${destinationId}/${generation}/${from}/${to}/${mark}`)
    .digest('base64url');
  return `msg_${digest.slice(0, 27)}`;
}
