import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { AuditEvent } from '../../event/fields';
import type { ParameterValues } from '../../event/parameter-specs';
import { RECORD_PARAMETERS } from '../../event/parameters';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import type { TenantSet } from '../../tenant-set';
import { AUDIT_EVENT_USUAL } from './usual-answers';

type Usual = Answer<typeof AUDIT_EVENT_USUAL>;
const UsualType = objectType(AUDIT_EVENT_USUAL);

/** "Who normally does this?", for one event. */
@Resolver()
export class UsualResolver {
  constructor(
    private readonly find: (tenants: TenantSet, recordId: string) => Promise<AuditEvent | null>,
    private readonly usual: (event: AuditEvent, withTenant: boolean) => Promise<Usual>,
    private readonly fairShare: Pick<FairShare, 'run'>,
  ) {}

  @Query(() => UsualType, {
    nullable: true,
    description: 'Who normally does what an event says; null when no such record exists.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(RECORD_PARAMETERS)
  async auditEventUsual(
    { recordId }: ParameterValues<typeof RECORD_PARAMETERS>,
    context: Call,
  ): Promise<Usual | null> {
    const tenants = tenantSetOf(context);
    const event = await this.find(tenants, recordId);
    if (!event) return null;
    return this.fairShare.run(askerOf(context), () => this.usual(event, tenants.length > 1));
  }
}
