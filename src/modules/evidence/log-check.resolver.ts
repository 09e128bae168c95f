import { Query, Resolver } from 'type-graphql';
import type { TenantStore } from '../../caller/tenant.store';
import type { ParameterValues } from '../../event/parameter-specs';
import type { Answer, Shape } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { noSuchTenant, parseTenantId } from '../../tenant-set';
import { LOG_CHECK_PARAMETERS } from './answer-fields';
import type { LogChecker } from './log-check';
import type { Verifications } from './verifications';

const LOG_CHECK = {
  name: 'AuditLogCheck',
  doc: "A stretch of a tenant's evidence log, compared with the stored events.",
  fields: {
    tenantId: { kind: 'text' },
    from: { kind: 'count', doc: 'Index of the first entry of the stretch.' },
    next: { kind: 'count', doc: 'Start of the next stretch. It equals `signed` after the last one.' },
    signed: { kind: 'count', doc: 'Entries that the newest checkpoint signs.' },
    unsigned: {
      kind: 'count',
      doc: 'Accepted events that no checkpoint covers yet; they are not verified.',
    },
    sound: { kind: 'count', doc: 'Entries whose event is stored as it was accepted.' },
    removed: { kind: 'count', doc: 'Entries whose event retention removed.' },
    erased: { kind: 'count', doc: 'Entries whose event an operator erased, and entries of erasures.' },
    removedByRetention: {
      kind: 'count',
      doc: 'Events that retention removed in total. No more entries than these may be without their event.',
    },
    altered: {
      kind: 'text',
      isList: true,
      doc: 'Record ids of the first events that differ from what was accepted.',
    },
    missing: {
      kind: 'text',
      isList: true,
      doc: 'Record ids of the first events that were accepted and are missing.',
    },
    wrong: { kind: 'count', doc: 'Number of events that are altered or missing.' },
    problems: { kind: 'text', isList: true, doc: 'What is wrong with the log itself, in sentences.' },
  },
} as const satisfies Shape;
const LogCheckType = objectType(LOG_CHECK);
type LogCheckType = Answer<typeof LOG_CHECK>;

/** Verification for operators, who cannot read events. */
@Resolver()
export class LogCheckResolver {
  constructor(
    private readonly checker: LogChecker,
    private readonly verifications: Pick<Verifications, 'note'>,
    private readonly tenants: Pick<TenantStore, 'existing'>,
  ) {}

  @Query(() => LogCheckType, {
    description:
      "Verifies a stretch of a tenant's events. Call it again with `next` as `start` until `next` equals `signed`: then it is a verification, which controls of compliance and the report `trail-health` tell of. The command `verify` also finds events that were never accepted.",
  })
  @Access({ principal: 'operator' })
  @Takes(LOG_CHECK_PARAMETERS)
  async auditLogCheck({
    tenantId: given,
    start,
  }: ParameterValues<typeof LOG_CHECK_PARAMETERS>): Promise<LogCheckType> {
    const tenantId = parseTenantId(given);
    if (tenantId === null || (await this.tenants.existing([tenantId])).length === 0) throw noSuchTenant();
    const check = await this.checker.check(tenantId, start);
    await this.verifications.note(tenantId, check);
    return { tenantId: given, ...check };
  }
}
