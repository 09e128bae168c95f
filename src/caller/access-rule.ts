import { DomainError } from '../errors';
import type { Call } from './call';
import { holderOf, type Principal } from './principal';
import type { Asker } from './rate-limit/fair-share';
import type { Scope } from './scopes';
import { type TenantSet, tenantSet } from './tenant-set';

/** Who may use an operation. A root field of GraphQL states it with `@Access`. */
export type AccessRule =
  | {
      readonly principal: 'public';
      readonly scope: Scope;
      /** For those signed in to the dashboard: over /graphql a key reaches nothing that it can't over REST. */
      readonly via?: 'session';
      /** Operators may use it too, and name the tenant. */
      readonly operators?: true;
    }
  | { readonly principal: 'agent' }
  | { readonly principal: 'operator' };

/** @throws DomainError `forbidden` */
export function enforce(rule: AccessRule, principal: Principal): void {
  if (rule.principal === 'public' && rule.operators && principal.kind === 'operator') return;
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

/** Who asks for a statement that may take long. */
export const askerOf = (call: Pick<Call, 'principal'>): Asker => ({
  holder: holderOf(call.principal),
  tenants: tenantSetOf(call),
});

/** The tenants of a public principal; the access rule has made sure that the caller has one. */
export const tenantSetOf = ({ principal }: Pick<Call, 'principal'>): TenantSet =>
  tenantSet(principal.kind === 'public' ? principal.tenantIds : []);
