import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import { TICKS_PER_MS } from '../../event/event-time';
import { liftedOf } from '../../event/lifted';
import type { ParameterValues } from '../../event/parameter-specs';
import { LIST_PARAMETERS, RECORD_PARAMETERS, SUMMARY_PARAMETERS } from '../../event/parameters';
import { toAuditEventQuery, toSummaryFilter } from '../../event/query';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { AuditEventPage, AuditEventType, AuditSummaryType } from '../../graphql/audit-event.types';
import { planOf } from '../../store/plan';
import type { AuditEventReader } from '../../store/rows/audit-event-reader';
import { ShownEvents } from '../../store/rows/masked';

@Resolver()
export class AuditEventResolver {
  constructor(
    private readonly reader: AuditEventReader,
    private readonly fairShare: Pick<FairShare, 'run'>,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => AuditEventPage, { description: 'A page of audit events, newest first by default.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(LIST_PARAMETERS)
  async auditEvents(given: ParameterValues<typeof LIST_PARAMETERS>, context: Call) {
    // The façade's routes have the fields of the contract alone.
    const query = { ...toAuditEventQuery(given), hasLifted: context.parsed === undefined };
    const plan = planOf({ kind: 'page', filter: query.filter });
    const read = () => this.reader.page(tenantSetOf(context), query, plan);
    const page = await (plan.isLong ? this.fairShare.run(askerOf(context), read) : read());
    if (!context.masked && !context.unmasked) return page;
    return { ...page, items: new ShownEvents(context, 'auditEvents').all(page.items) };
  }

  @Query(() => AuditEventType, {
    nullable: true,
    description: 'One audit event; null when no such record exists.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(RECORD_PARAMETERS)
  async auditEvent({ recordId }: ParameterValues<typeof RECORD_PARAMETERS>, context: Call) {
    const event = await this.reader.find(tenantSetOf(context), recordId);
    return event && { ...new ShownEvents(context, 'auditEvent').one(event), ...liftedOf(event) };
  }

  @Query(() => AuditSummaryType, { description: 'Counts over a time range.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(SUMMARY_PARAMETERS)
  auditSummary(given: ParameterValues<typeof SUMMARY_PARAMETERS>, context: Call) {
    const asked = toSummaryFilter(given);
    const filter = { ...asked, to: asked.to ?? BigInt(this.nowMs()) * TICKS_PER_MS };
    const plan = planOf({ kind: 'summary', filter });
    const read = () => this.reader.summary(tenantSetOf(context), filter, plan);
    return plan.isLong ? this.fairShare.run(askerOf(context), read) : read();
  }
}
