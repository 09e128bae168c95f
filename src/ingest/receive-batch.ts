import { DomainError } from '../errors';
import { LIMITS } from '../limits';
import { parseTenantId } from '../tenant/tenant-scope';
import type { AuditEventWriter } from './audit-event-writer';
import { checkEvent, type Rejection } from './check-event';
import type { CheckedEvent } from './checked-event';

/** A batch as an agent sends it; its events are checked one by one, so that a bad one costs only itself. */
export interface AuditEventBatch {
  /** The tenant the agent is configured for. Not needed: the key names the tenant. If given, it must agree. */
  readonly tenantId?: string | null | undefined;
  readonly events: readonly unknown[];
}

/** Sent after the commit: every event of the batch is in one of the three. */
export interface IngestReceipt {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly (Rejection & { readonly index: number })[];
}

/** The structure of a batch; @throws DomainError `invalid_parameter` */
export function parseBatch(given: unknown): AuditEventBatch {
  const problems: string[] = [];
  const batch = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
  const { tenantId, events } = batch;
  if (!Array.isArray(events)) problems.push('batch.events must be a list');
  else if (events.length > LIMITS.ingestBatchEventsMax) {
    problems.push(`batch.events must have at most ${LIMITS.ingestBatchEventsMax} events`);
  }
  if (tenantId !== undefined && tenantId !== null && typeof tenantId !== 'string') {
    problems.push('batch.tenantId must be text');
  }
  const unknown = Object.keys(batch).filter((name) => name !== 'tenantId' && name !== 'events');
  if (unknown.length > 0) problems.push(`batch has unknown fields: ${unknown.slice(0, 5).join(', ')}`);
  if (problems.length > 0) throw new DomainError('invalid_parameter', { public: `${problems.join('; ')}.` });
  return batch as unknown as AuditEventBatch;
}

/** Stores a batch for the tenant of the agent's key, whatever the batch says. */
export async function receiveBatch(
  keyTenantId: number,
  batch: AuditEventBatch,
  writer: AuditEventWriter,
  nowMs: number,
): Promise<IngestReceipt> {
  if (batch.tenantId && parseTenantId(batch.tenantId) !== keyTenantId) {
    throw new DomainError('forbidden', {
      public: 'The agent key is bound to another tenant than the batch names.',
    });
  }
  const events: CheckedEvent[] = [];
  const rejected: (Rejection & { index: number })[] = [];
  batch.events.forEach((given, index) => {
    const checked = checkEvent(keyTenantId, given, nowMs);
    if ('event' in checked) events.push(checked.event);
    else rejected.push({ index, ...checked.rejection });
  });
  const accepted = events.length > 0 ? await writer.insert(keyTenantId, events) : 0;
  return { accepted, duplicates: events.length - accepted, rejected };
}
