import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';

/** READ_DATABASE_URL leads to another database, whose answers would be wrong and not only late. */
export class NotAReplica extends Error {
  override readonly name = 'NotAReplica';
}

/**
 * Whether a replica has every migration of its primary, and follows it. Each applied migration has a random id, so a database with the
 * same ids is the same database or a copy of it. A database without migrations may not have received them yet.
 * @throws NotAReplica if it has other migrations @throws DomainError if it cannot be reached
 */
export async function checkReplica(primary: ServiceDoor, replica: ServiceDoor): Promise<boolean> {
  const [there, here] = [await migrationIds(primary), await migrationIds(replica)];
  if (here.size > 0 && ![...there].some((id) => here.has(id))) {
    throw new NotAReplica('READ_DATABASE_URL leads to a database that is no replica of DATABASE_URL');
  }
  return [...there].every((id) => here.has(id)) && !(await isPromoted(primary, replica));
}

const IS_REPLICA = 'SELECT pg_is_in_recovery() AS follows';
const WRITTEN = `SELECT (pg_current_wal_lsn() - '0/0')::text AS place`;

/**
 * Whether the replica follows nobody any more, and so keeps what it had. An address of replicas may lead to the primary
 * itself: that one has written as far as the primary.
 */
async function isPromoted(primary: ServiceDoor, replica: ServiceDoor): Promise<boolean> {
  const placeOf = async ({ models }: ServiceDoor) => {
    const [row] = await models.$queryRawUnsafe<{ place: string }[]>(WRITTEN);
    return BigInt(row?.place ?? 0);
  };
  const [state] = await replica.models.$queryRawUnsafe<{ follows: boolean }[]>(IS_REPLICA);
  if (state?.follows !== false) return false;
  const before = await placeOf(primary);
  const own = await placeOf(replica);
  return own < before || own > (await placeOf(primary));
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
