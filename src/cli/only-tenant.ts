import type { Run } from './operations';
import { CommandError } from './service-client';

/** The options of a command that concerns one tenant. */
export interface OfTenant {
  readonly tenant?: string;
}

/**
 * The tenant of `--tenant`. Without that option, the only tenant that exists.
 * @throws CommandError when there are several tenants, or none
 */
export async function tenantOf(run: Run, { tenant }: OfTenant): Promise<string> {
  if (tenant !== undefined) return tenant;
  const tenants = await run('tenants', {}, ['tenantId']);
  const [only, another] = tenants;
  if (only && !another) return only.tenantId;
  throw new CommandError(
    only
      ? `There are ${tenants.length} tenants: give --tenant.`
      : 'There is no tenant yet: `tenant create` makes one.',
    'usage',
  );
}
