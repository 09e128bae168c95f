import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { tenantSetOf } from '../../caller/principal';
import type { ServiceDoor } from '../../database/clients';
import { clampTicks, formatTicks } from '../../event/event-time';
import { parseFilter } from '../../event/expression/parse-filter';
import type { ParameterValues } from '../../event/parameter-specs';
import { toTimeRange } from '../../event/query';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import type { TenantSet } from '../../tenant-set';
import { AUDIT_COVERAGE, COVERAGE_PARAMETERS } from './answers';
import { readCoverage } from './coverage';

const CoverageType = objectType(AUDIT_COVERAGE);

/** Reads the holds in force. */
export interface ReadHolds {
  /** Newest first, as many as one answer has. */
  inForce(
    tenants: TenantSet,
    at: Date,
  ): Promise<readonly { readonly tenantId: number; readonly createdAt: Date; readonly until: Date | null }[]>;
  /** All of them. */
  countInForce(tenants: TenantSet, at: Date): Promise<number>;
}

@Resolver()
export class CoverageResolver {
  constructor(
    private readonly service: ServiceDoor,
    private readonly holds: ReadHolds,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => CoverageType, {
    description: 'How complete the events of a time range are, as far as the service knows.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session', assistants: true })
  @Takes(COVERAGE_PARAMETERS)
  async auditCoverage(
    values: ParameterValues<typeof COVERAGE_PARAMETERS>,
    context: Call,
  ): Promise<Answer<typeof AUDIT_COVERAGE>> {
    const { from, to } = toTimeRange(values);
    const parsed = values.filter === undefined ? null : parseFilter(values.filter);
    const filter = parsed && 'expression' in parsed ? parsed.expression : null;
    const text = (ticks: bigint | null) => (ticks === null ? null : formatTicks(clampTicks(ticks)));
    const tenants = tenantSetOf(context);
    const now = new Date(this.nowMs());
    const holds = await this.holds.inForce(tenants, now);
    const holdCount = await this.holds.countInForce(tenants, now);
    const found = await readCoverage(this.service, tenants, {
      from: text(from),
      to: text(to),
      filter,
    });
    return {
      ...found,
      holdCount,
      holds: holds.slice(0, LIMITS.coverageHoldsMax).map(({ tenantId, createdAt, until }) => ({
        tenantId: String(tenantId),
        since: createdAt.toISOString(),
        until: until?.toISOString() ?? null,
      })),
      sources: found.sources.map((source) => ({
        ...source,
        tenantId: String(source.tenantId),
        lastReported: source.lastReported.toISOString(),
        retiredAt: source.retiredAt?.toISOString() ?? null,
        standbySince: source.standbySince?.toISOString() ?? null,
      })),
      gaps: found.gaps.map((gap) => ({
        ...gap,
        tenantId: String(gap.tenantId),
        firstReported: gap.firstReported.toISOString(),
      })),
    };
  }
}
