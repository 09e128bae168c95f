import { Prisma, type ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { formatTicks, msOfTime } from '../../../event/event-time';
import type { ParameterSpecs, ParameterValues } from '../../../event/parameter-specs';
import type { Answer, Shape } from '../../../event/shape';
import { SEVERITIES } from '../../../rules/rule';
import { fromStored } from '../../../store/rows/stored-text';
import type { TenantSet } from '../../../tenant-set';
import { ALERT_FILTERS, SEVERITY, STATUS } from '../base/answers';
import { conditionsOf, has } from './alert.reader';
import { isEntityKind, linkOf } from './incident-about';

export const ALERT_COUNT = {
  name: 'AlertCount',
  doc: 'How many alerts a rule has in a state.',
  fields: {
    status: { kind: 'choice', choices: STATUS },
    severity: { kind: 'choice', choices: SEVERITY },
    ruleId: { kind: 'id' },
    title: { kind: 'text', doc: 'Of the rule.' },
    alerts: { kind: 'count' },
  },
} as const satisfies Shape;

export const FINDING_COUNT = {
  name: 'FindingCount',
  doc: 'How many findings a rule has.',
  fields: {
    tenantId: { kind: 'text' },
    ruleId: { kind: 'id' },
    findings: { kind: 'count' },
  },
} as const satisfies Shape;

export const ALERT_COUNTS_PARAMETERS = ALERT_FILTERS;
export const FINDING_COUNTS_PARAMETERS = {
  startTime: { kind: 'time', doc: 'Detected at or after this time. Without an offset it is UTC.' },
} as const satisfies ParameterSpecs;

/** The most lines of an answer, whatever a tenant has. A tenant has few rules. */
const LINES_MAX = 5_000;

/** Counts alerts and findings of tenants. */
export class AlertCounts {
  constructor(private readonly service: ServiceDoor) {}

  /** The most frequent first. */
  async alerts(
    tenants: TenantSet,
    filters: ParameterValues<typeof ALERT_COUNTS_PARAMETERS>,
  ): Promise<readonly Answer<typeof ALERT_COUNT>[]> {
    const where = Prisma.join(conditionsOf(tenants, filters), ' AND ');
    const rows = await this.#rows(
      Prisma.sql`SELECT status, severity, rule_id::text AS rule_id, max(title) AS title, count(*)::int AS alerts
        FROM alert WHERE ${where} GROUP BY status, severity, rule_id ORDER BY 5 DESC, 3 LIMIT ${LINES_MAX}::int`,
      tenants,
    );
    return rows.map((row) => ({
      status: row.status as keyof typeof STATUS.values,
      severity: SEVERITIES[Number(row.severity) - 1] ?? 'low',
      ruleId: String(row.rule_id),
      title: fromStored(String(row.title)),
      alerts: Number(row.alerts),
    }));
  }

  /**
   * The alerts that are not resolved and name an entity, the most severe first. Null: alerts do not name this kind.
   */
  async ofEntity(
    tenants: TenantSet,
    { kind, value, limit }: { readonly kind: string; readonly value: string; readonly limit: number },
  ) {
    const names =
      kind === 'instance'
        ? has('instances', value)
        : isEntityKind(kind)
          ? Prisma.sql`links @> ARRAY[${linkOf({ kind, name: value })}]::text[]`
          : null;
    if (!names) return null;
    const rows = await this.#rows(
      Prisma.sql`SELECT alert_id::text AS alert_id, title, severity, last_event, count(*) OVER ()::int AS total
        FROM alert WHERE tenant_id = ANY(${[...tenants]}::int[]) AND status IN ('new', 'acknowledged') AND ${names}
        ORDER BY severity DESC, last_event DESC, alert_id LIMIT ${limit}::int`,
      tenants,
    );
    return {
      count: Number(rows[0]?.total ?? 0),
      alerts: rows.map((row) => ({
        alertId: String(row.alert_id),
        title: fromStored(String(row.title)),
        severity: SEVERITIES[Number(row.severity) - 1] ?? 'low',
        lastEventTime: formatTicks(BigInt(row.last_event as bigint | string)),
      })),
    };
  }

  async findings(
    tenants: TenantSet,
    { startTime }: ParameterValues<typeof FINDING_COUNTS_PARAMETERS>,
  ): Promise<readonly Answer<typeof FINDING_COUNT>[]> {
    const fromMs = msOfTime(startTime ?? '');
    const rows = await this.#rows(
      Prisma.sql`SELECT tenant_id, rule_id::text AS rule_id, count(*)::int AS findings FROM finding
        WHERE tenant_id = ANY(${[...tenants]}::int[]) AND detected_at >= ${new Date(fromMs)}::timestamptz
        GROUP BY tenant_id, rule_id ORDER BY 3 DESC, 2 LIMIT ${LINES_MAX}::int`,
      tenants,
    );
    return rows.map((row) => ({
      tenantId: String(row.tenant_id),
      ruleId: String(row.rule_id),
      findings: Number(row.findings),
    }));
  }

  async #rows(statement: Prisma.Sql, tenants: TenantSet) {
    return guarded(() => this.service.ask(statement, tenants));
  }
}
