import { GraphQLString } from 'graphql';
import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import { TICKS_PER_MS } from '../../event/event-time';
import {
  LIST_PARAMETERS,
  parseParameters,
  RECORD_PARAMETERS,
  SUMMARY_PARAMETERS,
} from '../../event/parameters';
import { isCountable, toAuditEventQuery, toTimeRange } from '../../event/query';
import { Access, askerOf, scopeOf } from '../../graphql/access';
import {
  AuditEventPage,
  AuditEventsArgs,
  AuditEventType,
  AuditSummaryArgs,
  AuditSummaryType,
} from '../../graphql/audit-event.types';
import type { GraphqlContext } from '../../graphql/context';

@Resolver()
export class AuditEventResolver {
  @Query(() => AuditEventPage, { description: 'A page of audit events, newest first by default.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  auditEvents(@Args(() => AuditEventsArgs) args: AuditEventsArgs, @Ctx() context: GraphqlContext) {
    const query = toAuditEventQuery(parseParameters(LIST_PARAMETERS, args));
    const { reader, fairShare } = context.services;
    const read = () => reader.page(scopeOf(context), query);
    return isCountable(query.filter) ? read() : fairShare.run(askerOf(context), read);
  }

  @Query(() => AuditEventType, {
    nullable: true,
    description: 'One audit event; null when no such record exists.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  auditEvent(@Arg('recordId', () => GraphQLString) recordId: string, @Ctx() context: GraphqlContext) {
    const values = parseParameters(RECORD_PARAMETERS, { recordId });
    return context.services.reader.find(scopeOf(context), values.recordId);
  }

  @Query(() => AuditSummaryType, { description: 'Counts over a time range.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  auditSummary(@Args(() => AuditSummaryArgs) args: AuditSummaryArgs, @Ctx() context: GraphqlContext) {
    const range = toTimeRange(parseParameters(SUMMARY_PARAMETERS, args));
    const now = BigInt(context.services.now()) * TICKS_PER_MS;
    return context.services.reader.summary(scopeOf(context), { from: range.from, to: range.to ?? now });
  }
}
