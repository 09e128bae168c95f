import { parseTenantId } from '../../tenant-set';
import { SCOPE_NAMES, SCOPES, type Scope } from '../scopes';
import type { Identity } from './session.store';

/** The reason why a person whom the provider has authenticated is refused. */
export type ClaimsRefusal = 'no_role' | 'no_tenants';

type Claims = Readonly<Record<string, unknown>>;
interface ClaimNames {
  readonly tenantsClaim: string;
  readonly roleClaim: string;
}

/** The scopes of an analyst with these values of the role claim. */
const scopesOf = (roles: readonly string[]): readonly Scope[] =>
  SCOPE_NAMES.filter((scope) => {
    const { ofAnalysts } = SCOPES[scope];
    return ofAnalysts === 'claimed' ? roles.includes(scope) : ofAnalysts;
  });

/**
 * The identity that the claims of an ID token state. A claim that states nothing grants nothing.
 * @param existing returns the given tenants that exist
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

/** The name that people know, with the subject, which the provider never gives to another person. */
function userOf({ preferred_username: name, email, sub }: Claims): string {
  const shown = [name, email].find((text) => typeof text === 'string' && text !== '');
  const user = shown === undefined ? String(sub) : `${shown} (${sub})`;
  return user.replace(CONTROL, REPLACEMENT);
}

/** The database stores no U+0000, and the others have no place in a name. */
const CONTROL = /\p{Cc}/gu;
const REPLACEMENT = '\uFFFD';

/** Reads a list, or a text with commas or spaces in between. */
function textsOf(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.map(String);
  if (typeof claim === 'number') return [String(claim)];
  return typeof claim === 'string' ? claim.split(/[\s,]+/).filter((text) => text !== '') : [];
}
