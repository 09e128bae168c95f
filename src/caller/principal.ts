import { DomainError } from '../errors';
import type { AddressList } from './address-list';
import type { Asker } from './rate-limit/fair-share';
import type { Scope } from './scopes';
import { type NoTenants, noTenant, type TenantSet } from './tenant-set';

/** Who calls: made from the key of the request, and all that the access rules look at. */
export type Principal =
  | (Caller & {
      readonly kind: 'public';
      readonly scopes: readonly string[];
      readonly tenantIds: TenantSet | NoTenants;
      readonly rateLimitPerMinute: number | null;
    })
  | (Caller & { readonly kind: 'agent'; readonly tenantId: number })
  | (Caller & { readonly kind: 'operator' });

interface Caller {
  readonly keyId: string;
  /** Of the key. */
  readonly name: string;
  /** Networks the key may be used from; absent: from anywhere. */
  readonly allowedFrom?: AddressList;
  /** Set for a dashboard session. */
  readonly session?: {
    /** Who signed in; null: whoever holds the key. */
    readonly user: string | null;
  };
}

/** Who is held to bounds: a key, whether by itself or by those signed in with it, or a person. */
export const holderOf = ({ keyId, session }: Principal): string =>
  session?.user ? `user ${session.user}` : `key ${keyId}`;

/** Tenants a principal may act for. */
export function tenantsOf(principal: Principal): readonly number[] {
  if (principal.kind === 'public') return principal.tenantIds;
  return principal.kind === 'agent' ? [principal.tenantId] : [];
}

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
    throw noTenant();
  }
}

/** Who asks for a statement that may take long. */
export const askerOf = (call: { readonly principal: Principal }): Asker => ({
  holder: holderOf(call.principal),
  tenants: tenantSetOf(call),
});

/** The tenants of a public principal; the access rule has made sure that the caller has one. */
export function tenantSetOf({ principal }: { readonly principal: Principal }): TenantSet {
  if (principal.kind !== 'public' || isNone(principal.tenantIds)) throw noTenant();
  return principal.tenantIds;
}

const isNone = (tenantIds: TenantSet | NoTenants): tenantIds is NoTenants => tenantIds.length === 0;
