import { Prisma, type ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { COLUMN_OF } from '../../../event/fields';
import { toSummaryFilter } from '../../../event/query';
import { sealedIn, snapshotOf } from '../../../store/archive/archive';
import { stretchOf } from '../../../store/archive/cut-week';
import { byTier } from '../../../store/plan';
import { toStored } from '../../../store/rows/stored-text';
import { oneTenant } from '../../../tenant-set';

const INSTANCE = Prisma.raw(COLUMN_OF.serverInstanceName);

/** The record id of the first event of a server instance between two times, in rows or files; null: there is none. */
export async function nextEventOf(
  service: ServiceDoor,
  { tenantId, instance }: { readonly tenantId: number; readonly instance: string },
  range: { readonly from: bigint; readonly to: bigint },
): Promise<string | null> {
  const tenants = oneTenant(tenantId);
  const stretch = stretchOf(range);
  const statement = Prisma.sql`SELECT record_id::text AS id FROM audit_event WHERE tenant_id = ${tenantId}::int
    AND record_id >= ${stretch.from}::uuid AND record_id < ${stretch.to}::uuid AND ${INSTANCE} = ${toStored(instance)}
    ORDER BY record_id LIMIT 1`;
  const across = () =>
    snapshotOf(service, tenants, async (ask) => {
      const [row] = await ask<{ id: string }>(statement);
      const sealed = sealedIn(service, ask);
      const filter = toSummaryFilter({
        filter: `serverInstanceName:${JSON.stringify(instance)}`,
        startTime: undefined,
        endTime: undefined,
      });
      const how = { value: null, descending: false, limit: 1 };
      const ids = [row?.id, ...((await sealed?.ids(tenantId, filter, [stretch], how)) ?? [])];
      return ids.filter((id) => id !== undefined).sort()[0] ?? null;
    });
  const inRows = async () => String((await service.ask(statement, tenants))[0]?.id ?? '') || null;
  return guarded(() => byTier<string | null>(service, { tenants, range }, inRows, across));
}
