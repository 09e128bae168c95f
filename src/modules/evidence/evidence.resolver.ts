import { GraphQLString } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { Call } from '../../caller/call';
import { tenantSetOf } from '../../caller/principal';
import type { TenantStore } from '../../caller/tenant.store';
import { parametersOf } from '../../event/parameters';
import { Access } from '../../graphql/access';
import { AuditEventType } from '../../graphql/audit-event.types';
import { tenantSet } from '../../tenant-set';
import {
  AUDIT_LOG_PARAMETERS,
  CHECKPOINTS_PARAMETERS,
  CONSISTENCY_PARAMETERS,
  ENTRIES_PARAMETERS,
  PROOF_OF_EVENT,
} from './answer-fields';
import {
  AuditLogArgs,
  AuditLogType,
  CheckpointsArgs,
  CheckpointsType,
  ConsistencyArgs,
  ConsistencyType,
  EntriesArgs,
  EntriesType,
  ProofType,
  RemovalsType,
} from './evidence.types';
import type { EvidenceLog } from './evidence-log';
import { tenantMeant } from './evidence-log';

const ofTenant = (context: Call, given: string | undefined) => tenantMeant(tenantSetOf(context), given);
const base64 = (hash: Buffer) => hash.toString('base64');

@Resolver()
export class EvidenceResolver {
  constructor(
    private readonly evidence: EvidenceLog,
    private readonly tenants: Pick<TenantStore, 'list'>,
  ) {}

  @Query(() => AuditLogType, {
    description: "How far a tenant's evidence log is, and its newest checkpoint.",
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  async auditLog(@Args(() => AuditLogArgs) args: AuditLogArgs, @Ctx() context: Call) {
    const tenantId = ofTenant(context, parametersOf(AUDIT_LOG_PARAMETERS, args, context).tenantId);
    const [state] = await this.evidence.states(tenantSet([tenantId]));
    return state && toLogType(state);
  }

  @Query(() => [AuditLogType], {
    description: 'How far the evidence logs of tenants are; ids that are none are passed over.',
  })
  @Access({ principal: 'operator' })
  async auditLogs(
    @Arg('tenantIds', () => [GraphQLString], { nullable: true, description: 'Null: of every tenant.' })
    wanted: string[] | null | undefined,
  ): Promise<AuditLogType[]> {
    const tenants = (await this.tenants.list())
      .map(({ tenantId }) => tenantId)
      .filter((tenantId) => !wanted || wanted.includes(String(tenantId)));
    if (tenants.length === 0) return [];
    return (await this.evidence.states(tenantSet(tenants))).map(toLogType);
  }

  @Query(() => CheckpointsType, { description: 'Signed checkpoints of the evidence log, oldest first.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  async auditLogCheckpoints(@Args(() => CheckpointsArgs) args: CheckpointsArgs, @Ctx() context: Call) {
    const { tenantId: given, after } = parametersOf(CHECKPOINTS_PARAMETERS, args, context);
    const tenantId = ofTenant(context, given);
    const checkpoints = await this.evidence.checkpoints(tenantId, after);
    return { tenantId: String(tenantId), checkpoints };
  }

  @Query(() => EntriesType, { description: 'Record ids and leaf hashes of the evidence log, in its order.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  async auditLogEntries(@Args(() => EntriesArgs) args: EntriesArgs, @Ctx() context: Call) {
    const { tenantId, start } = parametersOf(ENTRIES_PARAMETERS, args, context);
    const entries = await this.evidence.entries(ofTenant(context, tenantId), start);
    return {
      ...entries,
      tenantId: String(entries.tenantId),
      recordIds: base64(entries.recordIds),
      leafHashes: base64(entries.leafHashes),
    };
  }

  @Query(() => ConsistencyType, {
    description: 'That the evidence log, when it had `to` entries, began with the `from` it had before.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  async auditLogConsistency(@Args(() => ConsistencyArgs) args: ConsistencyArgs, @Ctx() context: Call) {
    const { tenantId: given, from, to } = parametersOf(CONSISTENCY_PARAMETERS, args, context);
    const tenantId = ofTenant(context, given);
    const hashes = await this.evidence.consistency(tenantId, from, to);
    return { tenantId: String(tenantId), from, to, hashes: hashes.map(base64) };
  }

  @Query(() => RemovalsType, {
    description: 'What retention removed of a tenant: entries of the evidence log without an event.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  async auditLogRemovals(@Args(() => AuditLogArgs) args: AuditLogArgs, @Ctx() context: Call) {
    const tenantId = ofTenant(context, parametersOf(AUDIT_LOG_PARAMETERS, args, context).tenantId);
    const removals = await this.evidence.removals(tenantId);
    return {
      tenantId: String(tenantId),
      removals: removals.map(({ from, to, before, lastRunAt, events }) => ({
        from: from.toISOString(),
        to: to.toISOString(),
        before: before.toISOString(),
        lastRunAt: lastRunAt.toISOString(),
        events,
      })),
    };
  }
}

@Resolver(() => AuditEventType)
export class EventProofResolver {
  constructor(private readonly evidence: Pick<EvidenceLog, 'proof'>) {}

  @FieldResolver(() => ProofType, { nullable: true, description: PROOF_OF_EVENT.proof.doc })
  async proof(@Root() { tenantId, recordId }: { readonly tenantId: string; readonly recordId: string }) {
    const found = await this.evidence.proof(Number(tenantId), recordId);
    return found && { ...found, leafHash: base64(found.leafHash), path: found.path.map(base64) };
  }
}

type State = Awaited<ReturnType<EvidenceLog['states']>>[number];
const toLogType = ({
  tenantId,
  oldestWaitingAt,
  hasUnsealedBacklog: _,
  root: __,
  ...state
}: State): AuditLogType => ({
  ...state,
  tenantId: String(tenantId),
  oldestWaitingAt: oldestWaitingAt?.toISOString() ?? null,
});
