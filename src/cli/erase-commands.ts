import type { Command } from 'commander';
import { type OfTenant, tenantOf } from './only-tenant';
import { CommandError } from './service-client';
import { assertConfirmed, isoTime, type OnService, wholeNumber } from './service-command';
import { toTable } from './table';

/** `erase` and `erasures`. */
export function addEraseCommands(program: Command, onService: OnService): void {
  onService(
    program
      .command('erase')
      .description('erases events of a tenant for good, with all that was made of them; asks before')
      .option('--filter <expression>', 'which events, such as `principalName:"CORP\\ana"`')
      .option('--search <words>', 'events with these words')
      .option('--from <time>', 'events from this time on', isoTime)
      .option('--to <time>', 'events before this time', isoTime)
      .option('--reason <text>', 'why; it is kept for ever, so it must not name what is erased')
      .option('--tenant <id>', 'of this tenant (default: the only one)')
      .option('--dry-run', 'only says how many events it would erase')
      .option('--events <n>', 'agrees to erase this many events, and no other number', wholeNumber)
      .option('--yes', 'does not ask before'),
    async (run, options: Erased, _, operator) => {
      const { filter, search, from, to, reason, dryRun, yes } = options;
      const tenantId = await tenantOf(run, options);
      if (reason === undefined && dryRun !== true)
        throw new CommandError('Give --reason TEXT, or --dry-run.', 'usage');
      const erased = {
        filter: filter ?? null,
        search: search ?? null,
        startTime: from ?? null,
        endTime: to ?? null,
      };
      const found = await run('erasurePreview', { tenantId, erased });
      if (dryRun || reason === undefined || found.events === 0)
        return { json: found, text: `${found.events} events of tenant ${tenantId} would be erased` };
      const events = options.events ?? found.events;
      if (yes !== true && options.events === undefined)
        await assertConfirmed(`${events} events of tenant ${tenantId} are erased, for good.`, operator);
      const begun = await run('eraseEvents', { tenantId, erased, reason, events });
      return {
        json: begun,
        text: `${begun.events} events of tenant ${tenantId} are being erased: \`audit-activity erasures\` says when it has ended`,
      };
    },
  );
  onService(
    program
      .command('erasures')
      .description('lists the erasures of a tenant, newest first')
      .option('--tenant <id>', 'of this tenant (default: the only one)')
      .option('--limit <n>', 'at most so many', wholeNumber),
    async (run, { limit, ...of }: OfTenant & { readonly limit?: number }) => {
      const erasures = await run('erasures', { tenantId: await tenantOf(run, of), first: limit });
      return { json: erasures, text: erasures.length === 0 ? 'nothing was erased' : toTable(erasures) };
    },
  );
}

interface Erased extends OfTenant {
  readonly filter?: string;
  readonly search?: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly dryRun?: true;
  readonly events?: number;
  readonly yes?: true;
}
