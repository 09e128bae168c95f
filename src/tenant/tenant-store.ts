export interface Tenant {
  readonly tenantId: number;
  readonly name: string;
  readonly createdAt: Date;
}

/** Port: where tenants are kept. */
export interface TenantStore {
  create(name: string): Promise<Tenant>;
  list(): Promise<readonly Tenant[]>;
  /** Those of the ids that exist. */
  existing(tenantIds: readonly number[]): Promise<readonly number[]>;
}
