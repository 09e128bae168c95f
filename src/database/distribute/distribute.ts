import type { OwnerDoor } from '../clients';
import { FREE_TABLES, TENANTS_SETTING } from '../each-tenant';
import { DISTRIBUTED_TABLES, distributionPlan, type Placement } from './distribution';

/** The database cannot distribute tables. Printed as one line. */
export class CannotDistribute extends Error {
  override readonly name = 'CannotDistribute';
}

type Models = OwnerDoor['models'];

export interface Distribution {
  /** Version of the extension. */
  readonly citus: string;
  /** Tables that this call distributed. */
  readonly distributed: readonly string[];
  /** Tables that were distributed before. */
  readonly before: readonly string[];
}

/**
 * Distributes the tables over the cluster. Each step is a transaction of its own, so that an interrupted command
 * continues where it stopped. Existing rows are moved, and nobody can write them meanwhile.
 * @param prepare makes the tables
 * @param shards number for each table; null: the cluster's setting
 * @throws CannotDistribute
 */
export async function distribute(
  owner: OwnerDoor,
  prepare: () => Promise<unknown>,
  shards: number | null,
): Promise<Distribution> {
  const citus = await citusVersion(owner.models);
  await prepare();
  const placed = await placements(owner.models);
  const plan = planOf(placed, shards);
  await refuseOtherShards(owner, placed, shards);
  const before = placed.map(({ name }) => name);
  const distributed = DISTRIBUTED_TABLES.filter((table) => !before.includes(table));
  for (const [i, statement] of plan.entries()) {
    await openToNodes(owner, distributed[i] ?? '');
    await owner.models.$executeRawUnsafe(statement);
  }
  return { citus, distributed, before };
}

/**
 * Citus refuses sub-selects in the policies of distributed tables, so each row reads the setting. Citus copies rows as
 * the owner. PostgreSQL's COPY refuses a table whose policies apply to the user, so they must not apply to the owner.
 * The owner can see all rows in any case, by a policy of its own.
 */
async function openToNodes(owner: OwnerDoor, table: string): Promise<void> {
  if (FREE_TABLES.includes(table)) return;
  await owner.models.$executeRawUnsafe(
    `ALTER POLICY tenants ON ${table}
     USING (tenant_id = ANY (string_to_array(current_setting('${TENANTS_SETTING}', true), ',')::int[]))`,
  );
  await owner.models.$executeRawUnsafe(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
}

/** Detects Citus by its functions, which no other extension has. */
async function citusVersion(models: Models): Promise<string> {
  const [found] = await models.$queryRaw<
    { there: boolean }[]
  >`SELECT to_regproc('citus_version') IS NOT NULL AS there`;
  if (!found?.there)
    throw new CannotDistribute(
      'The extension citus is not in this database: nothing was distributed. On a coordinator with Citus, CREATE EXTENSION citus first.',
    );
  const [citus] = await models.$queryRaw<{ version: string }[]>`SELECT citus_version() AS version`;
  return /^Citus (\S+)/.exec(citus?.version ?? '')?.[1] ?? 'unknown';
}

/**
 * The first call decides how many shards a table has. A different number in a later call is refused, because ignoring
 * it would look like applying it.
 */
async function refuseOtherShards(
  owner: OwnerDoor,
  placed: readonly Placement[],
  shards: number | null,
): Promise<void> {
  if (shards === null || placed.length === 0) return;
  const [now] = await owner.models.$queryRawUnsafe<{ shards: number }[]>(
    `SELECT count(*)::int AS shards FROM pg_dist_shard WHERE logicalrelid = '${DISTRIBUTED_TABLES[0]}'::regclass`,
  );
  if (now?.shards === shards) return;
  throw new CannotDistribute(
    `The tables have ${now?.shards} shards each already, not ${shards}: nothing was changed. Leave --shards out, or change ` +
      `their number first: SELECT alter_distributed_table('${DISTRIBUTED_TABLES[0]}', shard_count => ${shards}, cascade_to_colocated => true);`,
  );
}

function planOf(placed: readonly Placement[], shards: number | null): readonly string[] {
  try {
    return distributionPlan(placed, shards);
  } catch (error) {
    throw new CannotDistribute(error instanceof Error ? error.message : String(error));
  }
}

function placements(models: Models): Promise<Placement[]> {
  return models.$queryRawUnsafe<Placement[]>(
    `SELECT c.relname::text AS name, coalesce(column_to_column_name(p.logicalrelid, p.partkey), 'no column') AS column,
       p.colocationid::int AS colocation
     FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid WHERE c.relname::text = ANY($1::text[])`,
    [...DISTRIBUTED_TABLES],
  );
}

/** Whether the tables of this database are distributed over a cluster. */
export async function isDistributed(models: Models): Promise<boolean> {
  const [catalogue] = await models.$queryRaw<{ there: boolean }[]>`
    SELECT to_regclass('pg_dist_partition') IS NOT NULL AS there`;
  return catalogue?.there === true && (await placements(models)).length > 0;
}
