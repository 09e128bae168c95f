import { GraphQLString } from 'graphql';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { DomainError } from '../../errors';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { enumType, objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import type { AlertReader } from './alert.reader';
import type { AlertStore, AlertWork } from './alert.store';
import { ALERT, ALERT_PAGE, ALERTS_PARAMETERS, VERDICT } from './answers';
import {
  type CallTenants,
  type Given,
  idOf,
  invalid,
  MAYBE,
  READ_ALERTS,
  text,
  WORK_ALERTS,
} from './operations';
import { ALERT_CHANGE } from './work-answers';

const AlertType = objectType(ALERT);
const AlertPage = objectType(ALERT_PAGE);
const AlertChangeType = objectType(ALERT_CHANGE);
const Verdict = enumType(VERDICT);

const TENANT_ALERTS_PARAMETERS = {
  tenantId: { kind: 'text', charsMax: 20, doc: 'Of this tenant only.' },
  ...ALERTS_PARAMETERS,
} as const;

const COMMENT_CHARS_MAX = 4_000;
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
  @Takes(TENANT_ALERTS_PARAMETERS)
  async tenantAlerts({ tenantId, ...filters }: ParameterValues<typeof TENANT_ALERTS_PARAMETERS>, call: Call) {
    const tenants = await this.parts.tenants.of(call, tenantId);
    if (!tenants) return { items: [], totalCount: 0, page: filters.page, pageSize: filters.pageSize };
    return this.parts.reader.alerts(tenants, filters);
  }

  @Query(() => AlertType, { nullable: true, description: 'One alert of any tenant, for operators.' })
  @Access({ principal: 'operator' })
  async tenantAlert(@Arg('alertId', text) alertId: string, @Ctx() call: Call) {
    const tenants = await this.parts.tenants.of(call);
    return tenants && this.parts.reader.alert(tenants, idOf('alertId', alertId));
  }

  @Query(() => [AlertChangeType], { description: 'Changes of an alert, oldest first.' })
  @Access(READ_ALERTS)
  async alertChanges(@Arg('alertId', text) alertId: string, @Ctx() call: Call) {
    const tenants = await this.parts.tenants.of(call);
    return tenants ? this.parts.alerts.changes(tenants, idOf('alertId', alertId)) : [];
  }

  @Mutation(() => AlertType, { description: 'Acknowledges an alert.' })
  @Access(WORK_ALERTS)
  acknowledgeAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('assignee', text, { nullable: true, description: 'Who works on it. Not given: unchanged.' })
    assignee: Given<string>,
    @Arg('comment', text, MAYBE) comment: Given<string>,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, comment, () => {
      const name = assignee == null ? {} : { assignee: assigneeOf(assignee) };
      return {
        kind: 'acknowledged',
        set: { status: 'acknowledged', verdict: null, ...name },
        detail: { status: 'acknowledged', ...name },
      };
    });
  }

  @Mutation(() => AlertType, { description: 'Resolves an alert with a verdict.' })
  @Access(WORK_ALERTS)
  resolveAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('verdict', () => Verdict) verdict: string,
    @Arg('comment', text, MAYBE) comment: Given<string>,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, comment, () => ({
      kind: 'resolved',
      set: { status: 'resolved', verdict },
      detail: { status: 'resolved', verdict },
    }));
  }

  @Mutation(() => AlertType, { description: 'Assigns an alert to a person.' })
  @Access(WORK_ALERTS)
  assignAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('assignee', text, { nullable: true, description: 'Null: nobody.' }) assignee: Given<string>,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, null, () => {
      const name = assigneeOf(assignee);
      return { kind: 'assigned', set: { assignee: name }, detail: { assignee: name } };
    });
  }

  @Mutation(() => AlertType, { description: 'Adds a comment to an alert.' })
  @Access(WORK_ALERTS)
  commentAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('comment', text) comment: string,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, comment, () => {
      if (comment.trim() === '') throw invalid('comment must not be empty.');
      return { kind: 'commented', set: {}, detail: {} };
    });
  }

  @Mutation(() => AlertType, {
    description: 'Suppresses this alert, and new alerts of its rule with the same group, until a time.',
  })
  @Access(WORK_ALERTS)
  suppressAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('fields', () => [GraphQLString], {
      nullable: true,
      description: "Fields of the alert's group whose values must be the same. Null: all of them.",
    })
    fields: Given<string[]>,
    @Arg('until', text, { description: 'ISO 8601.' }) until: string,
    @Arg('reason', text) reason: string,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, reason, () => {
      const ticks = parseTicks(until);
      const untilMs = ticks === null ? 0 : Number(ticks / TICKS_PER_MS);
      const now = this.parts.nowMs();
      const problems = [
        ...(untilMs > now && untilMs <= now + SUPPRESSION_MS_MAX
          ? []
          : ['until must be a time within the next year']),
        ...(reason.trim() === '' ? ['reason must not be empty'] : []),
      ];
      if (problems.length > 0) throw invalid(`${problems.join('; ')}.`);
      const at = new Date(untilMs);
      return {
        kind: 'suppressed',
        set: { status: 'suppressed', suppressedUntil: at, verdict: null },
        detail: { status: 'suppressed', until: at.toISOString() },
        suppress: (group) => ({ fields: chosenOf(group, fields ?? null), until: at, reason }),
      };
    });
  }

  async #work(
    call: Call,
    given: string,
    comment: Given<string>,
    make: () => Pick<AlertWork, 'kind' | 'set' | 'detail' | 'suppress'>,
  ) {
    const alertId = idOf('alertId', given);
    const note = comment?.trim() ? comment : null;
    if (note !== null && note.length > COMMENT_CHARS_MAX)
      throw invalid(`comment must have at most ${COMMENT_CHARS_MAX} characters.`);
    const work = make();
    const tenants = await this.parts.tenants.of(call);
    if (!tenants) throw new DomainError('not_found', { public: 'There is no such record.' });
    const actor = call.principal.session?.user ?? call.principal.name;
    await this.parts.alerts.work(tenants, alertId, { ...work, actor, comment: note }, attemptOf(call));
    return this.parts.reader.alert(tenants, alertId);
  }
}

function assigneeOf(assignee: Given<string>): string | null {
  const name = assignee?.trim() || null;
  if (name !== null && name.length > LIMITS.nameCharsMax)
    throw invalid(`assignee must have at most ${LIMITS.nameCharsMax} characters.`);
  return name;
}

function chosenOf(
  group: Readonly<Record<string, string | null>>,
  fields: readonly string[] | null,
): Record<string, string | null> {
  if (fields?.length === 0) throw invalid('fields must name at least one.');
  const names = fields ?? Object.keys(group);
  const strange = names.find((name) => !Object.hasOwn(group, name));
  if (strange !== undefined)
    throw invalid(`${JSON.stringify(strange.slice(0, 60))} is no field of this alert's group.`);
  return Object.fromEntries(names.map((name) => [name, group[name] ?? null]));
}
