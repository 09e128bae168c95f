import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import type { Outcome } from '../../delivery/outcome';
import type { GivenValues, ParameterValues } from '../../event/parameter-specs';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes, TakesUnchecked } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import {
  CREATED_DESTINATION,
  DESTINATION,
  DESTINATION_TEST,
  DESTINATION_TYPE,
  ROTATED_SECRET,
  SET_ASIDE_EVENT,
} from './answers';
import { declaredTypes } from './declared-types';
import { type Destination, lagSeconds, shownState } from './destination';
import {
  CREATE_DESTINATION,
  DESTINATIONS,
  type DestinationRequest,
  ONE_DESTINATION,
  REPLAY_DESTINATION,
  ROTATE_SECRET,
  SET_ASIDE,
  TRY_CHANGE,
  TRY_DESTINATION,
  UPDATE_DESTINATION,
} from './destination-parameters';
import type { DestinationManager } from './manage-destinations';

const DestinationType = objectType(DESTINATION);
type DestinationType = Answer<typeof DESTINATION>;
const CreatedDestinationType = objectType(CREATED_DESTINATION);
const RotatedSecretType = objectType(ROTATED_SECRET);
const DestinationTestType = objectType(DESTINATION_TEST);
const TypeSpecType = objectType(DESTINATION_TYPE);
const SetAsideEventType = objectType(SET_ASIDE_EVENT);

type One = ParameterValues<typeof ONE_DESTINATION>;

