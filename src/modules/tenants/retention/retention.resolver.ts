import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { ParameterValues } from '../../../event/parameter-specs';
import type { Answer, Shape } from '../../../event/shape';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import { TenantType, toTenantType } from '../../../graphql/tenant.type';
import { RETENTION_PREVIEW_PARAMETERS, RETENTION_RUNS, SET_RETENTION } from '../tenant-parameters';
import type { RetentionManager } from './manage-retention';
import type { RetentionRun } from './retention-store';

const RETENTION_RUN = {
  name: 'RetentionRun',
  doc: 'What one run of retention removed of one tenant.',
  fields: {
    tenantId: { kind: 'text' },
    runId: { kind: 'id', doc: 'The same for all tenants of the run.' },
    retentionDays: { kind: 'integer' },
    events: { kind: 'count', doc: 'Events removed.' },
    fromTime: { kind: 'time', doc: 'Start of the whole hours around the events removed.' },
    toTime: { kind: 'time', doc: 'End of those hours.' },
    partitions: { kind: 'text', isList: true, doc: 'Weekly partitions that were dropped whole.' },
    startedAt: { kind: 'time' },
    endedAt: { kind: 'time' },
  },
} as const satisfies Shape;
const RetentionRunType = objectType(RETENTION_RUN);
type RetentionRunType = Answer<typeof RETENTION_RUN>;

const RETENTION_PREVIEW = {
  name: 'RetentionPreview',
  doc: 'What retention would remove of a tenant.',
  fields: {
    tenantId: { kind: 'text' },
    before: { kind: 'time', doc: 'Retention would remove the events before this time.' },
    events: { kind: 'count', doc: 'Number of events that would be removed.' },
    kept: { kind: 'count', doc: 'Number of events that would stay.' },
    held: {
      kind: 'count',
      nullable: true,
      doc: 'Events of before that time that legal holds keep. Null: counting them took too long, and `events` has them too.',
    },
    holds: { kind: 'count', doc: 'Legal holds in force.' },
  },
} as const satisfies Shape;
const RetentionPreviewType = objectType(RETENTION_PREVIEW);
type RetentionPreviewType = Answer<typeof RETENTION_PREVIEW>;

@Resolver()
export class RetentionResolver {
  constructor(private readonly retention: RetentionManager) {}

  @Mutation(() => TenantType, {
    description:
      'Sets how many days events of a tenant are kept. Retention removes older ones within the hour, for good.',
  })
  @Access({ principal: 'operator' })
  @Takes(SET_RETENTION)
  async setTenantRetention(
    { tenantId, days }: ParameterValues<typeof SET_RETENTION>,
    context: Call,
  ): Promise<TenantType> {
    const holds = await this.retention.holdsOf(tenantId);
    return toTenantType(await this.retention.setDays(tenantId, days ?? null, attemptOf(context)), holds);
  }

  @Query(() => RetentionPreviewType, {
    description: 'How many events retention would remove now, if the tenant kept events for `days` days.',
  })
  @Access({ principal: 'operator' })
  @Takes(RETENTION_PREVIEW_PARAMETERS)
  async retentionPreview({
    tenantId,
    days,
  }: ParameterValues<typeof RETENTION_PREVIEW_PARAMETERS>): Promise<RetentionPreviewType> {
    const { before, ...preview } = await this.retention.preview(tenantId, days);
    return { ...preview, tenantId, before: before.toISOString() };
  }

  @Query(() => [RetentionRunType], {
    description: 'Runs of retention, newest first. A run that removed nothing is not listed.',
  })
  @Access({ principal: 'operator' })
  @Takes(RETENTION_RUNS)
  async retentionRuns({
    tenantId,
    first,
  }: ParameterValues<typeof RETENTION_RUNS>): Promise<RetentionRunType[]> {
    return (await this.retention.runs(tenantId ?? null, first)).map(toRunType);
  }
}

const toRunType = (run: RetentionRun): RetentionRunType => ({
  ...run,
  tenantId: String(run.tenantId),
  fromTime: run.fromTime.toISOString(),
  toTime: run.toTime.toISOString(),
  startedAt: run.startedAt.toISOString(),
  endedAt: run.endedAt.toISOString(),
});
