import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, mayReadAlerts, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { ENTITY, ENTITY_PARAMETERS, type EntityKind } from './answers';
import type { Entities } from './entities';

const EntityType = objectType(ENTITY);

/** The page of an entity. No route of the public API uses it. */
@Resolver()
export class EntityResolver {
  constructor(
    private readonly entities: Entities,
    private readonly fairShare: Pick<FairShare, 'run'>,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => EntityType, {
    description: 'What the audit trail knows of a login, host, address, object, database or server instance.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @Takes(ENTITY_PARAMETERS)
  entity(asked: ParameterValues<typeof ENTITY_PARAMETERS>, context: Call) {
    const { kind, value, databaseName = null, schemaName = null } = asked;
    const tenants = tenantSetOf(context);
    const of = {
      nowMs: this.nowMs(),
      hasAlerts: mayReadAlerts(context.principal),
    };
    const id = { kind: kind as EntityKind, value, databaseName, schemaName };
    return this.fairShare.run(askerOf(context), () => this.entities.of(tenants, id, of));
  }
}
