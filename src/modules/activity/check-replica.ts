import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/failure';

/** READ_DATABASE_URL leads to another database, whose answers would be wrong and not only late. */
export class NotAReplica extends Error {
  override readonly name = 'NotAReplica';
}

/**
 * Whether a replica has every migration of its primary. Each applied migration has a random id, so a database with the
 * same ids is the same database or a copy of it. A database without migrations may not have received them yet.
 * @throws NotAReplica if it has other migrations @throws DomainError if it cannot be reached
 */
export async function checkReplica(primary: ServiceDoor, replica: ServiceDoor): Promise<boolean> {
  const [there, here] = [await migrationIds(primary), await migrationIds(replica)];
  if (here.size > 0 && ![...there].some((id) => here.has(id))) {
    throw new NotAReplica('READ_DATABASE_URL leads to a database that is no replica of DATABASE_URL');
  }
  return [...there].every((id) => here.has(id));
}

async function migrationIds(service: ServiceDoor): Promise<ReadonlySet<string>> {
  return guarded(async () => {
    const [table] = await service.models.$queryRaw<
      { there: boolean }[]
    >`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`;
    if (!table?.there) return new Set<string>();
    const rows = await service.models.$queryRaw<{ id: string }[]>`SELECT id FROM _prisma_migrations`;
    return new Set(rows.map(({ id }) => id));
  });
}
