import { DomainError, refuseIf } from '../../errors';
import type { Answer, Shape } from '../../event/shape';
import { LIMITS } from '../../limits';
import { type Problem, problem } from '../../problem';
import type { EventBytes } from '../../store/bytes/event-bytes';
import { parseTenantId } from '../../tenant-set';
import { BytesCheck } from './check-bytes';
import { type Checked, checkEvent, NAME_CHARS_SHOWN } from './check-event';
import { CheckedEvents, REJECTED_EVENT } from './checked-events';
import type { AuditEventWriter } from './stored-writer';

/** A batch as an agent sends it. Its events are checked one by one, so that a bad event affects only itself. */
export interface AuditEventBatch {
  /**
   * The tenant in the agent's configuration. It is optional, because the key names the tenant, and must match the key.
   */
  readonly tenantId?: string | null | undefined;
  readonly events: readonly unknown[] | CheckedEvents;
}

/** Sent after the commit. Every event of the batch is counted in one of the three, or left to another batch. */
export const INGEST_RECEIPT = {
  name: 'IngestReceipt',
  doc: 'Given after the commit: accepted events are stored for good.',
  fields: {
    accepted: { kind: 'integer', doc: 'Events stored now.' },
    duplicates: { kind: 'integer', doc: 'Events that were stored before.' },
    rejected: { kind: 'object', isList: true, of: REJECTED_EVENT, doc: 'Events that were not stored.' },
  },
} as const satisfies Shape;
export type IngestReceipt = Answer<typeof INGEST_RECEIPT>;

/** Checks the structure of a batch. @throws DomainError `invalid_parameter` */
export function parseBatch(given: unknown): AuditEventBatch {
  const problems: Problem[] = [];
  const batch = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
  const { tenantId, events } = batch;
  const count = events instanceof CheckedEvents ? events.count : Array.isArray(events) ? events.length : null;
  if (count === null) problems.push(problem('batch.events', 'malformed', 'must be a list'));
  else if (count > LIMITS.ingestBatchEventsMax) {
    const max = LIMITS.ingestBatchEventsMax;
    problems.push(problem('batch.events', 'too_many', `must have at most ${max} events`, { max }));
  }
  if (tenantId !== undefined && tenantId !== null && typeof tenantId !== 'string') {
    problems.push(problem('batch.tenantId', 'malformed', 'must be text'));
  }
  const unknown = Object.keys(batch).filter((name) => name !== 'tenantId' && name !== 'events');
  if (unknown.length > 0)
    problems.push(problem('batch', 'unknown', `has unknown fields: ${someOf(unknown)}`));
  refuseIf(problems);
  return batch as unknown as AuditEventBatch;
}

/** The first of the names that a caller invented. */
const someOf = (names: readonly string[]) =>
  names
    .slice(0, LIMITS.rejectionProblemsMax)
    .map((name) => name.slice(0, NAME_CHARS_SHOWN))
    .join(', ');

/** Stores a batch for the tenant of the agent's key, whatever tenant the batch names. */
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
  const intake = intakeFor(keyTenantId, writer, nowMs);
  const events = batch.events instanceof CheckedEvents ? batch.events : checkAll(intake, batch.events);
  if (events.tenantId !== keyTenantId)
    throw new Error('a batch was read for another tenant than its key is bound to');
  const { accepted, rejected } = events;
  const stored = await events.store();
  return { accepted: stored, duplicates: accepted - stored, rejected };
}

/** Takes in a tenant's events: checks each one, and writes the valid ones. */
export interface Intake {
  check(given: unknown): Checked;
  /** Whether the event is valid. If not, or if that cannot be told from the bytes, `check` says so. */
  isValid(event: EventBytes): boolean;
  open(): CheckedEvents;
}

export function intakeFor(tenantId: number, writer: AuditEventWriter, nowMs: number): Intake {
  const bytesCheck = new BytesCheck(tenantId, nowMs);
  return {
    check: (given) => checkEvent(tenantId, given, nowMs),
    isValid: (event) => bytesCheck.isValid(event),
    open: () => new CheckedEvents(tenantId, writer.open(tenantId)),
  };
}

function checkAll({ check, open }: Intake, given: readonly unknown[]): CheckedEvents {
  const events = open();
  for (const event of given) if (!events.isEnough) events.add(check(event));
  events.leave(given.length - events.count);
  return events;
}
