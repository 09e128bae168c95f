import type { COMMON } from './common';
import type { In } from './texts';

export interface NamedTenant {
  readonly tenantId: string;
  readonly name: string;
}

/** The name of a tenant; its id while the name is not known. */
export const nameOf = (tenants: readonly NamedTenant[], tenantId: string): string =>
  tenants.find((tenant) => tenant.tenantId === tenantId)?.name ?? tenantId;

/** The names of the first few of some tenants, and how many more there are: `Contoso, Fabrikam and 398 more`. */
export function namesOf(
  tenants: readonly NamedTenant[],
  tenantIds: readonly string[],
  common: In<typeof COMMON>,
  max = 3,
): string {
  const names = tenantIds.slice(0, max).map((id) => nameOf(tenants, id));
  const left = tenantIds.length - names.length;
  return common.names(names.join(', ') || '–', left);
}
