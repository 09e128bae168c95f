import path from 'node:path';
import type { TenantStore } from '../../caller/tenant.store';

/**
 * Where the first key is, for whoever begins: only while there is no tenant. It names the file and nothing in it.
 * @param file of the operator key; null: this instance has none
 */
export function firstKeyFile(
  file: string | null,
  tenants: Pick<TenantStore, 'list'>,
): () => Promise<string | null> {
  let hasTenant = false;
  return async () => {
    if (file === null || hasTenant) return null;
    try {
      // A tenant is never removed, so it is asked only until there is one.
      hasTenant = (await tenants.list()).length > 0;
      return hasTenant ? null : path.resolve(file);
    } catch {
      return null;
    }
  };
}
