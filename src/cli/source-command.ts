import type { Command } from 'commander';
import type { AuditSource } from '../generated/operations';
import type { OfTenant } from './only-tenant';
import { columnsOf } from './operations';
import type { OnService, Options } from './service-command';
import { toTable } from './table';

const WITH_GAPS = columnsOf(
  'AuditSource',
  ...(['tenantId', 'hostName', 'databaseName', 'lag', 'waitingBytes', 'gapCount', 'problem'] as const),
  ...(['publishedCount', 'lastEventTime', 'lastReceived', 'lastReported'] as const),
);
/** Gaps are only for programs, because a table has no room for them. */
const COLUMNS = WITH_GAPS.filter((name) => name !== 'gaps');

/** `sources`. */
export function addSourceCommand(program: Command, onService: OnService): void {
  onService(
    program
      .command('sources')
      .description('lists the sources that agents report; with --json also the newest gaps of each')
      .option('--tenant <id>', 'of this tenant only'),
    async (run, { tenant, json }: OfTenant & Options) => {
      const sources = await run('auditSources', { tenantId: tenant ?? null }, json ? WITH_GAPS : COLUMNS);
      return { json: sources, text: toTable(sources.map(toRow)) };
    },
  );
}

/** A row of the table. The columns that identify a source come first, followed by its lag in whole seconds. */
const toRow = ({ lag, ...source }: Omit<AuditSource, 'gaps'>) => {
  const { tenantId, hostName, databaseName, ...rest } = source;
  return { tenantId, hostName, databaseName, lag: lag === null ? 'never' : `${Math.round(lag)} s`, ...rest };
};
