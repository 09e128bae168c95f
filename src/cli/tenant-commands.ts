import type { Command } from 'commander';
import type { Tenant } from '../generated/operations';
import type { Run } from './operations';
import { CommandError } from './service-client';
import { assertConfirmed, type OnService, wholeNumber } from './service-command';
import { toTable } from './table';

type Kept = Pick<Tenant, 'tenantId' | 'retentionDays'>;

/** `tenant create`, `tenant list`, `tenant rename`, `tenant disable`, `tenant enable`, `tenant retention`, `tenant masking`. */
export function addTenantCommands(tenant: Command, onService: OnService): void {
  onService(
    tenant
      .command('create')
      .description('makes a tenant')
      .requiredOption('--name <name>', 'its name')
      .option('--retention-days <n>', 'days its events are kept (default: for ever)', wholeNumber),
    async (run, { name, retentionDays }: { name: string; retentionDays?: number }) => {
      const made = await run('createTenant', { name, retentionDays: retentionDays ?? null }, ['tenantId']);
      return { json: made, text: `tenant ${made.tenantId}` };
    },
  );
  onService(tenant.command('list').description('lists the tenants'), async (run) => {
    const tenants = await run('tenants', {});
    return { json: tenants, text: toTable(tenants) };
  });
  onService(
    tenant
      .command('rename')
      .description('gives a tenant another name')
      .argument('<tenantId>', 'as `tenant list` shows it')
      .requiredOption('--name <name>', 'its new name'),
    async (run, { name }: { name: string }, tenantId) => {
      const renamed = await run('renameTenant', { tenantId, name }, ['tenantId', 'name']);
      return { json: renamed, text: `tenant ${renamed.tenantId} is ${renamed.name}` };
    },
  );
  onService(
    tenant
      .command('disable')
      .description('refuses the keys of a tenant and pauses its background work; nothing is removed')
      .argument('<tenantId>', 'as `tenant list` shows it')
      .requiredOption('--reason <text>', 'why'),
    async (run, { reason }: { reason: string }, tenantId) => {
      const disabled = await run('disableTenant', { tenantId, reason }, [
        ...(['tenantId', 'disabledAt', 'holdsInForce'] as const),
      ]);
      const done = `tenant ${disabled.tenantId} is disabled since ${disabled.disabledAt}; its agents wait`;
      return { json: disabled, text: [done, ...holdsOf(disabled)].join('\n') };
    },
  );
  onService(
    tenant
      .command('enable')
      .description('enables a disabled tenant: everything goes on where it stood')
      .argument('<tenantId>', 'as `tenant list` shows it'),
    async (run, _options, tenantId) => {
      const enabled = await run('enableTenant', { tenantId }, ['tenantId', 'disabledAt']);
      return { json: enabled, text: `tenant ${enabled.tenantId} is enabled` };
    },
  );
  onService(
    tenant
      .command('retention')
      .description('sets how long the events of a tenant are kept; what is older is removed within the hour')
      .argument('<tenantId>', 'as `tenant list` shows it')
      .option('--days <n>', 'days', wholeNumber)
      .option('--none', 'for ever')
      .option('--yes', 'does not ask before events are removed'),
    async (run, { days, none, yes }: Keeping, tenantId, operator) => {
      if ((days === undefined) === (none !== true))
        throw new CommandError('Give either --days N, or --none to keep events for ever.');
      const removed = days === undefined ? '' : await wouldGo(run, tenantId, days);
      if (removed !== '' && yes !== true) await assertConfirmed(removed, operator);
      const kept = await run('setTenantRetention', { tenantId, days: days ?? null }, [
        'tenantId',
        'retentionDays',
        'holdsInForce',
      ]);
      const told = [textOf(kept), ...(removed === '' ? [] : [removed]), ...holdsOf(kept)];
      return { json: kept, text: told.join('\n') };
    },
  );
  onService(
    tenant
      .command('masking')
      .description('sets whether literals of statements are masked for those without the scope unmask')
      .argument('<tenantId>', 'as `tenant list` shows it')
      .option('--on', 'masks them')
      .option('--off', 'shows them'),
    async (run, { on, off }: Masking, tenantId) => {
      if ((on === true) === (off === true)) throw new CommandError('Give either --on or --off.');
      const made = await run('setTenantMasking', { tenantId, masksStatements: on === true }, [
        'tenantId',
        'masksStatements',
      ]);
      const state = made.masksStatements ? 'masked for those without the scope unmask' : 'shown';
      return { json: made, text: `tenant ${made.tenantId}: literals of statements are ${state}` };
    },
  );
}

interface Masking {
  readonly on?: true;
  readonly off?: true;
}

interface Keeping {
  readonly days?: number;
  readonly none?: true;
  readonly yes?: true;
}

/** What a retention would remove of a tenant now, in words; empty: nothing. */
async function wouldGo(run: Run, tenantId: string, days: number): Promise<string> {
  const { before, events, kept, held, holds } = await run('retentionPreview', { tenantId, days });
  if (events === 0) return '';
  const but = held === null ? `, without those that ${holds} legal holds keep` : '';
  return `${events} events of before ${before} are removed within the hour, for good${but}; ${kept} stay.`;
}

/** Tells whoever changes a tenant of its holds. */
const holdsOf = ({ holdsInForce }: Pick<Tenant, 'holdsInForce'>) =>
  holdsInForce === 0
    ? []
    : [`legal holds in force: ${holdsInForce} (\`hold list\`); what they hold is not removed`];

const textOf = ({ tenantId, retentionDays }: Kept) =>
  `tenant ${tenantId}: events are kept ${retentionDays === null ? 'for ever' : `for ${retentionDays} days`}`;
