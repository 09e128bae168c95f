import type { OwnerDb, Prisma } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { UNUSED } from '../stored-text';
import { ACTION_MAX, COUNTED_BY_INSTANCE, INSTANCE_MAX, keyOf } from './by-instance';
import { COUNTED, KEYS } from './dimensions';
import { HOURS_PER_DAY } from './scope';
import { tryTurn } from './turns';

const TENANTS_PER_RUN = 50;

/**
 * Gives the next numbers to values that have none. It runs under the tenant's lock, so no two runs give the same
 * number. Here and below, inserted rows take their tenant from the tenant's row, so that one node of a distributed
 * database does all the work.
 */
export const numberValues = (kind: number, values: string): string => `
  INSERT INTO audit_dim (tenant_id, kind, value, dim_id)
  SELECT t.tenant_id, ${kind}, n.value, (SELECT coalesce(max(m.dim_id), 0) FROM audit_dim m
      WHERE m.tenant_id = $1::int AND m.kind = ${kind}) + row_number() OVER (ORDER BY n.value)
  FROM tenant t CROSS JOIN (${values}) n
  WHERE t.tenant_id = $1::int
    AND NOT EXISTS (SELECT FROM audit_dim m WHERE m.tenant_id = $1::int AND m.kind = ${kind} AND m.value = n.value)`;

const NUMBER_VALUES = COUNTED.map(({ kind, storedValueOf }) =>
  numberValues(
    kind,
    `SELECT DISTINCT ${storedValueOf('x')} AS value FROM audit_delta x WHERE x.tenant_id = $1::int`,
  ),
);

/** SQL: the tables that number the values of rows `x`, and the conditions that join them. */
const NUMBERS = COUNTED.map(({ key }) => `audit_dim ${key}`).join(', ');
const NUMBERED = COUNTED.map(
  ({ key, kind, storedValueOf }) =>
    `${key}.tenant_id = $1::int AND ${key}.kind = ${kind} AND ${key}.value = ${storedValueOf('x')}`,
).join(' AND ');
const NUMBERS_OF_KEYS = KEYS.map(({ key }) => `${key}.dim_id AS ${key}`).join(', ');
const KEY_NAMES = KEYS.map(({ key }) => key).join(', ');

/** SQL: the instance's number `i`; null when the events cannot be counted by it. */
const INSTANCE = `CASE WHEN i.value <> '${UNUSED}' AND i.dim_id <= ${INSTANCE_MAX} AND a.dim_id <= ${ACTION_MAX} THEN i.dim_id END AS i`;

/** SQL: rows `x` in the form of the counts, for `RETURNING` or `SELECT`. */
const COUNTS_OF_ROWS = `x.hour, ${NUMBERS_OF_KEYS}, ${INSTANCE}, x.n, x.ok`;

const SUMS = 'sum(n)::int AS n, sum(ok)::int AS ok';
const [ACTION, ...OTHERS] = KEYS;
const orAll = (keys: readonly { readonly key: string }[]) =>
  keys.map(({ key }) => `coalesce(${key}, 0) AS ${key}`).join(', ');

/** The sums of `gone` for the counts by columns: by hour for each single column, by day for every combination. */
const SUMS_BY_KEYS = `
  SELECT 1::smallint AS grain, hour AS bucket, ${orAll(KEYS)}, ${SUMS}
  FROM gone GROUP BY GROUPING SETS ((hour), ${KEYS.map(({ key }) => `(hour, ${key})`).join(', ')})
  UNION ALL
  SELECT 2::smallint, hour / ${HOURS_PER_DAY}, ${orAll(KEYS)}, ${SUMS}
  FROM gone GROUP BY hour / ${HOURS_PER_DAY}, CUBE (${KEY_NAMES})`;

