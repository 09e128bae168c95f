import type { AddressList } from './address-list';

/** Who calls: made from the key of the request, and all that the access rules look at. */
export type Principal =
  | (Caller & {
      readonly kind: 'public';
      readonly scopes: readonly string[];
      readonly tenantIds: readonly number[];
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
