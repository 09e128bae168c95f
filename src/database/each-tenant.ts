import { Prisma } from '../generated/prisma/client';
import type { NoTenants, TenantSet } from '../tenant-set';

/**
 * Makes a sub-select for each tenant of a set. The sub-select names its tenant itself: by value, or by the row of
 * `tenant t` to which it is joined. Call this as a function for a sub-select that needs nothing else. Call `dependent`
 * for a sub-select that uses other parts of the statement, or has parts of its own (WITH).
 *
 * On one database the sub-selects of several tenants are joined to `tenant`, with one plan for all of them. On tables
 * distributed by tenant, independent sub-selects are joined to `tenant` too, and all nodes work on them at once. The
 * database refuses dependent sub-selects in that form, so each of them is written out for its tenant and runs as a
 * whole on the node of that tenant.
 */
export interface EachTenant extends TenantLookup {
  (select: SelectOf): Prisma.Sql;
  readonly dependent: (select: SelectOf) => Prisma.Sql;
  /** Whether the combined rows may come from several nodes. */
  readonly isScattered: boolean;
}

/** What a statement of one tenant must know of the database. */
export interface TenantLookup {
  /** Whether the tables are distributed over the nodes of a cluster. */
  readonly isDistributed: boolean;
  /**
   * The tenant of a lookup by keys. The subquery hides the value from the planner, which then expects the rows of an
   * average tenant. Of a tenant that its statistics do not know yet, it would expect one row. Every index that begins
   * with the tenant then looks as good as the right one, and each lookup may read all entries of the tenant. A
   * distributed database needs the value, which tells it the node. A tenant that comes from a row has no value to hide.
   */
  readonly lookup: (tenant: Prisma.Sql) => Prisma.Sql;
}

type SelectOf = (tenant: Prisma.Sql) => Prisma.Sql;

/** One tenant is always named by value, so that the whole statement stays on one node of a distributed database. */
function eachTenant(tenants: TenantSet, isDistributed: boolean): EachTenant {
  const values = tenants.map((tenant) => Prisma.sql`${tenant}::int`);
  const [only] = values;
  const hung = (select: SelectOf) => Prisma.sql`
    SELECT s.* FROM tenant t CROSS JOIN LATERAL (${select(Prisma.raw('t.tenant_id'))}) s
      WHERE t.tenant_id = ANY(${[...tenants]}::int[])`;
  const named = (select: SelectOf) => {
    const parts = values.map((tenant, i) => Prisma.sql`${part(i)} AS MATERIALIZED (${select(tenant)})`);
    const all = values.map((_, i) => Prisma.sql`SELECT * FROM ${part(i)}`);
    return Prisma.sql`WITH ${Prisma.join(parts)} ${Prisma.join(all, ' UNION ALL ')}`;
  };
  const alone = (select: SelectOf) => select(only as Prisma.Sql);
  const isScattered = isDistributed && values.length > 1;
  const each = values.length === 1 ? alone : hung;
  return Object.assign((select: SelectOf) => each(select), {
    dependent: isScattered ? named : each,
    isScattered,
    isDistributed,
    lookup: (tenant: Prisma.Sql) =>
      isDistributed || tenant.values.length === 0 ? tenant : Prisma.sql`(SELECT ${tenant})`,
  });
}

const part = (i: number) => Prisma.raw(`tenant_${i}`);

/** How the database keeps the rows of tenants. It is decided where the database is opened. */
export interface Layout {
  /** Whether the tables are distributed over the nodes of a cluster, by tenant. */
  readonly isDistributed: boolean;
  /** Makes statements over these tenants, as this database runs them. */
  readonly each: (tenants: TenantSet) => EachTenant;
}

export const layout = (isDistributed: boolean): Layout => ({
  isDistributed,
  each: (tenants) => eachTenant(tenants, isDistributed),
});

/** The role that requests run as. Row-level security shows it only rows of the tenants that a transaction names. */
export const SERVICE_ROLE = 'audit_activity_service';

/** The setting by which a transaction names its tenants. */
export const TENANTS_SETTING = 'app.tenants';

/** Tables that the service's role reads whole. They list the tenants, and hold no other data of a tenant. */
export const FREE_TABLES: readonly string[] = ['tenant'];

/**
 * The setting's value, such as `1,3`.
 * @throws RangeError for a value that is not a tenant id, because statements contain the text
 */
export function tenantsSetting(tenants: TenantSet | NoTenants): string {
  for (const tenant of tenants)
    if (!Number.isInteger(tenant) || tenant < 1 || tenant > 2_147_483_647)
      throw new RangeError(`${tenant} is no tenant id`);
  return tenants.join(',');
}

/** The statement that names the tenants until a transaction ends. Distributed databases pass on only this form. */
export const setTenants = (tenants: TenantSet | NoTenants): string =>
  `SET LOCAL ${TENANTS_SETTING} = '${tenantsSetting(tenants)}'`;
