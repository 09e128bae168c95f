/**
 * The tables that are spread over the nodes of a Citus cluster, by tenant. The first is the anchor: one row for each
 * tenant, from which every statement starts; the others lie beside it, a tenant's rows of all of them on one node.
 */
export const DISTRIBUTED_TABLES = [
  'tenant',
  'audit_event',
  'audit_delta',
  'audit_count',
  'audit_dim',
  'audit_segment',
  'audit_word',
  'audit_unindexed',
  'retention_run',
  'audit_source',
  'audit_gap',
  'audit_log_queue',
  'audit_log_tile',
  'audit_log_arrival',
  'audit_log_place',
  'audit_log_gone',
  'audit_log_head',
  'audit_log_checkpoint',
  'audit_log_backlog',
  'saved_search',
  'detection_position',
  'detection_rule',
  'detection_state',
  'alert',
  'finding',
  'alert_change',
  'alert_suppression',
  'alert_route',
  'alert_notice',
  'backtest',
  'destination',
  'destination_set_aside',
] as const;

/**
 * Tables that stay on the coordinator. Keys are looked up by their hash before any tenant is known, and their last
 * use is written all the time: as reference tables each write would need every node. An entry of the access log may
 * concern several tenants, or none. The key of the evidence logs is one for all tenants.
 */
export const LOCAL_TABLES = [
  'api_key',
  'access_log',
  'dashboard_session',
  'export_lease',
  'audit_log_key',
  '_prisma_migrations',
] as const;

const DISTRIBUTION_COLUMN = 'tenant_id';
const [ANCHOR, ...OTHERS] = DISTRIBUTED_TABLES;

/** What Citus says of a table that is distributed already. */
export interface Placement {
  readonly name: string;
  readonly column: string;
  readonly colocation: number;
}

/**
 * The calls that are still missing, in their order.
 * @param shards of each table; null: as the cluster is set (32 unless changed)
 * @throws Error when a table was distributed in another way
 */
export function distributionPlan(placed: readonly Placement[], shards: number | null): readonly string[] {
  assertSound(placed);
  const isPlaced = (table: string) => placed.some(({ name }) => name === table);
  const count = shards === null ? '' : `, shard_count => ${shards}`;
  return [
    ...(isPlaced(ANCHOR) ? [] : [call(ANCHOR, `colocate_with => 'none'${count}`)]),
    ...OTHERS.filter((table) => !isPlaced(table)).map((table) => call(table, `colocate_with => '${ANCHOR}'`)),
  ];
}

const call = (table: string, how: string) =>
  `SELECT create_distributed_table('${table}', '${DISTRIBUTION_COLUMN}', ${how})`;

function assertSound(placed: readonly Placement[]): void {
  const anchor = placed.find(({ name }) => name === ANCHOR);
  for (const { name, column, colocation } of placed) {
    if (column !== DISTRIBUTION_COLUMN)
      throw new Error(`${name} is distributed by ${column}, not by tenant_id`);
    if (!anchor || colocation !== anchor.colocation)
      throw new Error(`${name} is distributed, but not beside ${ANCHOR}: undistribute it first`);
  }
}
