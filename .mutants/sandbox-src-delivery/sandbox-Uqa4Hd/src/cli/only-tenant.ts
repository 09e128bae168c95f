import { CommandError } from './service-client';
import type { Options, Run } from './service-command';

/**
 * The tenant of `--tenant`. Without that option, the only tenant that exists.
 * @throws CommandError when there are several tenants, or none
 */
export async function tenantOf(run: Run, { tenant }: Options): Promise<string> {
  if (typeof tenant === 'string') return tenant;
  const { tenants } = await run<{ tenants: { tenantId: string }[] }>('{ tenants { tenantId } }');
  const [only, another] = tenants;
  if (only && !another) return only.tenantId;
  throw new CommandError(
    only
      ? `There are ${tenants.length} tenants: give --tenant.`
      : 'There is no tenant yet: `tenant create` makes one.',
    'usage',
  );
}
