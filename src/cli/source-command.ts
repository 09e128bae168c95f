import type { Command } from 'commander';
import type { OnService } from './service-command';
import { toTable } from './table';

interface Source {
  readonly lag: number | null;
  readonly [field: string]: unknown;
}

const FIELDS = `tenantId hostName databaseName lag waitingBytes gapCount problem publishedCount lastEventTime
  lastReceived lastReported agentVersion`;
/** For programs: a table has no room for them. */
const GAPS = 'gaps { gapId reason fileName fileGuid detail afterTime beforeTime detectedAt firstReported }';

/** `sources`. */
export function addSourceCommand(program: Command, onService: OnService): void {
  onService(
    program
      .command('sources')
      .description(
        'lists what the agents report of their databases; with --json also the newest gaps of each',
      )
      .option('--tenant <id>', 'of this tenant only'),
    async (run, { tenant, json }) => {
      const { auditSources } = await run<{ auditSources: Source[] }>(
        `query($tenantId: String) { auditSources(tenantId: $tenantId) { ${FIELDS} ${json ? GAPS : ''} } }`,
        { tenantId: tenant ?? null },
      );
      return { json: auditSources, text: toTable(auditSources.map(toRow)) };
    },
  );
}

/** The lag in whole seconds; how a source is found and what is wrong with it come first. */
const toRow = ({ lag, ...source }: Source) => {
  const { tenantId, hostName, databaseName, ...rest } = source;
  return { tenantId, hostName, databaseName, lag: lag === null ? 'never' : `${Math.round(lag)} s`, ...rest };
};
