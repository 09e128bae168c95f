import { GraphQLString } from 'graphql';
import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import { TICKS_PER_MS } from '../../event/event-time';
import { LIST_PARAMETERS, parametersOf, RECORD_PARAMETERS, SUMMARY_PARAMETERS } from '../../event/parameters';
import { toAuditEventQuery, toSummaryFilter } from '../../event/query';
import { Access } from '../../graphql/access';
import {
  AuditEventPage,
  AuditEventsArgs,
  AuditEventType,
  AuditSummaryArgs,
  AuditSummaryType,
} from '../../graphql/audit-event.types';
import type { AuditEventReader } from '../../trail/audit-event-reader';
import { planOf } from '../../trail/plan';

@Resolver()
export class AuditEventResolver {
  constructor(
    private readonly reader: AuditEventReader,
    private readonly fairShare: Pick<FairShare, 'run'>,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => AuditEventPage, { description: 'A page of audit events, newest first by default.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  auditEvents(@Args(() => AuditEventsArgs) args: AuditEventsArgs, @Ctx() context: Call) {
    const query = toAuditEventQuery(parametersOf(LIST_PARAMETERS, args, context));
    const read = () => this.reader.page(tenantSetOf(context), query);
    const { isLong } = planOf({ kind: 'page', filter: query.filter });
    return isLong ? this.fairShare.run(askerOf(context), read) : read();
  }

  @Query(() => AuditEventType, {
    nullable: true,
    description: 'One audit event; null when no such record exists.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  auditEvent(@Arg('recordId', () => GraphQLString) recordId: string, @Ctx() context: Call) {
    const values = parametersOf(RECORD_PARAMETERS, { recordId }, context);
    return this.reader.find(tenantSetOf(context), values.recordId);
  }

  @Query(() => AuditSummaryType, { description: 'Counts over a time range.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  auditSummary(@Args(() => AuditSummaryArgs) args: AuditSummaryArgs, @Ctx() context: Call) {
    const values = parametersOf(SUMMARY_PARAMETERS, args, context);
    const given = toSummaryFilter(values);
    const filter = { ...given, to: given.to ?? BigInt(this.nowMs()) * TICKS_PER_MS };
    const read = () => this.reader.summary(tenantSetOf(context), filter);
    const { isLong } = planOf({ kind: 'summary', filter });
    return isLong ? this.fairShare.run(askerOf(context), read) : read();
  }
}
