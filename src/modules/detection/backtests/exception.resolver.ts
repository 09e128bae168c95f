import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { CallTenants } from '../../../caller/call-tenants';
import type { FairShare } from '../../../caller/rate-limit/fair-share';
import { DomainError } from '../../../errors';
import type { ParameterValues } from '../../../event/parameter-specs';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { inTurn } from '../../../graphql/change-turns';
import { objectType } from '../../../graphql/object-type';
import type { AlertStore } from '../alerts/alert.store';
import { WORK_ALERTS } from '../base/operations';
import { ADD_EXCEPTION, PREVIEW_EXCEPTION } from '../base/parameters';
import { ADDED_EXCEPTION, EXCEPTION_PREVIEW } from '../base/work-answers';
import type { RuleStore } from '../rules/rule.store';
import type { ExceptionPreview } from './exception-preview';

const PreviewType = objectType(EXCEPTION_PREVIEW);
const AddedType = objectType(ADDED_EXCEPTION);

/** Tunes a rule from an alert that is no attack. */
@Resolver()
export class ExceptionResolver {
  constructor(
    private readonly parts: {
      readonly preview: ExceptionPreview;
      readonly rules: RuleStore;
      readonly alerts: AlertStore;
      readonly tenants: CallTenants;
      readonly changes: Pick<FairShare, 'run'>;
    },
  ) {}

  @Query(() => PreviewType, {
    description: 'What an exception with values of an alert would have removed in the last 30 days.',
  })
  @Access(WORK_ALERTS)
  @Takes(PREVIEW_EXCEPTION)
  async exceptionPreview({ alertId, fields }: ParameterValues<typeof PREVIEW_EXCEPTION>, call: Call) {
    const tenants = await this.#tenants(call);
    return inTurn(this.parts.changes, call, () => this.parts.preview.of(tenants, alertId, fields));
  }

  @Mutation(() => AddedType, {
    description:
      'Not an attack: adds an exception with values of an alert to its rule, and resolves the open alerts that it would have removed.',
  })
  @Access(WORK_ALERTS)
  @Takes(ADD_EXCEPTION)
  async addRuleException(
    { alertId, fields, verdict, comment }: ParameterValues<typeof ADD_EXCEPTION>,
    call: Call,
  ) {
    const { preview, rules, alerts } = this.parts;
    const tenants = await this.#tenants(call);
    // A change has its turn already.
    const { tenantId, ruleId, values, openIds, text } = await preview.of(tenants, alertId, fields);
    const actor = call.principal.session?.user ?? call.principal.name;
    const note = comment?.trim() ? comment : null;
    let resolved = 0;
    const rule = await rules.except(tenantId, ruleId, values, attemptOf(call), async (tx) => {
      resolved = await alerts.resolveThese(tx, tenantId, openIds, { actor, verdict, comment: note });
    });
    return { ruleId, tuning: rule.tuning, resolved, text };
  }

  async #tenants(call: Call) {
    const tenants = await this.parts.tenants.of(call);
    if (!tenants) throw new DomainError('not_found', { public: 'There is no such record.' });
    return tenants;
  }
}
