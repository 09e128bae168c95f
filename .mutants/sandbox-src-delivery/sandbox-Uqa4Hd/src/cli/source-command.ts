import type { Command } from 'commander';
import type { Answer } from '../event/shape';
import { AUDIT_GAP, AUDIT_SOURCE } from '../modules/sources/answers';
import type { OnService } from './service-command';
import { columnsOf, toTable } from './table';

type Source = Answer<typeof AUDIT_SOURCE>;

const FIELDS = columnsOf(
  AUDIT_SOURCE,
  ...(['tenantId', 'hostName', 'databaseName', 'lag', 'waitingBytes', 'gapCount', 'problem'] as const),
  ...(['publishedCount', 'lastEventTime', 'lastReceived', 'lastReported'] as const),
);
/** Only for programs, because a table has no room for gaps. */
const GAPS = `gaps { ${columnsOf(AUDIT_GAP)} }`;

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

/** A row of the table. The columns that identify a source come first, followed by its lag in whole seconds. */
const toRow = ({ lag, ...source }: Source) => {
  const { tenantId, hostName, databaseName, ...rest } = source;
  return { tenantId, hostName, databaseName, lag: lag === null ? 'never' : `${Math.round(lag)} s`, ...rest };
};
