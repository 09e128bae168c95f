import type { Command } from 'commander';
import type { LogEpoch } from '../generated/operations';
import { LIMITS } from '../limits';
import { type OfTenant, tenantOf } from './only-tenant';
import { CommandError } from './service-client';
import { assertConfirmed, isoTime, type OnService, wholeNumber } from './service-command';
import { toTable } from './table';

/** `erase`, `erase-again` and `erasures`. */
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
      .command('erase-again')
      .description('erases again what a restored database has again; asks before')
      .option('--tenant <id>', 'of this tenant (default: of all)')
      .option('--dry-run', 'only lists the erasures')
      .option('--yes', 'does not ask before'),
    async (run, { tenant, dryRun, yes }: Again, _, operator) => {
      const { lostErasures } = await run('logEpoch', {});
      const lost = lostErasures.filter(({ tenantId }) => tenant === undefined || tenantId === tenant);
      if (lost.length === 0) return { json: [], text: 'no erasure is to be made again' };
      const table = toTable(lost);
      if (dryRun) return { json: lost, text: table };
      const batches = batchesOf(lost);
      const events = batches.flat().reduce((sum, { present }) => sum + present, 0);
      if (yes !== true)
        await assertConfirmed(
          `${table}\n${events} events of these erasures are erased again, for good.`,
          operator,
        );
      const begun = [];
      for (const batch of batches) {
        const [first] = batch;
        if (!first) continue;
        const erasureIds = batch.map(({ erasureId }) => erasureId);
        begun.push(await run('repeatErasures', { tenantId: first.tenantId, erasureIds }));
      }
      const left = lost.length - batches.flat().length;
      const rest =
        left === 0 ? '' : `\n${left} erasures are left: give the command again when these have ended`;
      const goesOn = '`audit-activity erasures` says when they have ended';
      return { json: begun, text: `${events} events are being erased again: ${goesOn}${rest}` };
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

interface Again {
  readonly tenant?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

type Lost = LogEpoch['lostErasures'][number];

/** For each tenant the oldest erasures that one erasure takes: a tenant has one at a time. */
function batchesOf(lost: readonly Lost[]): Lost[][] {
  const batches = new Map<string, { events: number; of: Lost[]; isFull: boolean }>();
  for (const one of lost) {
    const batch = batches.get(one.tenantId) ?? { events: 0, of: [], isFull: false };
    batches.set(one.tenantId, batch);
    batch.isFull ||=
      batch.events + one.present > LIMITS.erasureEventsMax || batch.of.length >= LIMITS.erasuresMax;
    if (batch.isFull) continue;
    batch.events += one.present;
    batch.of.push(one);
  }
  return [...batches.values()].map(({ of }) => of);
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
