import { FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { Call } from '../../caller/call';
import { tenantSetOf } from '../../caller/principal';
import type { TenantStore } from '../../caller/tenant.store';
import type { ParameterValues } from '../../event/parameter-specs';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { AuditEventType } from '../../graphql/audit-event.types';
import { tenantMeant, tenantSet } from '../../tenant-set';
import {
  AUDIT_LOG_PARAMETERS,
  AUDIT_LOGS_PARAMETERS,
  CHECKPOINTS_PARAMETERS,
  CONSISTENCY_PARAMETERS,
  ENTRIES_PARAMETERS,
  PROOF_OF_EVENT,
  type TIME_STAMP,
} from './answer-fields';
import type { SignedCheckpoint } from './evidence.store';
import {
  AuditLogType,
  CheckpointsType,
  ConsistencyType,
  EntriesType,
  ProofType,
  RemovalsType,
} from './evidence.types';
import type { EvidenceLog } from './evidence-log';

type TimeStampAnswer = Answer<typeof TIME_STAMP>;

const ofTenant = (context: Call, given: string | undefined) => tenantMeant(tenantSetOf(context), given);
const base64 = (hash: Buffer) => hash.toString('base64');

@Resolver()
export class EvidenceResolver {
  constructor(
    private readonly evidence: EvidenceLog,
    private readonly tenants: Pick<TenantStore, 'list'>,
  ) {}

  @Query(() => AuditLogType, {
    description: "State of a tenant's evidence log, and its newest checkpoint.",
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(AUDIT_LOG_PARAMETERS)
  async auditLog({ tenantId: given }: ParameterValues<typeof AUDIT_LOG_PARAMETERS>, context: Call) {
    const tenantId = ofTenant(context, given);
    const [state] = await this.evidence.states(tenantSet([tenantId]));
    return state && toLogType(state);
  }

  @Query(() => [AuditLogType], {
    description: 'States of the evidence logs of tenants. Unknown ids are left out.',
  })
  @Access({ principal: 'operator' })
  @Takes(AUDIT_LOGS_PARAMETERS)
  async auditLogs({
    tenantIds: wanted,
  }: ParameterValues<typeof AUDIT_LOGS_PARAMETERS>): Promise<AuditLogType[]> {
    const tenants = (await this.tenants.list())
      .map(({ tenantId }) => tenantId)
      .filter((tenantId) => !wanted || wanted.includes(String(tenantId)));
    if (tenants.length === 0) return [];
    return (await this.evidence.states(tenantSet(tenants))).map(toLogType);
  }

  @Query(() => CheckpointsType, { description: 'Signed checkpoints of the evidence log, oldest first.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(CHECKPOINTS_PARAMETERS)
  async auditLogCheckpoints(
    { tenantId: given, after }: ParameterValues<typeof CHECKPOINTS_PARAMETERS>,
    context: Call,
  ) {
    const tenantId = ofTenant(context, given);
    const found = await this.evidence.checkpoints(tenantId, after);
    return {
      tenantId: String(tenantId),
      checkpoints: found.map(({ note }) => note),
      timeStamps: found.flatMap(toTimeStamp),
    };
  }

  @Query(() => EntriesType, { description: 'Record ids and leaf hashes of the evidence log, in its order.' })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(ENTRIES_PARAMETERS)
  async auditLogEntries({ tenantId, start }: ParameterValues<typeof ENTRIES_PARAMETERS>, context: Call) {
    const entries = await this.evidence.entries(ofTenant(context, tenantId), start);
    return {
      ...entries,
      tenantId: String(entries.tenantId),
      recordIds: base64(entries.recordIds),
      leafHashes: base64(entries.leafHashes),
    };
  }

  @Query(() => ConsistencyType, {
    description: 'Proof that the evidence log of `to` entries begins with the log of `from` entries.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(CONSISTENCY_PARAMETERS)
  async auditLogConsistency(
    { tenantId: given, from, to }: ParameterValues<typeof CONSISTENCY_PARAMETERS>,
    context: Call,
  ) {
    const tenantId = ofTenant(context, given);
    const hashes = await this.evidence.consistency(tenantId, from, to);
    return { tenantId: String(tenantId), from, to, hashes: hashes.map(base64) };
  }

  @Query(() => RemovalsType, {
    description:
      'What retention removed of a tenant, what operators erased, and which files hold its weeks: the evidence log has entries for the last two.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(AUDIT_LOG_PARAMETERS)
  async auditLogRemovals({ tenantId: given }: ParameterValues<typeof AUDIT_LOG_PARAMETERS>, context: Call) {
    const tenantId = ofTenant(context, given);
    const removals = await this.evidence.removals(tenantId);
    const erasures = await this.evidence.erasures(tenantId);
    const { files, fileEntries } = await this.evidence.sealedFiles(tenantId);
    return {
      tenantId: String(tenantId),
      removals: removals.map(({ from, to, before, lastRunAt, events }) => ({
        from: from.toISOString(),
        to: to.toISOString(),
        before: before.toISOString(),
        lastRunAt: lastRunAt.toISOString(),
        events,
      })),
      erasures: [...erasures],
      fileEntries: [...fileEntries],
      files: [...files],
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

const toTimeStamp = ({ number, token }: SignedCheckpoint): TimeStampAnswer[] =>
  token === null ? [] : [{ number, token: base64(token) }];

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
