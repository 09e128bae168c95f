import type { JsonScalar } from '../audit-event/audit-record';
import type { AuditEvent, INGEST_FIELDS } from '../audit-event/fields';

/** An ingested event that passed every check, with its id. */
export type CheckedEvent = Pick<
  AuditEvent,
  Exclude<(typeof INGEST_FIELDS)[number], 'recordId' | 'tenantId'>
> & {
  readonly recordId: string;
  /** What the record states beyond the public fields, and where it stood. */
  readonly additional: { readonly [key: string]: JsonScalar };
};

/** Port: how events are stored. Resolves after the commit. */
export interface AuditEventWriter {
  /** @returns how many of the events were new; the others were stored before, or stand twice in the batch */
  insert(tenantId: number, events: readonly CheckedEvent[]): Promise<number>;
}
