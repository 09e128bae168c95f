import type { Attempt } from './access-entry';

export interface Tenant {
  readonly tenantId: number;
  readonly name: string;
  readonly createdAt: Date;
  /** Days its events are kept; null: for ever. */
  readonly retentionDays: number | null;
}

/** Port: where tenants are kept. */
export interface TenantStore {
  /** With its entry of the access log. @param retentionDays null: events are kept for ever */
  create(name: string, retentionDays: number | null, attempt: Attempt): Promise<Tenant>;
  list(): Promise<readonly Tenant[]>;
  /** Those of the ids that exist. */
  existing(tenantIds: readonly number[]): Promise<readonly number[]>;
}
