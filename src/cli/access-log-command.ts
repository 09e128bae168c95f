import type { Command } from 'commander';
import type { AccessLogEntry, AccessLogPage } from '../generated/operations';
import { columnsOf } from './operations';
import { isoTime, type OnService, wholeNumber } from './service-command';
import { inOrder, toTable } from './table';

const LIMIT_DEFAULT = 50;
const COLUMNS = columnsOf(
  'AccessLogEntry',
  ...(['at', 'operation', 'outcome', 'rows', 'keyName', 'userName', 'principalKind', 'tenantIds'] as const),
  ...(['parameters', 'subject', 'entrance', 'address', 'keyId', 'requestId'] as const),
);

interface Wanted {
  readonly tenant?: string;
  readonly key?: string;
  readonly operation?: string;
  readonly outcome?: string;
  readonly search?: string;
  readonly since?: string;
  readonly limit?: number;
}

/** `access-log`. */
export function addAccessLogCommand(program: Command, onService: OnService): void {
  onService(
    program
      .command('access-log')
      .description('lists who read or changed what, newest first')
      .option('--tenant <id>', 'entries that concern this tenant')
      .option('--key <keyId>', 'calls with this key')
      .option('--operation <name>', 'as the list shows it, for example auditEvents or revokeApiKey')
      .option('--outcome <outcome>', 'ok, refused, or an error code')
      .option('--search <text>', 'a text in the parameters, for example a record id or the name of a table')
      .option('--since <time>', 'ISO 8601', isoTime)
      .option('--limit <n>', `entries (default: ${LIMIT_DEFAULT})`, wholeNumber),
    async (run, { tenant, key, operation, outcome, search, since, limit }: Wanted) => {
      const wanted = limit ?? LIMIT_DEFAULT;
      const entries: AccessLogEntry[] = [];
      let after: string | null = null;
      // A page of a search may be empty although a next one has entries.
      do {
        const page: AccessLogPage = await run('accessLog', {
          tenantId: tenant ?? null,
          keyId: key ?? null,
          operation: operation ?? null,
          after,
          outcome: outcome ?? null,
          search: search ?? null,
          from: since ?? null,
          first: wanted - entries.length,
        });
        entries.push(...page.entries.map(inOrder(COLUMNS)));
        after = page.hasNextPage ? page.endCursor : null;
      } while (search !== undefined && after !== null && entries.length < wanted);
      return { json: entries, text: toTable(entries) };
    },
  );
}