@Resolver()
export class DestinationResolver {
  constructor(
    private readonly manager: DestinationManager,
    private readonly epoch: Pick<LogEpoch, 'pauseOf'>,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => [DestinationType], { description: 'Destinations by tenant, oldest first.' })
  @Access({ principal: 'operator' })
  @Takes(DESTINATIONS)
  async destinations({ tenantId }: ParameterValues<typeof DESTINATIONS>): Promise<DestinationType[]> {
    return (await this.manager.list(tenantId ?? null)).map((one) => this.#shown(one));
  }

  @Query(() => [TypeSpecType], { description: 'The types of destinations, with the fields of each.' })
  @Access({ principal: 'operator' })
  destinationTypes(): readonly Answer<typeof DESTINATION_TYPE>[] {
    return declaredTypes();
  }

  @Query(() => [SetAsideEventType], { description: 'Newest first.' })
  @Access({ principal: 'operator' })
  @Takes(SET_ASIDE)
  async destinationSetAside({
    destinationId,
    first,
  }: ParameterValues<typeof SET_ASIDE>): Promise<Answer<typeof SET_ASIDE_EVENT>[]> {
    const events = await this.manager.setAside(destinationId, first);
    return events.map(({ position, recordId, message, at }) => ({
      position: String(position),
      recordId,
      message,
      at: at.toISOString(),
    }));
  }

  @Mutation(() => CreatedDestinationType, {
    description: 'Creates a destination. The service begins to send at once.',
  })
  @Access({ principal: 'operator' })
  @TakesUnchecked(CREATE_DESTINATION)
  createDestination({ from, ...request }: DestinationRequest, context: Call) {
    return this.manager.create(request, from, attemptOf(context));
  }

  @Mutation(() => DestinationType, {
    description: 'Changes a destination. What is not given stays, and so does the position in the log.',
  })
  @Access({ principal: 'operator' })
  @TakesUnchecked(UPDATE_DESTINATION)
  async updateDestination(
    { destinationId, ...to }: GivenValues<typeof UPDATE_DESTINATION>,
    context: Call,
  ): Promise<DestinationType> {
    return this.#shown(await this.manager.update(destinationId, to, attemptOf(context)));
  }

  @Mutation(() => DestinationTestType, { description: 'Sends one event now, which is marked as a test.' })
  @Access({ principal: 'operator' })
  @Takes(ONE_DESTINATION)
  async testDestination({ destinationId }: One, context: Call): Promise<Answer<typeof DESTINATION_TEST>> {
    return testAnswer(await this.manager.test(destinationId, attemptOf(context)));
  }

  @Mutation(() => DestinationTestType, {
    description:
      'Sends one event, marked as a test, to a destination that is not stored. A webhook signs it with a secret of its own.',
  })
  @Access({ principal: 'operator' })
  @TakesUnchecked(TRY_DESTINATION)
  async tryDestination(given: GivenValues<typeof TRY_DESTINATION>, context: Call) {
    return testAnswer(await this.manager.tryNew(given, attemptOf(context)));
  }

  @Mutation(() => DestinationTestType, {
    description:
      'Sends one event, marked as a test, as a destination would after a change. Nothing is stored.',
  })
  @Access({ principal: 'operator' })
  @TakesUnchecked(TRY_CHANGE)
  async tryDestinationChange(
    { destinationId, ...to }: GivenValues<typeof TRY_CHANGE>,
    context: Call,
  ): Promise<Answer<typeof DESTINATION_TEST>> {
    return testAnswer(await this.manager.tryChange(destinationId, to, attemptOf(context)));
  }

  @Mutation(() => DestinationType, {
    description: 'Stops delivery until it is resumed. The position is kept.',
  })
  @Access({ principal: 'operator' })
  @Takes(ONE_DESTINATION)
  async pauseDestination({ destinationId }: One, context: Call): Promise<DestinationType> {
    return this.#shown(await this.manager.pause(destinationId, attemptOf(context)));
  }

  @Mutation(() => DestinationType, {
    description: 'Resumes delivery at its position; retries now.',
  })
  @Access({ principal: 'operator' })
  @Takes(ONE_DESTINATION)
  async resumeDestination({ destinationId }: One, context: Call): Promise<DestinationType> {
    return this.#shown(await this.manager.resume(destinationId, attemptOf(context)));
  }

  @Mutation(() => DestinationType, { description: 'Continues delivery from another position of the log.' })
  @Access({ principal: 'operator' })
  @TakesUnchecked(REPLAY_DESTINATION)
  async replayDestination(
    { destinationId, ...to }: GivenValues<typeof REPLAY_DESTINATION>,
    context: Call,
  ): Promise<DestinationType> {
    return this.#shown(await this.manager.replay(destinationId, to, attemptOf(context)));
  }

  @Mutation(() => RotatedSecretType)
  @Access({ principal: 'operator' })
  @TakesUnchecked(ROTATE_SECRET)
  async rotateDestinationSecret(
    { destinationId, ...how }: GivenValues<typeof ROTATE_SECRET>,
    context: Call,
  ): Promise<Answer<typeof ROTATED_SECRET>> {
    const rotated = await this.manager.rotateSecret(destinationId, how, attemptOf(context));
    return { ...rotated, overlapEndsAt: rotated.overlapEndsAt?.toISOString() ?? null };
  }

  @Mutation(() => DestinationType, {
    description: 'Removes a destination for good, with its position in the log.',
  })
  @Access({ principal: 'operator' })
  @Takes(ONE_DESTINATION)
  async removeDestination({ destinationId }: One, context: Call): Promise<DestinationType> {
    return this.#shown(await this.manager.remove(destinationId, attemptOf(context)));
  }

  #shown(one: Destination): DestinationType {
    const pauseReason = one.state === 'active' ? this.epoch.pauseOf(one.goEpoch) : null;
    const { url, ca, ...settings } = one.settings as { readonly url: string; readonly ca?: string };
    return {
      destinationId: one.destinationId,
      tenantId: String(one.tenantId),
      name: one.name,
      type: one.type,
      url,
      filter: one.filter,
      format: one.format,
      attempts: one.attempts,
      state: shownState(one, pauseReason !== null),
      pauseReason,
      settings: { ...settings, ...(ca !== undefined && { ca: 'given' }) },
      lagEvents: Math.max(0, one.logSize - one.position),
      lagSeconds: lagSeconds(one, this.nowMs()),
      delivered: one.delivered,
      failures: one.failures,
      setAside: one.setAside,
      behindRetention: one.behindRetention,
      lastError: one.lastError,
      position: String(one.position),
      publicKey: this.manager.publicKey(one),
      createdAt: one.createdAt.toISOString(),
      nextAttemptAt: one.attempts > 0 ? (one.nextAttemptAt?.toISOString() ?? null) : null,
      lastErrorAt: one.lastErrorAt?.toISOString() ?? null,
      lastSuccessAt: one.lastSuccessAt?.toISOString() ?? null,
      overtakenAt: one.overtakenAt?.toISOString() ?? null,
    };
  }
}

function testAnswer(outcome: Outcome): Answer<typeof DESTINATION_TEST> {
  const accepted = outcome.kind === 'accepted';
  return { accepted, message: accepted ? null : outcome.message };
}
