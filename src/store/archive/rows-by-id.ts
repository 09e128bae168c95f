import { Prisma, type ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/failure';
import { ticksOfRecordId } from '../../event/record-id';
import { oneTenant, type TenantSet } from '../../tenant-set';
import { byTier } from '../plan';
import { MARKED_COLUMNS, type Row } from '../rows/event-rows';
import { sealedIn, snapshotOf } from './archive';

/**
 * The whole rows of some records, with marks in place of large statements, in no order. Across rows and files they are
 * read in one snapshot.
 */
export async function rowsByIds(
  service: ServiceDoor,
  tenants: TenantSet,
  ids: readonly string[],
): Promise<readonly Row[]> {
  const first = ids.toSorted()[0];
  if (first === undefined) return [];
  const statement = service.each(tenants)(
    (tenant) => Prisma.sql`
      SELECT ${MARKED_COLUMNS} FROM audit_event e
      WHERE e.tenant_id = ${tenant} AND e.record_id = ANY(${[...ids]}::uuid[])`,
  );
  const across = () =>
    snapshotOf(service, tenants, async (ask) => {
      const found = [...(await ask<Row>(statement))];
      const sealed = sealedIn(service, ask);
      for (const tenantId of found.length < ids.length ? tenants : [])
        found.push(...((await sealed?.wholeRows(tenantId, ids)) ?? []));
      return found;
    });
  return guarded(() =>
    byTier<readonly Row[]>(
      service,
      { tenants, range: { from: ticksOfRecordId(first) } },
      () => service.ask(statement, tenants),
      across,
    ),
  );
}

/** Reads statements, in their stored form, from the sealed weeks behind a door; null: the record is in none. */
export const sealedStatement =
  (service: ServiceDoor) =>
  (tenantId: number, recordId: string): Promise<string | null> =>
    guarded(() =>
      snapshotOf(
        service,
        oneTenant(tenantId),
        async (ask) => (await sealedIn(service, ask)?.statement(tenantId, recordId)) ?? null,
      ),
    );
