import type { Command } from 'commander';
import { TENANT } from '../caller/tenant-answer';
import type { Answer } from '../event/shape';
import { CommandError } from './service-client';
import { type OnService, wholeNumber } from './service-command';
import { columnsOf, toTable } from './table';

type TenantAnswer = Answer<typeof TENANT>;
type Kept = Pick<TenantAnswer, 'tenantId' | 'retentionDays'>;

/** `tenant create`, `tenant list`, `tenant retention`. */
export function addTenantCommands(tenant: Command, onService: OnService): void {
  onService(
    tenant
      .command('create')
      .description('makes a tenant')
      .requiredOption('--name <name>', 'its name')
      .option('--retention-days <n>', 'days its events are kept (default: for ever)', wholeNumber),
    async (run, options) => {
      const { createTenant } = await run<{ createTenant: { tenantId: string } }>(
        'mutation($name: String!, $days: Int) { createTenant(name: $name, retentionDays: $days) { tenantId } }',
        { name: options.name, days: options.retentionDays ?? null },
      );
      return { json: createTenant, text: `tenant ${createTenant.tenantId}` };
    },
  );
  onService(tenant.command('list').description('lists the tenants'), async (run) => {
    const { tenants } = await run<{ tenants: TenantAnswer[] }>(`{ tenants { ${columnsOf(TENANT)} } }`);
    return { json: tenants, text: toTable(tenants) };
  });
  onService(
    tenant
      .command('retention')
      .description('sets how long the events of a tenant are kept; what is older is removed within the hour')
      .argument('<tenantId>', 'as `tenant list` shows it')
      .option('--days <n>', 'days', wholeNumber)
      .option('--none', 'for ever'),
    async (run, { days, none }, tenantId) => {
      if ((days === undefined) === (none !== true))
        throw new CommandError('Give either --days N, or --none to keep events for ever.');
      const { setTenantRetention } = await run<{ setTenantRetention: Kept }>(
        `mutation($tenantId: String!, $days: Int) {
          setTenantRetention(tenantId: $tenantId, days: $days) { tenantId retentionDays } }`,
        { tenantId, days: days ?? null },
      );
      return { json: setTenantRetention, text: textOf(setTenantRetention) };
    },
  );
}

const textOf = ({ tenantId, retentionDays }: Kept) =>
  `tenant ${tenantId}: events are kept ${retentionDays === null ? 'for ever' : `for ${retentionDays} days`}`;
