import type { Command } from 'commander';
import type { Answer } from '../event/shape';
import { AUDIT_PLAN } from '../modules/explore/answers';
import { isoTime, type OnService } from './service-command';
import { columnsOf, toTable } from './table';

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
    async (run, { tenant, from, to, search }, filter) => {
      const { explainFilter } = await run<{ explainFilter: Answer<typeof AUDIT_PLAN>[] }>(
        `query($tenantId: String!, $filter: String, $search: String, $startTime: String, $endTime: String) {
          explainFilter(tenantId: $tenantId, filter: $filter, search: $search, startTime: $startTime,
            endTime: $endTime) { ${columnsOf(AUDIT_PLAN)} } }`,
        {
          tenantId: tenant,
          filter: filter === '*' ? null : filter,
          search: search ?? null,
          startTime: from ?? null,
          endTime: to ?? null,
        },
      );
      return { json: explainFilter, text: toTable(explainFilter) };
    },
  );
}
