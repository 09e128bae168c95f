import { Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import { DomainError, refuseIf } from '../../../errors';
import { msOfTime } from '../../../event/event-time';
import type { ParameterValues } from '../../../event/parameter-specs';
import type { Answer } from '../../../event/shape';
import { isUuid } from '../../../event/uuid';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import { LIMITS } from '../../../limits';
import { problem } from '../../../problem';
import { noSuchTenant, parseTenantId } from '../../../tenant-set';
import { CREATE_HOLD, END_HOLD, HOLD, HOLDS } from './answers';
import { type Hold, type HoldStore, isInForce } from './hold.store';

const HoldType = objectType(HOLD);
type HoldType = Answer<typeof HOLD>;

@Resolver()
export class HoldResolver {
  constructor(
    private readonly store: HoldStore,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => [HoldType], {
    description: 'Legal holds, those that nobody has ended first, then newest first.',
  })
  @Access({ principal: 'operator' })
  @Takes(HOLDS)
  async holds({ tenantId, first }: ParameterValues<typeof HOLDS>): Promise<HoldType[]> {
    const of = tenantId === undefined || tenantId === null ? null : numberOf(tenantId);
    return (await this.store.list(of, first)).map((hold) => this.#shown(hold));
  }

  @Mutation(() => HoldType, {
    description:
      'Holds events of a tenant: while the hold is in force, retention removes none of them, stored or still to come.',
  })
  @Access({ principal: 'operator' })
  @Takes(CREATE_HOLD)
  async createHold(
    { tenantId, filter, until, reason }: ParameterValues<typeof CREATE_HOLD>,
    @Ctx() call: Call,
  ): Promise<HoldType> {
    const untilMs = until ? msOfTime(until) : null;
    if (untilMs !== null && untilMs <= this.nowMs()) refuseIf([problem('until', 'out_of_range', 'is past')]);
    const spec = {
      tenantId: numberOf(tenantId),
      filter: filter ?? null,
      reason,
      until: untilMs === null ? null : new Date(untilMs),
    };
    const made = await this.store.create(spec, nameOf(call), attemptOf(call));
    if (made === null) throw noSuchTenant();
    if (made === 'too many')
      throw new DomainError('invalid_parameter', {
        public: `At most ${LIMITS.holdsInForceMax} holds of a tenant are in force: end one first.`,
      });
    return this.#shown(made);
  }

  @Mutation(() => HoldType, {
    description: 'Ends a hold. Retention removes what it held, as far as it has expired, within the hour.',
  })
  @Access({ principal: 'operator' })
  @Takes(END_HOLD)
  async endHold({ holdId, reason }: ParameterValues<typeof END_HOLD>, @Ctx() call: Call): Promise<HoldType> {
    const ended = isUuid(holdId)
      ? await this.store.end(holdId.toLowerCase(), { reason, by: nameOf(call) }, attemptOf(call))
      : null;
    if (ended === null) throw new DomainError('not_found', { public: 'There is no such hold.' });
    if (ended === 'ended')
      throw new DomainError('invalid_parameter', { public: 'The hold has ended already.' });
    return this.#shown(ended);
  }

  #shown(hold: Hold): HoldType {
    return {
      ...hold,
      tenantId: String(hold.tenantId),
      createdAt: hold.createdAt.toISOString(),
      until: hold.until?.toISOString() ?? null,
      endedAt: hold.endedAt?.toISOString() ?? null,
      isInForce: isInForce(hold, this.nowMs()),
    };
  }
}

const nameOf = ({ principal }: Call): string => principal.session?.user ?? principal.name;

function numberOf(text: string): number {
  const tenantId = parseTenantId(text);
  if (tenantId === null) throw noSuchTenant();
  return tenantId;
}
