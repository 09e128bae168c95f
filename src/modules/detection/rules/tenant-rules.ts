import type { Prisma } from '../../../database/clients';
import type { RuleSource } from '../../../rules/host';
import type { About } from '../../../rules/rule-reader';
import type { RuleAbouts } from './rule-abouts';
import { digestOf, tuningOf } from './rule-digest';
import type { ShippedRule } from './shipped-rules';

/** The state of a removed row. It keeps the version, which continues when the rule is imported again. */
export const REMOVED = 'removed';
type RowKind = 'rule' | 'filter' | typeof REMOVED;

export interface RuleRow {
  readonly ruleId: string;
  readonly kind: RowKind;
  /** The Sigma file; null: a shipped or removed rule. */
  readonly source: string | null;
  readonly enabled: boolean;
  readonly tuning: string | null;
  readonly version: number;
  readonly digest: string;
}
export type FilterRow = RuleRow & { readonly source: string };

/** A rule with the tenant's changes to it. */
export interface TenantRule {
  readonly ruleId: string;
  readonly isShipped: boolean;
  readonly source: string;
  readonly enabled: boolean;
  readonly tuning: string | null;
  readonly version: number;
  readonly digest: string;
  /** Whether the row must be written, because it is missing or its version has another content. */
  readonly isNews: boolean;
  /** The tenant's enabled filters that narrow the rule. */
  readonly filters: readonly FilterRow[];
  /** Resolves to null if this release cannot read the rule. */
  readonly about: () => Promise<About | null>;
}

export const filtersOf = (rows: readonly RuleRow[]): readonly FilterRow[] =>
  rows
    .filter((row): row is FilterRow => row.kind === 'filter' && row.source !== null)
    .sort((a, b) => (a.ruleId < b.ruleId ? -1 : 1));

/** @returns the shipped rules with the tenant's changes, and its own rules, each with the filters that narrow it */
export async function tenantRules(
  rows: readonly RuleRow[],
  shipped: ReadonlyMap<string, ShippedRule>,
  abouts: RuleAbouts,
): Promise<readonly TenantRule[]> {
  const known = new Map(rows.map((row) => [row.ruleId, row]));
  const filters = filtersOf(rows).filter(({ enabled }) => enabled);
  const given = [...shipped].map(([ruleId, { source }]) => ({ ruleId, source, isShipped: true }));
  for (const { ruleId, kind, source } of rows)
    if (kind === 'rule' && source !== null && !shipped.has(ruleId))
      given.push({ ruleId, source, isShipped: false });
  const rules: TenantRule[] = [];
  const texts = filters.map(({ source }) => source);
  for (const one of given) {
    const row = known.get(one.ruleId);
    const tuning = row?.tuning ?? null;
    const about = () => abouts.of({ ...one, tuning }, texts);
    const narrowing = filters.length === 0 ? [] : ((await about())?.filters ?? []);
    const own = filters.filter(({ ruleId }) => narrowing.includes(ruleId));
    const digest = digestOf(
      one.source,
      tuning,
      own.map(({ source }) => source),
    );
    const isNews = row?.digest !== digest;
    const version = row ? row.version + Number(isNews) : 1;
    const enabled = row?.enabled ?? true;
    rules.push({ ...one, tuning, enabled, version, digest, isNews, filters: own, about });
  }
  return rules;
}

/** Gives a version to each rule that is new or has another content than before. */
export async function settleVersions(
  tx: Prisma.TransactionClient,
  tenantId: number,
  rules: readonly TenantRule[],
): Promise<void> {
  const news = rules.filter(({ isNews }) => isNews);
  if (news.length === 0) return;
  await tx.$executeRawUnsafe(
    `INSERT INTO detection_rule (tenant_id, rule_id, enabled, version, digest, created_at, updated_at)
     SELECT t.tenant_id, x.id, x.enabled, x.version, x.digest, now(), now()
     FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(id uuid, enabled boolean, version int, digest text)
     WHERE t.tenant_id = $1::int
     ON CONFLICT (tenant_id, rule_id) DO UPDATE SET version = excluded.version, digest = excluded.digest`,
    tenantId,
    JSON.stringify(
      news.map(({ ruleId: id, enabled, version, digest }) => ({ id, enabled, version, digest })),
    ),
  );
}

/** @returns the enabled rules of a tenant in a fixed order */
export async function enabledRules(
  tx: Prisma.TransactionClient,
  tenantId: number,
  shipped: ReadonlyMap<string, ShippedRule>,
  abouts: RuleAbouts,
): Promise<readonly RuleSource[]> {
  const rules = await tenantRules(await rowsOf(tx, tenantId), shipped, abouts);
  await settleVersions(tx, tenantId, rules);
  return rules
    .filter(({ enabled }) => enabled)
    .map(toSource)
    .sort((a, b) => (a.ruleId < b.ruleId ? -1 : 1));
}

export const toSource = ({ ruleId, source, tuning, version, filters }: TenantRule): RuleSource => ({
  ruleId,
  source,
  tuning: tuningOf(tuning),
  version,
  filters: filters.map((filter) => filter.source),
});

/** A shipped rule as a tenant has it that changed nothing. */
export const asShipped = (ruleId: string, source: string): RuleSource => ({
  ruleId,
  source,
  tuning: tuningOf(null),
  version: 1,
  filters: [],
});

export async function rowsOf(tx: Prisma.TransactionClient, tenantId: number): Promise<readonly RuleRow[]> {
  const rows = await tx.detectionRule.findMany({
    where: { tenantId },
    select: {
      ruleId: true,
      kind: true,
      source: true,
      enabled: true,
      tuning: true,
      version: true,
      digest: true,
    },
  });
  return rows.map((row) => ({ ...row, kind: row.kind as RowKind }));
}
