import type { Prisma } from '../../../database/clients';
import { fold } from '../../../event/search';
import type { Finding } from '../../../rules/finding';

/** A suppression: alerts with these values are suppressed until a time. */
export interface Suppression {
  readonly ruleId: string | null;
  /** Null: the value is absent. */
  readonly fields: Readonly<Record<string, string | null>>;
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

/** Whether all values match the finding: its group, or its only login or server instance. */
export function suppresses(suppression: Suppression, finding: Finding): boolean {
  const { group, principals, instances } = finding;
  const known: Readonly<Record<string, string | null>> = {
    ...(principals.length === 1 && { serverPrincipalName: principals[0] ?? null }),
    ...(instances.length === 1 && { serverInstanceName: instances[0] ?? null }),
    ...group,
  };
  return suppressesGroup(suppression, finding.ruleId, known);
}

/** The same check against values by field. */
export function suppressesGroup(
  { ruleId, fields }: Suppression,
  ofRule: string,
  known: Readonly<Record<string, string | null>>,
): boolean {
  if (ruleId !== null && ruleId !== ofRule) return false;
  return Object.entries(fields).every(([name, value]) => {
    const own = known[name] ?? null;
    return own === null || value === null ? own === value : fold(own) === fold(value);
  });
}
