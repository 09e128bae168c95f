/** Who calls: made from the key of the request, and all that the access rules look at. */
export type Principal =
  | {
      readonly kind: 'public';
      readonly keyId: string;
      readonly scopes: readonly string[];
      readonly tenantIds: readonly number[];
      readonly rateLimitPerMinute: number | null;
    }
  | { readonly kind: 'agent'; readonly keyId: string; readonly tenantId: number }
  | { readonly kind: 'operator'; readonly keyId: string };