const noOthers = OTHERS.map(({ key }) => `0 AS ${key}`).join(', ');
/** The same by instance, and the number of a day's events that are counted by instance. */
const SUMS_BY_INSTANCE = `
  SELECT 1::smallint AS grain, hour AS bucket, ${keyOf('i', '0')} AS ${ACTION.key}, ${noOthers}, ${SUMS}
  FROM gone WHERE i IS NOT NULL GROUP BY hour, i
  UNION ALL
  SELECT 2::smallint, hour / ${HOURS_PER_DAY}, ${keyOf('i', `coalesce(${ACTION.key}, 0)`)}, ${orAll(OTHERS)}, ${SUMS}
  FROM gone WHERE i IS NOT NULL GROUP BY hour / ${HOURS_PER_DAY}, i, CUBE (${KEY_NAMES})
  UNION ALL
  SELECT 2::smallint, hour / ${HOURS_PER_DAY}, ${COUNTED_BY_INSTANCE}, ${noOthers}, ${SUMS}
  FROM gone WHERE i IS NOT NULL GROUP BY hour / ${HOURS_PER_DAY}`;

const addToCounts = (sums: string) => `
sums AS (${sums}),
counted AS (
  INSERT INTO audit_count AS c (tenant_id, grain, ${KEY_NAMES}, bucket, n, ok)
  SELECT t.tenant_id, s.grain, ${KEYS.map(({ key }) => `s.${key}`).join(', ')}, s.bucket, s.n, s.ok
  FROM tenant t CROSS JOIN sums s WHERE t.tenant_id = $1::int
  ORDER BY s.grain, ${KEYS.map(({ key }) => `s.${key}`).join(', ')}, s.bucket
  ON CONFLICT (tenant_id, grain, ${KEY_NAMES}, bucket) DO UPDATE SET n = c.n + excluded.n, ok = c.ok + excluded.ok)
SELECT t.tenant_id FROM tenant t WHERE t.tenant_id = $1::int`;

/**
 * Moves a tenant's deltas into its counts in one statement, so that a reader sees each delta in exactly one of the two
 * places. Deltas with a value that is newer than the numbering wait for the next run.
 */
const FOLD = `
WITH gone AS (
  DELETE FROM audit_delta x USING ${NUMBERS}
  WHERE x.tenant_id = $1::int AND ${NUMBERED}
  RETURNING ${COUNTS_OF_ROWS}),
changed AS (
  INSERT INTO audit_unindexed AS u (tenant_id, hour, changed_at)
  SELECT t.tenant_id, h.hour, statement_timestamp() FROM tenant t CROSS JOIN (SELECT DISTINCT hour FROM gone) h
  WHERE t.tenant_id = $1::int
  ON CONFLICT (tenant_id, hour) DO UPDATE SET changed_at = excluded.changed_at),
${addToCounts(`${SUMS_BY_KEYS}
  UNION ALL ${SUMS_BY_INSTANCE}`)}`;

/** Adds rows `x` of `rows` to the counts by instance alone. $1 is the tenant. */
export const addByInstance = (rows: string): string => `
WITH gone AS (
  SELECT ${COUNTS_OF_ROWS} FROM (${rows}) x, ${NUMBERS} WHERE ${NUMBERED}),
${addToCounts(SUMS_BY_INSTANCE)}`;

/** Folds the deltas of a tenant that this transaction sees. The caller must have the tenant's turn. */
export async function foldTenant(tx: Prisma.TransactionClient, tenantId: number): Promise<void> {
  for (const statement of NUMBER_VALUES) await tx.$executeRawUnsafe(statement, tenantId);
  await tx.$executeRawUnsafe(FOLD, tenantId);
}

/** Folds deltas into counts. Any number of instances may run it: a tenant that another instance folds is skipped. */
export class Folder {
  readonly #rounds: TenantRounds;

  constructor(private readonly prisma: OwnerDb) {
    this.#rounds = new TenantRounds(prisma);
  }

  /** @returns 1 when tenants are left whose turn did not come in this run, else 0 */
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
