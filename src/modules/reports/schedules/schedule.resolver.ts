import { GraphQLBoolean } from 'graphql';
import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { CallTenants } from '../../../caller/call-tenants';
import { DomainError, refuseIf } from '../../../errors';
import type { ParameterValues } from '../../../event/parameter-specs';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import { REPORT_SCHEDULE, toAnswer } from './answers';
import {
  CREATE_SCHEDULE,
  definitionOf,
  definitionProblems,
  OF_SCHEDULE,
  SCHEDULES_OF,
  UPDATE_SCHEDULE,
} from './parameters';
import type { Definition, Schedule } from './schedule';
import type { ScheduleStore } from './schedule.store';

const ScheduleType = objectType(REPORT_SCHEDULE);
type OfSchedule = ParameterValues<typeof OF_SCHEDULE>;

/** When runs of reports are made, and where they are sent, for operators. Those who read reports may read it. */
@Resolver()
export class ReportScheduleResolver {
  constructor(
    private readonly parts: {
      readonly schedules: ScheduleStore;
      readonly tenants: Pick<CallTenants, 'one'>;
      readonly hasDestination: (tenantId: number, destinationId: string) => Promise<boolean>;
      readonly nowMs: () => number;
    },
  ) {}

  @Query(() => [ScheduleType], { description: 'The schedules of a tenant, by name.' })
  @Access({ principal: 'public', scope: 'read:reports', via: 'session', operators: true })
  @Takes(SCHEDULES_OF)
  async reportSchedules({ tenantId }: ParameterValues<typeof SCHEDULES_OF>, call: Call) {
    const all = await this.parts.schedules.list(await this.parts.tenants.one(call, tenantId));
    return all.map(toAnswer);
  }

  @Mutation(() => ScheduleType, { description: 'Creates a schedule: runs of a report are made and sent.' })
  @Access({ principal: 'operator' })
  @Takes(CREATE_SCHEDULE)
  async createReportSchedule(given: ParameterValues<typeof CREATE_SCHEDULE>, call: Call) {
    const { tenantId, ...settings } = given;
    const definition = definitionOf(settings, null);
    const id = await this.parts.tenants.one(call, tenantId);
    await this.#assertSound(id, definition);
    return toAnswer(await this.parts.schedules.create(id, definition, call.principal.name, attemptOf(call)));
  }

  @Mutation(() => ScheduleType, { description: 'Changes a schedule. What is not given stays as it is.' })
  @Access({ principal: 'operator' })
  @Takes(UPDATE_SCHEDULE)
  async updateReportSchedule(given: ParameterValues<typeof UPDATE_SCHEDULE>, call: Call) {
    const { tenantId, scheduleId, ...settings } = given;
    const id = await this.parts.tenants.one(call, tenantId);
    const former = (await this.parts.schedules.list(id)).find((one) => one.scheduleId === scheduleId);
    await this.#assertSound(id, definitionOf(settings, there(former ?? null).definition));
    const next = (now: Definition): Definition => {
      const definition = definitionOf(settings, now);
      // Others may have changed it meanwhile. The destination is known: they, or the lines above, have looked for it.
      refuseIf(definitionProblems(definition, this.parts.nowMs()));
      return definition;
    };
    return toAnswer(there(await this.parts.schedules.update(id, scheduleId, next, attemptOf(call))));
  }

  @Mutation(() => ScheduleType, { description: 'Pauses a schedule: no run is made by itself.' })
  @Access({ principal: 'operator' })
  @Takes(OF_SCHEDULE)
  pauseReportSchedule(given: OfSchedule, call: Call) {
    return this.#changed(given, call, (...of) =>
      this.parts.schedules.setPaused(...of, true, attemptOf(call)),
    );
  }

  @Mutation(() => ScheduleType, { description: 'Lets a schedule go on from its next time.' })
  @Access({ principal: 'operator' })
  @Takes(OF_SCHEDULE)
  resumeReportSchedule(given: OfSchedule, call: Call) {
    return this.#changed(given, call, (...of) =>
      this.parts.schedules.setPaused(...of, false, attemptOf(call)),
    );
  }

  @Mutation(() => ScheduleType, {
    description: 'Makes a run of a schedule and sends it, soon, also while it is paused.',
  })
  @Access({ principal: 'operator' })
  @Takes(OF_SCHEDULE)
  sendReportScheduleNow(given: OfSchedule, call: Call) {
    return this.#changed(given, call, (...of) => this.parts.schedules.ask(...of, attemptOf(call)));
  }

  @Mutation(() => GraphQLBoolean, {
    description: 'Removes a schedule. Its runs stay for as long as they are kept.',
  })
  @Access({ principal: 'operator' })
  @Takes(OF_SCHEDULE)
  async removeReportSchedule({ tenantId, scheduleId }: OfSchedule, call: Call) {
    const id = await this.parts.tenants.one(call, tenantId);
    if (!(await this.parts.schedules.remove(id, scheduleId, attemptOf(call)))) throw notFound();
    return true;
  }

  async #changed(
    { tenantId, scheduleId }: OfSchedule,
    call: Call,
    change: (tenantId: number, scheduleId: string) => Promise<Schedule | null>,
  ) {
    return toAnswer(there(await change(await this.parts.tenants.one(call, tenantId), scheduleId)));
  }

  /** A schedule that names what the tenant does not have would reach nobody. @throws DomainError */
  async #assertSound(tenantId: number, definition: Definition): Promise<void> {
    const { hasDestination, nowMs } = this.parts;
    refuseIf(definitionProblems(definition, nowMs()));
    const { destinationId } = definition;
    if (destinationId !== null && !(await hasDestination(tenantId, destinationId)))
      throw new DomainError('not_found', { public: 'The tenant has no such destination.' });
  }
}

const notFound = () => new DomainError('not_found', { public: 'There is no such schedule.' });

function there(schedule: Schedule | null): Schedule {
  if (!schedule) throw notFound();
  return schedule;
}
