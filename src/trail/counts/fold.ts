import type { OwnerDb, Prisma } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { DIMENSIONS } from './dimensions';
import { tryTurn } from './turns';

const TENANTS_PER_RUN = 50;

/**
 * Values not numbered yet get the next numbers. Runs under the tenant's lock, so no two runs give the same. What is
 * inserted names its tenant by the tenant's row, here and below: of a distributed database one node then does it all.
 */
const NUMBER_VALUES = DIMENSIONS.map(
  ({ kind, column }) => `
  INSERT INTO audit_dim (tenant_id, kind, value, dim_id)
  SELECT t.tenant_id, ${kind}, n.value, (SELECT coalesce(max(m.dim_id), 0) FROM audit_dim m
      WHERE m.tenant_id = $1::int AND m.kind = ${kind}) + row_number() OVER (ORDER BY n.value)
  FROM tenant t CROSS JOIN (SELECT DISTINCT x.${column} AS value FROM audit_delta x WHERE x.tenant_id = $1::int) n
  WHERE t.tenant_id = $1::int
    AND NOT EXISTS (SELECT FROM audit_dim m WHERE m.tenant_id = $1::int AND m.kind = ${kind} AND m.value = n.value)`,
);

/**
 * Moves a tenant's deltas into its counts, in one statement: a reader sees them in the one place or in the other.
 * Deltas with a value that came after the numbering wait for the next run.
 */
const FOLD = `
WITH gone AS (
  DELETE FROM audit_delta x USING ${DIMENSIONS.map(({ key }) => `audit_dim ${key}`).join(', ')}
  WHERE x.tenant_id = $1::int AND ${DIMENSIONS.map(
    ({ key, kind, column }) =>
      `${key}.tenant_id = $1::int AND ${key}.kind = ${kind} AND ${key}.value = x.${column}`,
  ).join(' AND ')}
  RETURNING x.hour, a.dim_id AS a, d.dim_id AS d, p.dim_id AS p, x.n, x.ok),
changed AS (
  INSERT INTO audit_unindexed AS u (tenant_id, hour, changed_at)
  SELECT t.tenant_id, h.hour, statement_timestamp() FROM tenant t CROSS JOIN (SELECT DISTINCT hour FROM gone) h
  WHERE t.tenant_id = $1::int
  ON CONFLICT (tenant_id, hour) DO UPDATE SET changed_at = excluded.changed_at),
sums AS (
  SELECT 1::smallint AS grain, hour AS bucket, coalesce(a, 0) AS a, coalesce(d, 0) AS d, coalesce(p, 0) AS p,
    sum(n)::int AS n, sum(ok)::int AS ok
  FROM gone GROUP BY GROUPING SETS ((hour), (hour, a), (hour, d), (hour, p))
  UNION ALL
  SELECT 2::smallint, hour / 24, coalesce(a, 0), coalesce(d, 0), coalesce(p, 0), sum(n)::int, sum(ok)::int
  FROM gone GROUP BY hour / 24, CUBE (a, d, p)),
counted AS (
  INSERT INTO audit_count AS c (tenant_id, grain, a, d, p, bucket, n, ok)
  SELECT t.tenant_id, s.grain, s.a, s.d, s.p, s.bucket, s.n, s.ok FROM tenant t CROSS JOIN sums s WHERE t.tenant_id = $1::int
  ORDER BY s.grain, s.a, s.d, s.p, s.bucket
  ON CONFLICT (tenant_id, grain, a, d, p, bucket) DO UPDATE SET n = c.n + excluded.n, ok = c.ok + excluded.ok)
SELECT t.tenant_id FROM tenant t WHERE t.tenant_id = $1::int`;

/** Folds what this transaction sees of a tenant, whose turn the caller has. */
export async function foldTenant(tx: Prisma.TransactionClient, tenantId: number): Promise<void> {
  for (const statement of NUMBER_VALUES) await tx.$executeRawUnsafe(statement, tenantId);
  await tx.$executeRawUnsafe(FOLD, tenantId);
}

/** Folds deltas into counts. Any number of instances may run it: a tenant another one folds is passed over. */
export class Folder {
  readonly #rounds: TenantRounds;

  constructor(private readonly prisma: OwnerDb) {
    this.#rounds = new TenantRounds(prisma);
  }

  /** @returns the number of tenants whose turn did not come in this run */
  async run(): Promise<number> {
    const tenants = await this.#rounds.ask((of) =>
      this.prisma.$queryRawUnsafe<{ tenant_id: number }[]>(
        `SELECT DISTINCT tenant_id FROM audit_delta WHERE ${of('tenant_id')} LIMIT ${TENANTS_PER_RUN + 1}`,
      ),
    );
    for (const { tenant_id } of tenants.slice(0, TENANTS_PER_RUN))
      await this.#rounds.attempt(tenant_id, () => this.#fold(tenant_id));
    this.#rounds.end();
    return Math.max(0, tenants.length - TENANTS_PER_RUN);
  }

  #fold(tenantId: number): Promise<boolean> {
    return this.prisma.$transaction(
      async (tx) => {
        if (!(await tryTurn(tx, 'folding', tenantId))) return false;
        await foldTenant(tx, tenantId);
        return true;
      },
      { timeout: 60_000, maxWait: 10_000 },
    );
  }
}
