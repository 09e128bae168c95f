import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { CallTenants } from '../../../caller/call-tenants';
import { DomainError, refusal, refuseIf } from '../../../errors';
import { msOfTime } from '../../../event/event-time';
import type { GivenValues, ParameterValues } from '../../../event/parameter-specs';
import { checkParameters } from '../../../event/parse-parameters';
import { Access } from '../../../graphql/access';
import { Takes, TakesUnchecked } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import { type Problem, problem } from '../../../problem';
import { ALERT, ALERT_PAGE } from '../base/answers';
import { READ_ALERTS, WORK_ALERTS } from '../base/operations';
import {
  ACKNOWLEDGE_ALERT,
  ASSIGN_ALERT,
  COMMENT_ALERT,
  OF_ALERT,
  RESOLVE_ALERT,
  SUPPRESS_ALERT,
  TENANT_ALERTS,
} from '../base/parameters';
import { ALERT_CHANGE } from '../base/work-answers';
import type { AlertReader } from './alert.reader';
import type { AlertStore, AlertWork } from './alert.store';

const AlertType = objectType(ALERT);
const AlertPage = objectType(ALERT_PAGE);
const AlertChangeType = objectType(ALERT_CHANGE);

const SUPPRESSION_MS_MAX = 366 * 86_400_000;

/** The work of people on alerts, from the dashboard and the command line. */
@Resolver()
export class AlertWorkResolver {
  constructor(
    private readonly parts: {
      readonly reader: AlertReader;
      readonly alerts: AlertStore;
      readonly tenants: CallTenants;
      readonly nowMs: () => number;
    },
  ) {}

  @Query(() => AlertPage, { description: 'Alerts of one tenant, or of all, for operators.' })
  @Access({ principal: 'operator' })
  @Takes(TENANT_ALERTS)
  async tenantAlerts({ tenantId, ...filters }: ParameterValues<typeof TENANT_ALERTS>, call: Call) {
    const tenants = await this.parts.tenants.of(call, tenantId);
    if (!tenants) return { items: [], totalCount: 0, page: filters.page, pageSize: filters.pageSize };
    return this.parts.reader.alerts(tenants, filters);
  }

  @Query(() => AlertType, { nullable: true, description: 'One alert of any tenant, for operators.' })
  @Access({ principal: 'operator' })
  @Takes(OF_ALERT)
  async tenantAlert({ alertId }: ParameterValues<typeof OF_ALERT>, call: Call) {
    const tenants = await this.parts.tenants.of(call);
    return tenants && this.parts.reader.alert(tenants, alertId);
  }

  @Query(() => [AlertChangeType], { description: 'Changes of an alert, oldest first.' })
  @Access(READ_ALERTS)
  @Takes(OF_ALERT)
  async alertChanges({ alertId }: ParameterValues<typeof OF_ALERT>, call: Call) {
    const tenants = await this.parts.tenants.of(call);
    return tenants ? this.parts.alerts.changes(tenants, alertId) : [];
  }

  @Mutation(() => AlertType, { description: 'Acknowledges an alert.' })
  @Access(WORK_ALERTS)
  @Takes(ACKNOWLEDGE_ALERT)
  acknowledgeAlert({ alertId, assignee, comment }: ParameterValues<typeof ACKNOWLEDGE_ALERT>, call: Call) {
    const name = assignee === undefined ? {} : { assignee: assigneeOf(assignee) };
    return this.#work(call, alertId, comment, {
      kind: 'acknowledged',
      set: { status: 'acknowledged', verdict: null, ...name },
      detail: { status: 'acknowledged', ...name },
    });
  }

  @Mutation(() => AlertType, { description: 'Resolves an alert with a verdict.' })
  @Access(WORK_ALERTS)
  @Takes(RESOLVE_ALERT)
  resolveAlert({ alertId, verdict, comment }: ParameterValues<typeof RESOLVE_ALERT>, call: Call) {
    return this.#work(call, alertId, comment, {
      kind: 'resolved',
      set: { status: 'resolved', verdict },
      detail: { status: 'resolved', verdict },
    });
  }

  @Mutation(() => AlertType, { description: 'Assigns an alert to a person.' })
  @Access(WORK_ALERTS)
  @Takes(ASSIGN_ALERT)
  assignAlert({ alertId, assignee }: ParameterValues<typeof ASSIGN_ALERT>, call: Call) {
    const name = assigneeOf(assignee);
    const work = { kind: 'assigned', set: { assignee: name }, detail: { assignee: name } } as const;
    return this.#work(call, alertId, undefined, work);
  }

  @Mutation(() => AlertType, { description: 'Adds a comment to an alert.' })
  @Access(WORK_ALERTS)
  @Takes(COMMENT_ALERT)
  commentAlert({ alertId, comment }: ParameterValues<typeof COMMENT_ALERT>, call: Call) {
    return this.#work(call, alertId, comment, { kind: 'commented', set: {}, detail: {} });
  }

  @Mutation(() => AlertType, {
    description: 'Suppresses this alert, and new alerts of its rule with the same group, until a time.',
  })
  @Access(WORK_ALERTS)
  @TakesUnchecked(SUPPRESS_ALERT)
  suppressAlert(given: GivenValues<typeof SUPPRESS_ALERT>, call: Call) {
    const { values, problems } = checkParameters(SUPPRESS_ALERT, given);
    const { alertId, fields, until, reason } = values;
    const at = new Date(msOfTime(until ?? ''));
    refuseIf([...problems, ...(until === undefined ? [] : this.#untilProblems(at.getTime()))]);
    return this.#work(call, alertId, reason, {
      kind: 'suppressed',
      set: { status: 'suppressed', suppressedUntil: at, verdict: null },
      detail: { status: 'suppressed', until: at.toISOString() },
      suppress: (group) => ({ fields: chosenOf(group, fields), until: at, reason }),
    });
  }

  #untilProblems(untilMs: number): Problem[] {
    const now = this.parts.nowMs();
    return untilMs > now && untilMs <= now + SUPPRESSION_MS_MAX
      ? []
      : [problem('until', 'out_of_range', 'must be a time within the next year')];
  }

  async #work(
    call: Call,
    alertId: string,
    comment: string | undefined,
    work: Pick<AlertWork, 'kind' | 'set' | 'detail' | 'suppress'>,
  ) {
    const note = comment?.trim() ? comment : null;
    const tenants = await this.parts.tenants.of(call);
    if (!tenants) throw new DomainError('not_found', { public: 'There is no such record.' });
    const actor = call.principal.session?.user ?? call.principal.name;
    await this.parts.alerts.work(tenants, alertId, { ...work, actor, comment: note }, attemptOf(call));
    return this.parts.reader.alert(tenants, alertId);
  }
}

const assigneeOf = (assignee: string | undefined): string | null => assignee?.trim() || null;

function chosenOf(
  group: Readonly<Record<string, string | null>>,
  fields: readonly string[] | undefined,
): Record<string, string | null> {
  const names = fields ?? Object.keys(group);
  const strange = names.find((name) => !Object.hasOwn(group, name));
  if (strange !== undefined) {
    const message = `${JSON.stringify(strange.slice(0, 60))} is no field of this alert's group`;
    throw refusal([{ code: 'not_one_of', field: 'fields', message, detail: { values: Object.keys(group) } }]);
  }
  return Object.fromEntries(names.map((name) => [name, group[name] ?? null]));
}
