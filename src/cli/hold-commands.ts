import type { Command } from 'commander';
import { type OfTenant, tenantOf } from './only-tenant';
import { columnsOf } from './operations';
import { isoTime, type OnService, wholeNumber } from './service-command';
import { toTable } from './table';

const COLUMNS = columnsOf('LegalHold', 'holdId', 'tenantId', 'isInForce', 'until', 'filter', 'reason');

/** `hold create`, `hold list`, `hold end`. */
export function addHoldCommands(hold: Command, onService: OnService): void {
  onService(
    hold
      .command('create')
      .description('keeps events of a tenant from retention, those that are stored and those that still come')
      .option('--tenant <id>', 'of this tenant (default: the only one)')
      .option('--filter <expression>', 'the events that match (default: every event of the tenant)')
      .option('--until <time>', 'when the hold ends by itself (default: when `hold end` ends it)', isoTime)
      .requiredOption('--reason <text>', 'why, such as the number of the case'),
    async (run, { filter, until, reason, ...of }: Creation) => {
      const made = await run('createHold', {
        tenantId: await tenantOf(run, of),
        filter: filter ?? null,
        until: until ?? null,
        reason,
      });
      const what = made.filter === null ? 'every event' : `events that match ${made.filter}`;
      return { json: made, text: `hold ${made.holdId}: ${what} of tenant ${made.tenantId} stay` };
    },
  );
  onService(
    hold
      .command('list')
      .description('lists the holds, those that nobody has ended first')
      .option('--tenant <id>', 'of this tenant (default: of every tenant)')
      .option('--limit <n>', 'at most so many', wholeNumber),
    async (run, { tenant, limit }: OfTenant & { limit?: number }) => {
      const holds = await run('holds', { tenantId: tenant ?? null, first: limit }, COLUMNS);
      return { json: holds, text: toTable(holds) };
    },
  );
  onService(
    hold
      .command('end')
      .description('ends a hold; what it held and has expired is removed within the hour')
      .argument('<holdId>', 'as `hold list` shows it')
      .requiredOption('--reason <text>', 'why'),
    async (run, { reason }: { reason: string }, holdId) => {
      const ended = await run('endHold', { holdId, reason });
      return { json: ended, text: `hold ${ended.holdId} of tenant ${ended.tenantId} has ended` };
    },
  );
}

interface Creation extends OfTenant {
  readonly filter?: string;
  readonly until?: string;
  readonly reason: string;
}
