import { type Attempt, entryIdAt, parametersText } from '../../../caller/access-log';
import { changeOfTenant } from '../../../caller/access-log.store';
import { Prisma, type ServiceDoor } from '../../../database/clients';
import { isFailure } from '../../../database/failure';
import { guarded } from '../../../database/limited';
import { ofTenants } from '../../../database/tenant-rows';
import { DomainError } from '../../../errors';
import type { AuditEventFilter } from '../../../event/query';
import { recordIdFloor } from '../../../event/record-id';
import { LIMITS } from '../../../limits';
import { sealedIn, snapshotOf } from '../../../store/archive/archive';
import { whereOf } from '../../../store/rows/event-rows';
import { oneTenant } from '../../../tenant-set';

export interface StoredErasure {
  readonly tenantId: number;
  readonly erasureId: string;
  readonly at: Date;
  readonly erasedBy: string;
  readonly reason: string;
  readonly events: number;
  readonly endedAt: Date | null;
  readonly problem: string | null;
}

const PUT = `
INSERT INTO audit_erasure (tenant_id, erasure_id, at, erased_by, reason, events)
SELECT t.tenant_id, $2::uuid, $3::timestamptz, $4::text, $5::text, $6::int FROM tenant t WHERE t.tenant_id = $1::int`;
/** The ids are one text: the driver takes longer to write an array. */
const PUT_RECORDS = `
INSERT INTO audit_erasure_record (tenant_id, erasure_id, record_id)
SELECT t.tenant_id, $2::uuid, unnest(string_to_array($3::text, ',')::uuid[]) FROM tenant t WHERE t.tenant_id = $1::int`;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Chooses the events of erasures, and lists erasures. */
export class ErasureStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly now: () => Date,
  ) {}

  /** The record ids of the events that a filter finds, in rows and in files. @throws DomainError: they are too many */
  find(tenantId: number, filter: AuditEventFilter): Promise<readonly string[]> {
    const limit = LIMITS.erasureEventsMax + 1;
    return guarded(() =>
      snapshotOf(this.service, oneTenant(tenantId), async (ask) => {
        const rows = await ask<{ id: string }>(Prisma.sql`
          SELECT e.record_id::text AS id FROM audit_event e
          WHERE e.tenant_id = ${tenantId}::int AND ${whereOf(filter)} ORDER BY e.record_id LIMIT ${limit}::int`);
        const from = filter.from === null ? FIRST_ID : recordIdFloor(filter.from);
        const to = filter.to === null ? LAST_ID : recordIdFloor(filter.to);
        const how = { value: null, descending: false, limit };
        const sealed = await sealedIn(this.service, ask)?.ids(tenantId, filter, [{ from, to }], how);
        const ids = [...new Set([...rows.map(({ id }) => id), ...(sealed ?? [])])];
        if (ids.length < limit) return ids;
        throw new DomainError('invalid_parameter', {
          public: `One erasure has at most ${LIMITS.erasureEventsMax} events. Give a shorter period, or a narrower filter.`,
        });
      }),
    );
  }

  /**
   * Begins an erasure. Its entry of the access log does not say which events it is about.
   * @throws DomainError `invalid_parameter`: an erasure of the tenant goes on
   */
  async begin(
    tenantId: number,
    recordIds: readonly string[],
    reason: string,
    attempt: Attempt,
  ): Promise<StoredErasure> {
    const at = this.now();
    const erasureId = entryIdAt(at.getTime());
    const erasedBy = attempt.userName ?? attempt.keyName ?? attempt.principalKind;
    const events = recordIds.length;
    const value = { tenantId, erasureId, at, erasedBy, reason, events, endedAt: null, problem: null };
    const noted = { ...attempt, parameters: parametersText({ tenantId: String(tenantId), reason, events }) };
    try {
      return await changeOfTenant(this.service, tenantId, noted, async (tx) => {
        await tx.$executeRawUnsafe(
          PUT,
          ...[tenantId, erasureId, at.toISOString(), erasedBy, reason, recordIds.length],
        );
        await tx.$executeRawUnsafe(PUT_RECORDS, tenantId, erasureId, recordIds.join());
        return { value, subject: erasureId, rows: events };
      });
    } catch (error) {
      if (!isFailure(error, 'unique_violation')) throw error;
      throw new DomainError('invalid_parameter', {
        public: 'An erasure of this tenant goes on. Wait until it has ended.',
        cause: error,
      });
    }
  }

  async newest(tenantId: number, first: number): Promise<readonly StoredErasure[]> {
    const rows = await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), (tx) =>
        tx.auditErasure.findMany({
          where: { tenantId },
          orderBy: { erasureId: 'desc' },
          take: first,
          omit: { entry: true, holder: true, heldUntil: true },
        }),
      ),
    );
    return rows;
  }
}
