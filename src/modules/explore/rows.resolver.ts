import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { ParameterValues } from '../../event/parameter-specs';
import { FILTER_PARAMETERS } from '../../event/parameters';
import { type AuditEventFilter, toAuditEventFilter } from '../../event/query';
import type { Answer, Shape } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import type { TenantSet } from '../../tenant-set';

const AUDIT_ROWS = {
  name: 'AuditRows',
  doc: 'How many rows the events that pass a filter returned and changed, added up.',
  fields: {
    responseRows: { kind: 'text', doc: 'A decimal text.' },
    affectedRows: { kind: 'text', doc: 'A decimal text.' },
  },
} as const satisfies Shape;

export type AuditRows = Answer<typeof AUDIT_ROWS>;
const RowsType = objectType(AUDIT_ROWS);

/** The rows beside the number of events in Explore. */
@Resolver()
export class RowsResolver {
  constructor(
    private readonly rows: (tenants: TenantSet, filter: AuditEventFilter) => Promise<AuditRows>,
    private readonly fairShare: Pick<FairShare, 'run'>,
  ) {}

  @Query(() => RowsType, { description: AUDIT_ROWS.doc })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @Takes(FILTER_PARAMETERS)
  auditRows(values: ParameterValues<typeof FILTER_PARAMETERS>, context: Call): Promise<AuditRows> {
    const filter = toAuditEventFilter(values);
    return this.fairShare.run(askerOf(context), () => this.rows(tenantSetOf(context), filter));
  }
}
