import type { GraphQLField, GraphQLSchema } from 'graphql';
import { type AuthChecker, Authorized, Extensions } from 'type-graphql';
import { holderOf, type Principal } from '../caller/principal';
import type { Scope } from '../caller/scopes';
import { DomainError } from '../errors';
import type { Asker } from '../caller/rate-limit/fair-share';
import { type TenantScope, tenantScope } from '../caller/tenant-set';
import type { GraphqlContext } from './context';

/** Who may use a root field. Stated on the field with `@Access`, read from there by everyone who asks. */
export type AccessRule =
  | {
      readonly principal: 'public';
      readonly scope: Scope;
      /** For those signed in to the dashboard: over /graphql a key reaches nothing that it can't over REST. */
      readonly via?: 'session';
    }
  | { readonly principal: 'agent' }
  | { readonly principal: 'operator' };

export function Access(rule: AccessRule): MethodDecorator {
  return (target, name, descriptor) => {
    Authorized<AccessRule>([rule])(target, name, descriptor as TypedPropertyDescriptor<unknown>);
    Extensions({ access: rule })(target, name, descriptor as TypedPropertyDescriptor<unknown>);
  };
}

/** @throws DomainError `forbidden` */
export function enforce(rule: AccessRule, principal: Principal): void {
  if (principal.kind !== rule.principal) {
    throw new DomainError('forbidden', { public: 'This API key does not permit this operation.' });
  }
  if (rule.principal !== 'public' || principal.kind !== 'public') return;
  if (rule.via === 'session' && !principal.session) {
    throw new DomainError('forbidden', { public: 'This operation is for those signed in to the dashboard.' });
  }
  if (!principal.scopes.includes(rule.scope)) {
    throw new DomainError('forbidden', { public: `This API key lacks the scope ${rule.scope}.` });
  }
  if (principal.tenantIds.length === 0) {
    throw new DomainError('forbidden', { public: 'This API key is not authorized for any tenant.' });
  }
}

/** Whose turn a statement is that may take long. */
export const askerOf = (context: Pick<GraphqlContext, 'principal'>): Asker => ({
  holder: holderOf(context.principal),
  tenants: scopeOf(context),
});

/** The tenants of a public principal; the access rule has seen to it that the caller has one. */
export const scopeOf = ({ principal }: Pick<GraphqlContext, 'principal'>): TenantScope =>
  tenantScope(principal.kind === 'public' ? principal.tenantIds : []);

export const authChecker: AuthChecker<GraphqlContext, AccessRule> = ({ context }, rules) => {
  for (const rule of rules) enforce(rule, context.principal);
  return rules.length > 0;
};

export function accessRuleOf(field: GraphQLField<unknown, unknown>): AccessRule | null {
  return (field.extensions.access as AccessRule | undefined) ?? null;
}

/** Stops the start when a root field states no rule: nothing is reachable by oversight. */
export function assertEveryRootFieldHasRule(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of roots) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (!accessRuleOf(field)) throw new Error(`${type?.name}.${field.name} states no access rule`);
    }
  }
}
