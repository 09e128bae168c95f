/**
 * The tables that are distributed over the nodes of a Citus cluster, by tenant. The first one is the anchor, with one
 * row for each tenant: every statement starts from it. The other tables are placed beside it, so that all rows of a
 * tenant are on one node.
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
  'audit_clock',
  'audit_archive',
  'audit_sealed_week',
  'audit_sealed_piece',
  'audit_sealed_file',
  'retention_run',
  'legal_hold',
  'audit_source',
  'agent_group',
  'agent_package',
  'agent_package_part',
  'audit_gap',
  'audit_source_lag',
  'audit_log_queue',
  'audit_log_tile',
  'audit_log_arrival',
  'audit_log_place',
  'audit_log_gone',
  'audit_log_head',
  'audit_log_checkpoint',
  'audit_log_stamping',
  'audit_log_backlog',
  'audit_log_verification',
  'audit_erasure',
  'audit_sealed_entry',
  'audit_erasure_record',
  'saved_search',
  'event_note',
  'detection_position',
  'detection_rule',
  'detection_state',
  'alert',
  'finding',
  'alert_change',
  'incident',
  'incident_change',
  'incident_event',
  'alert_suppression',
  'alert_route',
  'alert_notice',
  'backtest',
  'compliance_declaration',
  'report_run',
  'report_piece',
  'report_schedule',
  'destination',
  'destination_set_aside',
] as const;

/**
 * Tables that stay on the coordinator. Keys are looked up by their hash before the tenant is known. Their last use is
 * written often, and as reference tables each write would need every node. An entry of the access log may concern
 * several tenants, or none. All tenants share one key and one epoch of the evidence logs, and one page of the dashboard.
 */
export const LOCAL_TABLES = [
  'api_key',
  'access_log',
  'dashboard_session',
  'export_lease',
  'page_asset',
  'audit_log_key',
  'audit_log_epoch',
  '_prisma_migrations',
] as const;

const DISTRIBUTION_COLUMN = 'tenant_id';
const [ANCHOR, ...OTHERS] = DISTRIBUTED_TABLES;

/** A table that is distributed already, as Citus describes it. */
export interface Placement {
  readonly name: string;
  readonly column: string;
  readonly colocation: number;
}

/**
 * The calls that are still missing, in the order in which to make them.
 * @param shards number for each table; null: the cluster's setting (32 by default)
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
