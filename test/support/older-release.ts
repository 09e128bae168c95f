import type { OwnerDoor, ServiceDoor } from '../../src/database/clients';
import { COUNTED_COLUMNS } from '../../src/store/counts/dimensions';

/**
 * The previous release's statements on the same tables, while instances are upgraded one at a time. They are copied
 * word for word, except for the columns of events, which are the same. That release has no counts by instance.
 */
const OLDER_COLUMNS = 'action_id, database_name, server_principal_name';

/** Stores a batch as that release does: with this release's statement, without the instance. */
export const olderService = (service: ServiceDoor): ServiceDoor => ({
  ...service,
  run: (text, ...rest) => service.run(text.replaceAll(COUNTED_COLUMNS, OLDER_COLUMNS), ...rest),
  // On a distributed database, counts are a step of their own.
  steps: (tenants, work) =>
    service.steps(tenants, (step) =>
      work((text, values = []) =>
        text.includes(COUNTED_COLUMNS)
          ? step(OLDER_COUNT, values.toSpliced(INSTANCE, 1))
          : step(text, values),
      ),
    ),
});
const OLDER_COUNT = `
INSERT INTO audit_delta (tenant_id, hour, ${OLDER_COLUMNS}, n, ok)
SELECT t.tenant_id, unnest($2::int[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]), unnest($6::int[]), unnest($7::int[])
FROM tenant t WHERE t.tenant_id = $1::int`;
/** The place of the instances among the values of this release's statement. */
const INSTANCE = 2 + COUNTED_COLUMNS.split(', ').indexOf('server_instance_name');

const NUMBER_VALUES = [
  [1, 'action_id'],
  [2, 'database_name'],
  [3, 'server_principal_name'],
].map(
  ([kind, column]) => `
  INSERT INTO audit_dim (tenant_id, kind, value, dim_id)
  SELECT t.tenant_id, ${kind}, n.value, (SELECT coalesce(max(m.dim_id), 0) FROM audit_dim m
      WHERE m.tenant_id = $1::int AND m.kind = ${kind}) + row_number() OVER (ORDER BY n.value)
  FROM tenant t CROSS JOIN (SELECT DISTINCT x.${column} AS value FROM audit_delta x WHERE x.tenant_id = $1::int) n
  WHERE t.tenant_id = $1::int
    AND NOT EXISTS (SELECT FROM audit_dim m WHERE m.tenant_id = $1::int AND m.kind = ${kind} AND m.value = n.value)`,
);

const FOLD = `
WITH gone AS (
  DELETE FROM audit_delta x USING audit_dim a, audit_dim d, audit_dim p
  WHERE x.tenant_id = $1::int AND a.tenant_id = $1::int AND a.kind = 1 AND a.value = x.action_id
    AND d.tenant_id = $1::int AND d.kind = 2 AND d.value = x.database_name
    AND p.tenant_id = $1::int AND p.kind = 3 AND p.value = x.server_principal_name
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

/** Folds a tenant as that release does, within the tenant's turn. */
export function olderFold(owner: OwnerDoor, tenantId: number): Promise<void> {
  return owner.models.$transaction(async (tx) => {
    const [lock] = await tx.$queryRawUnsafe<{ taken: boolean }[]>(
      `SELECT pg_try_advisory_xact_lock_shared(702197::bigint) AND pg_try_advisory_xact_lock(702198, $1::int) AS taken`,
      tenantId,
    );
    if (!lock?.taken) return;
    for (const statement of NUMBER_VALUES) await tx.$executeRawUnsafe(statement, tenantId);
    await tx.$executeRawUnsafe(FOLD, tenantId);
  });
}

/** Subtracts single events as that release's retention does, before it folds. */
export const OLDER_REMOVE = `
WITH gone AS (
  DELETE FROM audit_event e WHERE e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid
  RETURNING e.record_id, action_id, database_name, server_principal_name, e.succeeded)
INSERT INTO audit_delta (tenant_id, hour, action_id, database_name, server_principal_name, n, ok)
SELECT t.tenant_id, (('x' || translate(left(g.record_id::text, 13), '-', ''))::bit(48)::bigint / 3600000)::int,
  action_id, database_name, server_principal_name, -count(*), -count(*) FILTER (WHERE g.succeeded)
FROM tenant t CROSS JOIN gone g WHERE t.tenant_id = $1::int
GROUP BY 1, 2, action_id, database_name, server_principal_name`;

/** Removes a week's counts and deltas as that release's retention does; $2 and $3 are hours since 1970. */
const OLDER_DROP = [
  `DELETE FROM audit_count c WHERE c.tenant_id = $1::int
     AND ((c.grain = 1 AND c.bucket >= $2::int AND c.bucket < $3::int)
       OR (c.grain = 2 AND c.bucket >= $2::int / 24 AND c.bucket < $3::int / 24))`,
  `DELETE FROM audit_delta x WHERE x.tenant_id = $1::int AND x.hour >= $2::int AND x.hour < $3::int`,
  ...['audit_segment', 'audit_word', 'audit_unindexed'].map(
    (table) => `DELETE FROM ${table} WHERE tenant_id = $1::int AND hour >= $2::int AND hour < $3::int`,
  ),
  `DELETE FROM audit_event e WHERE e.tenant_id = $1::int
     AND e.record_id >= (lpad(to_hex($2::int::bigint * 3600000), 12, '0') || '80008000000000000000')::uuid
     AND e.record_id < (lpad(to_hex($3::int::bigint * 3600000), 12, '0') || '80008000000000000000')::uuid`,
];

/** Drops a tenant's week as that release does; here it deletes rows instead of dropping the partition. */
export async function olderDropWeek(owner: OwnerDoor, tenantId: number, fromHour: number): Promise<void> {
  await owner.models.$transaction(async (tx) => {
    for (const statement of OLDER_DROP)
      await tx.$executeRawUnsafe(statement, tenantId, fromHour, fromHour + 7 * 24);
  });
}
