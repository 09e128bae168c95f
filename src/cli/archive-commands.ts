import type { Command } from 'commander';
import { isoTime, type OnService, wholeNumber } from './service-command';
import { toTable } from './table';

/** `archive status`, `archive run`, `archive restore`. */
export function addArchiveCommands(archive: Command, onService: OnService): void {
  onService(
    archive
      .command('status')
      .description(
        'lists the weeks whose events lie in files, newest first, and those that could not be put there',
      )
      .option('--tenant <id>', 'of this tenant (default: of every tenant)')
      .option('--limit <n>', 'at most so many weeks', wholeNumber),
    async (run, { tenant, limit }: { tenant?: string; limit?: number }) => {
      const of = { tenantId: tenant ?? null, first: limit };
      const unsealed = await run('unsealedWeeks', of);
      const weeks = await run('sealedWeeks', of);
      const problems = unsealed.length === 0 ? '' : `\n\nnot in files yet:\n${toTable(unsealed)}`;
      return {
        json: [...weeks, ...unsealed],
        text: (weeks.length === 0 ? 'no week lies in a file' : toTable(weeks)) + problems,
      };
    },
  );
  const ofWeek = (name: string, description: string) =>
    archive
      .command(name)
      .description(description)
      .argument('<tenantId>', 'as `tenant list` shows it')
      .requiredOption('--week <time>', 'any time of the week, such as 2026-11-19T00:00:00Z', isoTime);
  onService(
    ofWeek('run', 'puts the events of a week into a file now'),
    async (run, { week }: { week: string }, tenantId) => {
      const done = await run('sealWeek', { tenantId, week });
      return { json: done, text: textOf(done) };
    },
  );
  onService(
    ofWeek('restore', 'brings the events of a week back into rows, and leaves them there'),
    async (run, { week }: { week: string }, tenantId) => {
      const done = await run('restoreWeek', { tenantId, week });
      return { json: done, text: textOf(done) };
    },
  );
}

const textOf = (done: {
  readonly week: string;
  readonly outcome: string;
  readonly events: number;
  readonly because?: string | null;
}) =>
  `week of ${done.week}: ${done.outcome}, ${done.events} events${done.because ? ` (${done.because})` : ''}`;
