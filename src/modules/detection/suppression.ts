import type { Prisma } from '../../database/clients';
import { foldCase } from '../../detection/event';
import type { Finding } from '../../detection/finding';

/** Values for which alerts are quiet until a time. */
export interface Suppression {
  readonly ruleId: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly until: Date;
}

export async function openSuppressions(
  tx: Prisma.TransactionClient,
  tenantId: number,
  nowMs: number,
): Promise<readonly Suppression[]> {
  const rows = await tx.alertSuppression.findMany({ where: { tenantId, until: { gt: new Date(nowMs) } } });
  return rows.map(({ ruleId, fields, until }) => ({ ruleId, until, fields: JSON.parse(fields) }));
}

/** Whether all values are those of the finding: of its group, or its only login or server instance. */
export function suppresses({ ruleId, fields }: Suppression, finding: Finding): boolean {
  if (ruleId !== null && ruleId !== finding.ruleId) return false;
  const { group, principals, instances } = finding;
  const known: Readonly<Record<string, string | null>> = {
    ...(principals.length === 1 && { serverPrincipalName: principals[0] ?? null }),
    ...(instances.length === 1 && { serverInstanceName: instances[0] ?? null }),
    ...group,
  };
  return Object.entries(fields).every(([name, value]) => {
    const own = known[name];
    return own !== null && own !== undefined && foldCase(own) === foldCase(value);
  });
}
