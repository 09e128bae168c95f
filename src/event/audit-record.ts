import type { AuditEvent, RecordFieldName } from './fields';

/** The place of a record in an audit file. The same GUID, offset and index always give a tenant the same record id. */
export interface RecordSource {
  /** Base name of the file; a copy or a rename does not change the record's identity. */
  readonly file: string;
  /** GUID in the file's header, lower case: the file's identity. */
  readonly fileGuid: string;
  /** Byte offset of the block that holds the record (its first part, when it is split). */
  readonly blockOffset: number;
  /** 0-based index of the (first part of the) record among the events of its block. */
  readonly index: number;
}

export type JsonScalar = string | number | boolean | null;

/**
 * One audit record as the agent publishes it: the public fields, its place in the file, and the number of parts it was
 * joined from. `additional` has whatever else the file states (64-bit numbers as text, binary as `0x…`).
 */
export type AuditRecord = Pick<AuditEvent, RecordFieldName> &
  RecordSource & {
    readonly parts: number;
    readonly additional: { readonly [key: string]: JsonScalar };
  };

/** The name in `additional` of an event whose time cannot be right: the service's time when it came. */
export const CLOCK_MARK = 'clock';

/**
 * The name in `additional` of the random text that the service gives each event, and that is a part of its entry in the
 * evidence log. An entry that has it is of version 2: without its event, its hash tells nothing of it.
 */
export const ENTRY_SALT = 'entrySalt';

/**
 * The code of the last rejection of a batch if it is about all events from its index on. The service did not look at
 * them, because it rejected many before. They are neither stored nor refused, and the agent sends them again.
 */
export const NOT_LOOKED_AT = 'not_looked_at';
