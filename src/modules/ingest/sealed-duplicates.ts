import { Prisma, type ServiceDoor } from '../../database/clients';
import { sealedIn, snapshotOf } from '../../store/archive/archive';
import type { BatchLeaves } from '../../store/log/evidence/batch-seal';
import { unsealedFromMs } from '../../store/plan';
import { oneTenant } from '../../tenant-set';

/** Whether a batch has an event of a week that may be sealed. */
export function isOfEarlierWeeks(service: ServiceDoor, leaves: BatchLeaves): boolean {
  const unsealedFrom = unsealedFromMs(service);
  for (const ms of leaves.times()) if (ms < unsealedFrom) return true;
  return false;
}

/** What is known of the sealed weeks before events are stored. */
export interface Sealed {
  /** Of the list of files. Another one: a week was sealed or restored. */
  readonly generation: bigint;
  /** Record ids of events of the batch that lie in files. */
  readonly known: ReadonlySet<string>;
}

export function sealedOf(service: ServiceDoor, tenantId: number, leaves: BatchLeaves): Promise<Sealed> {
  return snapshotOf(service, oneTenant(tenantId), async (ask) => {
    const [row] = await ask(generationStatement(tenantId));
    const generation = BigInt(String(row?.generation ?? 0));
    if (!row) return { generation, known: new Set() };
    return { generation, known: (await sealedIn(service, ask)?.known(tenantId, leaves.ids())) ?? new Set() };
  });
}

const generationStatement = (tenantId: number): Prisma.Sql => Prisma.sql`
  SELECT a.generation::text AS generation FROM audit_archive a WHERE a.tenant_id = ${tenantId}::int`;
