import { SCOPE_NAMES, SCOPES, type Scope } from '../scopes';
import { parseTenantId } from '../tenant-set';
import type { Identity } from './session.store';

/** Why somebody whom the provider vouches for is not let in. */
export type ClaimsRefusal = 'no_role' | 'no_tenants';

type Claims = Readonly<Record<string, unknown>>;
interface ClaimNames {
  readonly tenantsClaim: string;
  readonly roleClaim: string;
}

/** What an analyst may do, who has these values of the role claim. */
const scopesOf = (roles: readonly string[]): readonly Scope[] =>
  SCOPE_NAMES.filter((scope) => {
    const { ofAnalysts } = SCOPES[scope];
    return ofAnalysts === 'claimed' ? roles.includes(scope) : ofAnalysts;
  });

/**
 * Who the claims of an ID token say signs in. A claim that says nothing gives nothing.
 * @param existing those of the tenants that exist
 */
export async function identityOf(
  claims: Claims,
  { tenantsClaim, roleClaim }: ClaimNames,
  existing: (tenantIds: readonly number[]) => Promise<readonly number[]>,
): Promise<Identity | ClaimsRefusal> {
  const roles = textsOf(claims[roleClaim]);
  const user = userOf(claims);
  if (roles.includes('operator')) return { user, kind: 'operator', scopes: [], tenantIds: [] };
  if (!roles.includes('analyst')) return 'no_role';
  const named = textsOf(claims[tenantsClaim]).map(parseTenantId);
  const tenantIds = await existing(named.filter((id) => id !== null));
  return tenantIds.length === 0
    ? 'no_tenants'
    : { user, kind: 'public', scopes: scopesOf(roles), tenantIds: [...tenantIds] };
}

/** The name people know, and the subject, which is never given to another. */
function userOf({ preferred_username: name, email, sub }: Claims): string {
  const shown = [name, email].find((text) => typeof text === 'string' && text !== '');
  return shown === undefined ? String(sub) : `${shown} (${sub})`;
}

/** A list, or a text with commas or spaces between. */
function textsOf(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.map(String);
  if (typeof claim === 'number') return [String(claim)];
  return typeof claim === 'string' ? claim.split(/[\s,]+/).filter((text) => text !== '') : [];
}
