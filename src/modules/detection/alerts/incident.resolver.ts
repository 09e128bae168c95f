import { Int, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { CallTenants } from '../../../caller/call-tenants';
import { tenantSetOf } from '../../../caller/principal';
import { DomainError } from '../../../errors';
import type { ParameterValues } from '../../../event/parameter-specs';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import {
  ACKNOWLEDGE_INCIDENT,
  ACKNOWLEDGE_INCIDENTS,
  ASSIGN_INCIDENT,
  ASSIGN_INCIDENTS,
  COMMENT_INCIDENT,
  INCIDENT,
  INCIDENT_CHANGE,
  INCIDENT_PAGE,
  INCIDENT_PARAMETERS,
  INCIDENTS_PARAMETERS,
  MOVE_ALERT,
  OF_INCIDENT,
  RESOLVE_INCIDENT,
  RESOLVE_INCIDENTS,
  SET_INCIDENT_MINUTES,
  TENANT_INCIDENTS,
} from '../base/incident-answers';
import { READ_ALERTS, WORK_ALERTS } from '../base/operations';
import type { IncidentReader } from './incident.reader';
import type { IncidentStore, IncidentWork } from './incident.store';

const IncidentType = objectType(INCIDENT);
const IncidentPage = objectType(INCIDENT_PAGE);
const IncidentChangeType = objectType(INCIDENT_CHANGE);

/** Incidents, and the work of people on them. */
@Resolver()
export class IncidentResolver {
  constructor(
    private readonly parts: {
      readonly reader: IncidentReader;
      readonly store: IncidentStore;
      readonly tenants: CallTenants;
    },
  ) {}

  @Query(() => IncidentPage, { description: 'A page of incidents, newest first by default.' })
  @Access({ principal: 'public', scope: 'read:alerts' })
  @Takes(INCIDENTS_PARAMETERS)
  incidents(asked: ParameterValues<typeof INCIDENTS_PARAMETERS>, context: Call) {
    return this.parts.reader.incidents(tenantSetOf(context), asked);
  }

  @Query(() => IncidentType, {
    nullable: true,
    description: 'One incident; null when there is no such incident.',
  })
  @Access({ principal: 'public', scope: 'read:alerts' })
  @Takes(INCIDENT_PARAMETERS)
  incident({ incidentId }: ParameterValues<typeof INCIDENT_PARAMETERS>, context: Call) {
    return this.parts.reader.incident(tenantSetOf(context), incidentId);
  }

  @Query(() => IncidentPage, { description: 'Incidents of one tenant, or of all, for operators.' })
  @Access({ principal: 'operator' })
  @Takes(TENANT_INCIDENTS)
  async tenantIncidents({ tenantId, ...filters }: ParameterValues<typeof TENANT_INCIDENTS>, call: Call) {
    const tenants = await this.parts.tenants.of(call, tenantId);
    if (!tenants) return { items: [], totalCount: 0, page: filters.page, pageSize: filters.pageSize };
    return this.parts.reader.incidents(tenants, filters);
  }

  @Query(() => IncidentType, { nullable: true, description: 'One incident of any tenant, for operators.' })
  @Access({ principal: 'operator' })
  @Takes(OF_INCIDENT)
  async tenantIncident({ incidentId }: ParameterValues<typeof OF_INCIDENT>, call: Call) {
    const tenants = await this.parts.tenants.of(call);
    return tenants && this.parts.reader.incident(tenants, incidentId);
  }

  @Query(() => [IncidentChangeType], { description: 'Changes of an incident, oldest first.' })
  @Access(READ_ALERTS)
  @Takes(OF_INCIDENT)
  async incidentChanges({ incidentId }: ParameterValues<typeof OF_INCIDENT>, call: Call) {
    const tenants = await this.parts.tenants.of(call);
    return tenants ? this.parts.store.changes(tenants, incidentId) : [];
  }

  @Mutation(() => IncidentType, { description: 'Acknowledges an incident and its alerts.' })
  @Access(WORK_ALERTS)
  @Takes(ACKNOWLEDGE_INCIDENT)
  acknowledgeIncident(
    { incidentId, assignee, comment }: ParameterValues<typeof ACKNOWLEDGE_INCIDENT>,
    call: Call,
  ) {
    return this.#work(call, incidentId, comment, acknowledged(assignee));
  }

  @Mutation(() => IncidentType, { description: 'Resolves an incident and its alerts with a verdict.' })
  @Access(WORK_ALERTS)
  @Takes(RESOLVE_INCIDENT)
  resolveIncident({ incidentId, verdict, comment }: ParameterValues<typeof RESOLVE_INCIDENT>, call: Call) {
    return this.#work(call, incidentId, comment, resolved(verdict));
  }

  @Mutation(() => IncidentType, { description: 'Assigns an incident and its alerts to a person.' })
  @Access(WORK_ALERTS)
  @Takes(ASSIGN_INCIDENT)
  assignIncident({ incidentId, assignee }: ParameterValues<typeof ASSIGN_INCIDENT>, call: Call) {
    return this.#work(call, incidentId, undefined, assigned(assignee));
  }

  @Mutation(() => Int, {
    description: 'Acknowledges incidents and their alerts. The answer is their number.',
  })
  @Access(WORK_ALERTS)
  @Takes(ACKNOWLEDGE_INCIDENTS)
  acknowledgeIncidents(
    { incidentIds, assignee, comment }: ParameterValues<typeof ACKNOWLEDGE_INCIDENTS>,
    call: Call,
  ) {
    return this.#change(call, incidentIds, comment, acknowledged(assignee));
  }

  @Mutation(() => Int, {
    description: 'Resolves incidents and their alerts with one verdict. The answer is their number.',
  })
  @Access(WORK_ALERTS)
  @Takes(RESOLVE_INCIDENTS)
  resolveIncidents({ incidentIds, verdict, comment }: ParameterValues<typeof RESOLVE_INCIDENTS>, call: Call) {
    return this.#change(call, incidentIds, comment, resolved(verdict));
  }

  @Mutation(() => Int, {
    description: 'Assigns incidents and their alerts to a person. The answer is their number.',
  })
  @Access(WORK_ALERTS)
  @Takes(ASSIGN_INCIDENTS)
  assignIncidents({ incidentIds, assignee, comment }: ParameterValues<typeof ASSIGN_INCIDENTS>, call: Call) {
    return this.#change(call, incidentIds, comment, assigned(assignee));
  }

  @Mutation(() => IncidentType, { description: 'Adds a comment to an incident.' })
  @Access(WORK_ALERTS)
  @Takes(COMMENT_INCIDENT)
  commentIncident({ incidentId, comment }: ParameterValues<typeof COMMENT_INCIDENT>, call: Call) {
    return this.#work(call, incidentId, comment, { kind: 'commented', set: {} });
  }

  @Mutation(() => IncidentType, {
    description: 'Moves an alert to another incident of its tenant, or to a new one. It stays there.',
  })
  @Access(WORK_ALERTS)
  @Takes(MOVE_ALERT)
  async moveAlert({ alertId, incidentId, comment }: ParameterValues<typeof MOVE_ALERT>, call: Call) {
    const tenants = await this.#tenants(call);
    const by = { actor: actorOf(call), comment: noteOf(comment) };
    const to = await this.parts.store.move(tenants, alertId, incidentId ?? null, by, attemptOf(call));
    return this.parts.reader.incident(tenants, to);
  }

  @Mutation(() => Int, {
    description: 'Sets the minutes within which alerts of a tenant form one incident.',
  })
  @Access(WORK_ALERTS)
  @Takes(SET_INCIDENT_MINUTES)
  async setIncidentMinutes({ tenantId, minutes }: ParameterValues<typeof SET_INCIDENT_MINUTES>, call: Call) {
    const id = await this.parts.tenants.one(call, tenantId);
    return this.parts.store.setMinutes(id, minutes, attemptOf(call));
  }

  async #tenants(call: Call) {
    const tenants = await this.parts.tenants.of(call);
    if (!tenants) throw new DomainError('not_found', { public: 'There is no such record.' });
    return tenants;
  }

  async #work(call: Call, incidentId: string, comment: string | undefined, work: Work) {
    await this.#change(call, [incidentId], comment, work);
    return this.parts.reader.incident(await this.#tenants(call), incidentId);
  }

  async #change(
    call: Call,
    incidentIds: readonly string[],
    comment: string | undefined,
    work: Work,
  ): Promise<number> {
    const whole = { ...work, actor: actorOf(call), comment: noteOf(comment) };
    return this.parts.store.work(await this.#tenants(call), incidentIds, whole, attemptOf(call));
  }
}

type Work = Pick<IncidentWork, 'kind' | 'set'>;
const acknowledged = (assignee: string | undefined): Work => ({
  kind: 'acknowledged',
  set: {
    status: 'acknowledged',
    verdict: null,
    ...(assignee === undefined ? {} : { assignee: nameOf(assignee) }),
  },
});
const resolved = (verdict: string): Work => ({ kind: 'resolved', set: { status: 'resolved', verdict } });
const assigned = (assignee: string | undefined): Work => ({
  kind: 'assigned',
  set: { assignee: nameOf(assignee) },
});

const actorOf = (call: Call): string => call.principal.session?.user ?? call.principal.name;
const noteOf = (comment: string | undefined): string | null => (comment?.trim() ? comment : null);
const nameOf = (assignee: string | undefined): string | null => assignee?.trim() || null;
