import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { mayReadAlerts, tenantSetOf } from '../../caller/principal';
import { READ_ALERTS_SCOPE } from '../../caller/scopes';
import type { ServiceDoor } from '../../database/clients';
import { DomainError } from '../../errors';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { listItemsByIds } from '../../store/archive/rows-by-id';
import { ShownEvents } from '../../store/rows/masked';
import { EVENT_INCIDENT, INCIDENT_CHOICE, INCIDENT_EVENT } from './answers';
import type { IncidentEventStore, PlacedEvent } from './incident-event.store';
import { ADD_TO_INCIDENT, CHOICES, OF_EVENT, OF_INCIDENT, TAKE_OUT_OF_INCIDENT } from './parameters';
import { type FindEvent, writerOf, writtenAbout } from './records';

const IncidentEventType = objectType(INCIDENT_EVENT);
const EventIncidentType = objectType(EVENT_INCIDENT);
const IncidentChoiceType = objectType(INCIDENT_CHOICE);

const READ = { principal: 'public', scope: 'read:audit-activity', via: 'session' } as const;
const WORK = { principal: 'public', scope: 'work:alerts', via: 'session' } as const;

/** Events that people put into incidents, for the dashboard. */
@Resolver()
export class IncidentEventResolver {
  constructor(
    private readonly events: IncidentEventStore,
    private readonly service: ServiceDoor,
    private readonly find: FindEvent,
  ) {}

  @Query(() => [IncidentEventType], {
    description: 'The events that people put into an incident, in the order of their times.',
  })
  @Access(READ)
  @Takes(OF_INCIDENT)
  async incidentEvents({ incidentId }: ParameterValues<typeof OF_INCIDENT>, call: Call) {
    assertReadsAlerts(call);
    const placed = await this.events.ofIncident(tenantSetOf(call), incidentId);
    const events = await this.#eventsOf(placed, call);
    return placed.flatMap((one) => {
      const event = events.get(one.recordId);
      return event ? [{ ...one, event }] : [];
    });
  }

  @Query(() => [EventIncidentType], { description: 'The incidents into which people put an event.' })
  @Access(READ)
  @Takes(OF_EVENT)
  async eventIncidents({ recordId }: ParameterValues<typeof OF_EVENT>, call: Call) {
    assertReadsAlerts(call);
    return this.events.ofEvent(await writtenAbout(this.find, call, recordId));
  }

  @Query(() => [IncidentChoiceType], {
    description: 'Incidents into which an event can be put, newest first: open ones of its tenant.',
  })
  @Access(WORK)
  @Takes(CHOICES)
  async incidentChoices({ recordId, search }: ParameterValues<typeof CHOICES>, call: Call) {
    assertReadsAlerts(call);
    const { tenantId } = await writtenAbout(this.find, call, recordId);
    return this.events.choices(tenantId, search);
  }

  @Mutation(() => [EventIncidentType], {
    description: 'Puts an event into an incident of its tenant. The answer is all its incidents.',
  })
  @Access(WORK)
  @Takes(ADD_TO_INCIDENT)
  async addToIncident({ incidentId, recordId, note }: ParameterValues<typeof ADD_TO_INCIDENT>, call: Call) {
    assertReadsAlerts(call);
    const record = await writtenAbout(this.find, call, recordId);
    const what = { incidentId, note: note?.trim() ? note : null };
    await this.events.add(record, what, writerOf(call), attemptOf(call));
    return this.events.ofEvent(record);
  }

  @Mutation(() => [EventIncidentType], {
    description:
      'Takes an event out of an incident into which somebody put it. The answer is all its incidents.',
  })
  @Access(WORK)
  @Takes(TAKE_OUT_OF_INCIDENT)
  async takeOutOfIncident(
    { incidentId, recordId }: ParameterValues<typeof TAKE_OUT_OF_INCIDENT>,
    call: Call,
  ) {
    assertReadsAlerts(call);
    const record = await writtenAbout(this.find, call, recordId);
    await this.events.takeOut(record, incidentId, writerOf(call), attemptOf(call));
    return this.events.ofEvent(record);
  }

  /** The events as the caller may see them, by record id. */
  async #eventsOf(placed: readonly PlacedEvent[], call: Call) {
    const ids = placed.map(({ recordId }) => recordId);
    const items = await listItemsByIds(this.service, tenantSetOf(call), ids);
    const shown = new ShownEvents(call, 'incidentEvents').all(items);
    return new Map(shown.map((event) => [event.recordId, event]));
  }
}

function assertReadsAlerts({ principal }: Call): void {
  if (!mayReadAlerts(principal))
    throw new DomainError('forbidden', { public: `This API key lacks the scope ${READ_ALERTS_SCOPE}.` });
}
