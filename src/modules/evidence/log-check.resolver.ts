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

const LOG_CHECK = {
  name: 'AuditLogCheck',
  doc: "A stretch of a tenant's evidence log held against the events that are stored.",
  fields: {
    tenantId: { kind: 'text' },
    from: { kind: 'count', doc: 'Index of the first entry of the stretch.' },
    next: { kind: 'count', doc: 'Where the next stretch begins. It is `signed` where there is none.' },
    signed: { kind: 'count', doc: 'Entries that the newest checkpoint signs.' },
    unsigned: {
      kind: 'count',
      doc: 'Events that were accepted and that no checkpoint covers yet: no verdict on them.',
    },
    sound: { kind: 'count', doc: 'Entries whose event is there as it was accepted.' },
    removed: { kind: 'count', doc: 'Entries whose event retention removed.' },
    removedByRetention: {
      kind: 'count',
      doc: 'Events that runs of retention removed in all: no more entries than these may lack theirs.',
    },
    altered: { kind: 'text', isList: true, doc: 'Ids of the first records that are not what was accepted.' },
    missing: {
      kind: 'text',
      isList: true,
      doc: 'Ids of the first records that were accepted and are not there.',
    },
    wrong: { kind: 'count', doc: 'How many records are altered or missing.' },
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
    private readonly tenants: Pick<TenantStore, 'existing'>,
  ) {}

  @Query(() => LogCheckType, {
    description:
      "Verifies a stretch of a tenant's events: call it with `next` until that is `signed`. The command `verify` also finds events that were never accepted.",
  })
  @Access({ principal: 'operator' })
  @Takes(LOG_CHECK_PARAMETERS)
  async auditLogCheck({
    tenantId: given,
    start,
  }: ParameterValues<typeof LOG_CHECK_PARAMETERS>): Promise<LogCheckType> {
    const tenantId = parseTenantId(given);
    if (tenantId === null || (await this.tenants.existing([tenantId])).length === 0) throw noSuchTenant();
    return { tenantId: given, ...(await this.checker.check(tenantId, start)) };
  }
}
