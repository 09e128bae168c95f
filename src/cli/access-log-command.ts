import type { Command } from 'commander';
import type { Answer } from '../event/shape';
import { ACCESS_LOG_ENTRY, type ACCESS_LOG_PAGE } from '../modules/access-log/answers';
import { isoTime, type OnService, wholeNumber } from './service-command';
import { columnsOf, toTable } from './table';

type Entry = Answer<typeof ACCESS_LOG_ENTRY>;

const LIMIT_DEFAULT = 50;
const FIELDS = columnsOf(
  ACCESS_LOG_ENTRY,
  ...(['at', 'operation', 'outcome', 'rows', 'keyName', 'userName', 'principalKind', 'tenantIds'] as const),
  ...(['parameters', 'subject', 'entrance', 'address', 'keyId', 'requestId'] as const),
);

type Page = Pick<Answer<typeof ACCESS_LOG_PAGE>, 'entries' | 'endCursor' | 'hasNextPage'>;
const QUERY = `query($tenantId: String, $keyId: String, $operation: String, $outcome: String, $search: String,
    $from: String, $after: String, $first: Int!) {
  accessLog(tenantId: $tenantId, keyId: $keyId, operation: $operation, outcome: $outcome, search: $search,
    from: $from, after: $after, first: $first) { entries { ${FIELDS} } endCursor hasNextPage } }`;

/** `access-log`. */
export function addAccessLogCommand(program: Command, onService: OnService): void {
  onService(
    program
      .command('access-log')
      .description('lists who read or changed what, newest first')
      .option('--tenant <id>', 'what concerns this tenant')
      .option('--key <keyId>', 'what was done with this key')
      .option('--operation <name>', 'as the list shows it, for example auditEvents or revokeApiKey')
      .option('--outcome <outcome>', 'ok, refused, or an error code')
      .option('--search <text>', 'a text in the parameters, for example a record id or the name of a table')
      .option('--since <time>', 'ISO 8601', isoTime)
      .option('--limit <n>', `entries (default: ${LIMIT_DEFAULT})`, wholeNumber),
    async (run, { tenant, key, operation, outcome, search, since, limit }) => {
      const wanted = Number(limit ?? LIMIT_DEFAULT);
      const entries: Entry[] = [];
      let after: string | null = null;
      // A page of a search may be empty although a next one has entries.
      do {
        const page: Page = (
          await run<{ accessLog: Page }>(QUERY, {
            tenantId: tenant ?? null,
            keyId: key ?? null,
            operation: operation ?? null,
            after,
            outcome: outcome ?? null,
            search: search ?? null,
            from: since ?? null,
            first: wanted - entries.length,
          })
        ).accessLog;
        entries.push(...page.entries);
        after = page.hasNextPage ? page.endCursor : null;
      } while (search !== undefined && after !== null && entries.length < wanted);
      return { json: entries, text: toTable(entries) };
    },
  );
}
