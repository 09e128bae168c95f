import { ADVISORY_LOCKS } from '../../database/advisory-locks';
import type { Prisma, Step } from '../../database/clients';

/**
 * Advisory locks by which instances take turns. Folding and indexing work on one tenant and pass over a tenant that
 * is taken. Retention takes a tenant from both, or, to drop a week of every tenant, takes the turn of all.
 */
const ALL_TENANTS = ADVISORY_LOCKS.everyTenant;
type Turn = 'folding' | 'indexing';

/** Whether the turn was free; it is kept until the transaction ends. */
export async function tryTurn(step: Step, turn: Turn, tenantId: number): Promise<boolean> {
  const [lock] = await step(
    `SELECT pg_try_advisory_xact_lock_shared(${ALL_TENANTS}::bigint)
       AND pg_try_advisory_xact_lock(${ADVISORY_LOCKS[turn]}, $1::int) AS taken`,
    [tenantId],
  );
  return lock?.taken === true;
}

/** Waits until nobody folds or indexes the tenant, and keeps it so until the transaction ends. */
export async function takeTenant(tx: Prisma.TransactionClient, tenantId: number): Promise<void> {
  await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock_shared(${ALL_TENANTS}::bigint)`);
  // Folding is short. It is waited for last, so that it is blocked for the shortest time.
  for (const turn of ['indexing', 'folding'] as const)
    await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS[turn]}, $1::int)`, tenantId);
}

/** Waits until nobody folds, indexes or removes anything, and keeps it so until the transaction ends. */
export async function takeAllTenants(tx: Prisma.TransactionClient): Promise<void> {
  await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock(${ALL_TENANTS}::bigint)`);
}
