import type { Call } from '../../caller/call';
import { holderOf, tenantSetOf } from '../../caller/principal';
import { READ_EVENTS_SCOPE } from '../../caller/scopes';
import type { Prisma } from '../../database/clients';
import { DomainError } from '../../errors';
import type { TenantSet } from '../../tenant-set';

/** An event that is stored. */
export interface StoredRecord {
  readonly tenantId: number;
  readonly recordId: string;
}
/** Finds a stored event; null: none of the tenants has it. */
export type FindEvent = (
  tenants: TenantSet,
  recordId: string,
) => Promise<{ readonly tenantId: string } | null>;

/** Who writes: the holder for whom notes are counted, and the name that others see. */
export interface Writer {
  readonly holder: string;
  readonly name: string;
}
export const writerOf = ({ principal }: Call): Writer => ({
  holder: holderOf(principal),
  name: principal.session?.user ?? principal.name,
});

/**
 * The event about which somebody writes or asks. Whoever writes about an event must be able to read it.
 * @throws DomainError `forbidden`; `not_found`: the caller's tenants have no such event
 */
export async function writtenAbout(find: FindEvent, call: Call, recordId: string): Promise<StoredRecord> {
  const { principal } = call;
  if (principal.kind !== 'public' || !principal.scopes.includes(READ_EVENTS_SCOPE))
    throw new DomainError('forbidden', { public: `This API key lacks the scope ${READ_EVENTS_SCOPE}.` });
  const event = await find(tenantSetOf(call), recordId);
  if (!event) throw noSuchRecord();
  return { tenantId: Number(event.tenantId), recordId };
}

export const noSuchRecord = () => new DomainError('not_found', { public: 'There is no such record.' });
export const tooMany = (text: string) => new DomainError('invalid_parameter', { public: text });

/** What is written about an event while it is erased would outlast it. @throws DomainError `not_found` */
export async function assertNotErased(
  tx: Prisma.TransactionClient,
  { tenantId, recordId }: StoredRecord,
): Promise<void> {
  if ((await tx.auditErasureRecord.count({ where: { tenantId, recordId } })) > 0) throw noSuchRecord();
}
