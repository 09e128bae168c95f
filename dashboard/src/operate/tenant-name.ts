export interface NamedTenant {
  readonly tenantId: string;
  readonly name: string;
}

/** The name of a tenant; its id while the name is not known. */
export const nameOf = (tenants: readonly NamedTenant[], tenantId: string): string =>
  tenants.find((tenant) => tenant.tenantId === tenantId)?.name ?? tenantId;
