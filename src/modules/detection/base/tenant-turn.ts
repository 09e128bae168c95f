import type { Prisma } from '../../../database/clients';

/** Waits until no other transaction has the tenant's turn, and holds it until this transaction ends. */
export async function takeTurn(tx: Prisma.TransactionClient, tenantId: number): Promise<void> {
  await tx.$executeRawUnsafe(
    `INSERT INTO detection_position AS p (tenant_id, position, learned, learn_until)
     SELECT t.tenant_id, 0, 0, 0 FROM tenant t WHERE t.tenant_id = $1::int
     ON CONFLICT (tenant_id) DO UPDATE SET revision = p.revision`,
    tenantId,
  );
}
