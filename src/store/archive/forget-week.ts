import type { Prisma } from '../../database/clients';

const PIECES = `
DELETE FROM audit_sealed_piece p WHERE p.tenant_id = $1::int AND p.sha256 IN (
  SELECT w.sha256 FROM audit_sealed_week w WHERE w.tenant_id = $1::int AND w.week >= $2::int AND w.week < $3::int)`;
const WEEKS = `
DELETE FROM audit_sealed_week w WHERE w.tenant_id = $1::int AND w.week >= $2::int AND w.week < $3::int`;

/** Deletes the files of a tenant's weeks, with their entries in the list. @param to the first week that stays */
export async function forgetWeeks(
  tx: Prisma.TransactionClient,
  tenantId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (const statement of [PIECES, WEEKS]) await tx.$executeRawUnsafe(statement, tenantId, from, to);
}
