import type { Command } from 'commander';
import { msOfTime } from '../event/event-time';
import type { AuditSource } from '../generated/operations';
import { type OfTenant, tenantOf } from './only-tenant';
import { columnsOf } from './operations';
import { assertConfirmed, isoTime, type OnService, type Options } from './service-command';
import { toTable } from './table';

const WITH_GAPS = columnsOf(
  'AuditSource',
  ...(['tenantId', 'hostName', 'databaseName', 'lag', 'waitingBytes', 'gapCount', 'problem'] as const),
  ...(['publishedCount', 'lastEventTime', 'lastReceived', 'lastReported', 'agentVersion'] as const),
  ...(['agentGroup', 'wantedVersion', 'runningVersion', 'refusedSettings', 'followsSettings'] as const),
  ...(['wantedPackage', 'packageState', 'packageReason'] as const),
);
/** Some are only for programs, because a table has no room for them. */
const COLUMNS = WITH_GAPS.filter((name) => name !== 'gaps' && name !== 'running');

/** `sources`, `source retire` and `remove-sources`. */
export function addSourceCommand(program: Command, onService: OnService): void {
  onService(
    program
      .command('sources')
      .description('lists the sources that agents report; with --json also the newest gaps of each')
      .option('--tenant <id>', 'of this tenant only')
      .option('--not-following', 'only those whose agents do not run the settings of their group'),
    async (run, { tenant, notFollowing, json }: Choice & Options) => {
      const all = await run('auditSources', { tenantId: tenant ?? null }, json ? WITH_GAPS : COLUMNS);
      const sources = all.filter(({ followsSettings }) => !(notFollowing && followsSettings));
      return { json: sources, text: toTable(sources.map(toRow)) };
    },
  );
  onService(
    program
      .command('source')
      .description('sources')
      .command('retire')
      .description('retires the sources of a server that is gone; a report of its agent brings a source back')
      .requiredOption('--host <name>', 'of this host')
      .option('--database <name>', 'this source of the host only')
      .requiredOption('--reason <text>', 'why nobody will report it any more')
      .option('--tenant <id>', 'of this tenant (default: the only one)'),
    async (run, { host, database, reason, ...of }: Retirement) => {
      const asked = {
        tenantId: await tenantOf(run, of),
        hostName: host,
        databaseName: database ?? null,
        reason,
      };
      const retired = await run('retireAuditSource', asked);
      return { json: retired, text: `${retired.sources} sources of ${host} are retired` };
    },
  );
  onService(
    program
      .command('remove-sources')
      .description('removes sources that nobody reports any more, so that the tenant has room for others')
      .requiredOption('--reported-before <time>', 'whose last report came before this time', isoTime)
      .option('--tenant <id>', 'of this tenant (default: the only one)')
      .option('--host <name>', 'of this host only')
      .option('--with-gaps', 'also those that have gaps in the audit trail, with these gaps')
      .option('--yes', 'does not ask before they are removed'),
    async (run, options: Removal, _, operator) => {
      const { host, reportedBefore, withGaps = false, yes } = options;
      const tenantId = await tenantOf(run, options);
      const known = await run('auditSources', { tenantId, hostName: host ?? null }, COLUMNS);
      const beforeMs = msOfTime(reportedBefore);
      const old = known.filter(
        ({ lastReported, gapCount }) => Date.parse(lastReported) < beforeMs && (withGaps || gapCount === 0),
      );
      if (old.length > 0 && yes !== true)
        await assertConfirmed(`${old.length} sources of tenant ${tenantId} are removed.`, operator);
      const asked = { tenantId, reportedBefore, hostName: host ?? null, withGaps };
      const all = { ...(await run('removeAuditSources', asked)) };
      // Each call removes a bounded number of gaps.
      for (let left = all.kept, before = left + 1; withGaps && left > 0 && left < before; ) {
        const { sources, gaps, kept } = await run('removeAuditSources', asked);
        [before, left] = [left, kept];
        all.sources += sources;
        all.gaps += gaps;
        all.kept = kept;
      }
      const stay = all.kept === 0 ? '' : `; ${all.kept} stay, because they have gaps (--with-gaps)`;
      return { json: all, text: `${all.sources} sources and ${all.gaps} gaps are removed${stay}` };
    },
  );
}

interface Choice extends OfTenant {
  readonly notFollowing?: true;
}

interface Retirement extends OfTenant {
  readonly host: string;
  readonly database?: string;
  readonly reason: string;
}

interface Removal extends OfTenant {
  readonly reportedBefore: string;
  readonly host?: string;
  readonly withGaps?: true;
  readonly yes?: true;
}

/** A row of the table. The columns that identify a source come first, followed by its lag in whole seconds. */
const toRow = ({ lag, ...source }: Omit<AuditSource, 'gaps' | 'running'>) => {
  const { tenantId, hostName, databaseName, ...rest } = source;
  return { tenantId, hostName, databaseName, lag: lag === null ? 'never' : `${Math.round(lag)} s`, ...rest };
};
