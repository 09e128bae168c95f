import type { Command } from 'commander';
import { isoTime, type OnService } from './service-command';
import { toTable } from './table';

/** `explain`. */
export function addExplainCommand(program: Command, onService: OnService): void {
  onService(
    program
      .command('explain')
      .description('shows what questions with a filter would read: counts, words, columns or events, and why')
      .argument('<filter>', 'as the parameter `filter` of the API has it; * for every event')
      .requiredOption('--tenant <id>', 'of this tenant')
      .option('--from <time>', 'of events from this time on', isoTime)
      .option('--to <time>', 'of events before this time', isoTime)
      .option('--search <words>', 'of events that hold these words'),
    async (run, { tenant, from, to, search }: Question, filter) => {
      const plans = await run('explainFilter', {
        tenantId: tenant,
        filter: filter === '*' ? null : filter,
        search: search ?? null,
        startTime: from ?? null,
        endTime: to ?? null,
      });
      return { json: plans, text: toTable(plans) };
    },
  );
}

interface Question {
  readonly tenant: string;
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
}
