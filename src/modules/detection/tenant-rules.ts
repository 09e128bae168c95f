import { createHash } from 'node:crypto';
import type { Prisma } from '../../database/clients';
import type { RuleSource } from '../../detection/host';
import type { Tuning } from '../../detection/rule';
import type { ShippedRule } from './shipped-rules';

interface RuleRow {
  readonly ruleId: string;
  readonly source: string | null;
  readonly enabled: boolean;
  readonly tuning: string | null;
  readonly version: number;
  readonly digest: string;
}

/** What a version of a rule stands for. */
export const digestOf = (source: string, tuning: string | null): string =>
  createHash('sha256')
    .update(`${source}\n${tuning ?? ''}`)
    .digest('hex')
    .slice(0, 32);

export const tuningOf = (text: string | null): Tuning | null =>
  text === null ? null : (JSON.parse(text) as Tuning);

/**
 * The rules of a tenant that are enabled: those shipped, as it changed them, and its own. A shipped rule that is new or
 * was changed by this release gets its version here.
 */
export async function enabledRules(
  tx: Prisma.TransactionClient,
  tenantId: number,
  shipped: ReadonlyMap<string, ShippedRule>,
): Promise<readonly RuleSource[]> {
  const known = new Map((await rowsOf(tx, tenantId)).map((row) => [row.ruleId, row]));
  const changed: RuleRow[] = [];
  const rules: RuleSource[] = [];
  for (const [ruleId, { source }] of shipped) {
    const row = known.get(ruleId);
    const digest = digestOf(source, row?.tuning ?? null);
    const version = row ? row.version + Number(row.digest !== digest) : 1;
    const enabled = row?.enabled ?? true;
    if (row?.digest !== digest)
      changed.push({ ruleId, source: null, enabled, tuning: row?.tuning ?? null, version, digest });
    if (enabled) rules.push({ ruleId, source, tuning: tuningOf(row?.tuning ?? null), version });
  }
  for (const { ruleId, source, enabled, tuning, version } of known.values())
    if (source !== null && enabled) rules.push({ ruleId, source, tuning: tuningOf(tuning), version });
  if (changed.length > 0)
    await tx.$executeRawUnsafe(
      `INSERT INTO detection_rule (tenant_id, rule_id, enabled, version, digest, created_at, updated_at)
       SELECT t.tenant_id, x.id, x.enabled, x.version, x.digest, now(), now()
       FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(id uuid, enabled boolean, version int, digest text)
       WHERE t.tenant_id = $1::int
       ON CONFLICT (tenant_id, rule_id) DO UPDATE SET version = excluded.version, digest = excluded.digest`,
      tenantId,
      JSON.stringify(
        changed.map(({ ruleId: id, enabled, version, digest }) => ({ id, enabled, version, digest })),
      ),
    );
  return rules.sort((a, b) => (a.ruleId < b.ruleId ? -1 : 1));
}

export const rowsOf = (tx: Prisma.TransactionClient, tenantId: number): Promise<RuleRow[]> =>
  tx.detectionRule.findMany({
    where: { tenantId },
    select: { ruleId: true, source: true, enabled: true, tuning: true, version: true, digest: true },
  });
