import type { Command } from 'commander';
import type { Answer } from '../event/shape';
import { ACCESS_LOG_ENTRY } from '../modules/access-log/answers';
import { isoTime, type OnService, wholeNumber } from './service-command';
import { columnsOf, toTable } from './table';

type Entry = Answer<typeof ACCESS_LOG_ENTRY>;

const LIMIT_DEFAULT = 50;
const FIELDS = columnsOf(
  ACCESS_LOG_ENTRY,
  ...(['at', 'operation', 'outcome', 'rows', 'keyName', 'userName', 'principalKind', 'tenantIds'] as const),
  ...(['parameters', 'subject', 'entrance', 'address', 'keyId', 'requestId'] as const),
);

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
      .option('--since <time>', 'ISO 8601', isoTime)
      .option('--limit <n>', `entries (default: ${LIMIT_DEFAULT})`, wholeNumber),
    async (run, { tenant, key, operation, outcome, since, limit }) => {
      const { accessLog } = await run<{ accessLog: { entries: Entry[] } }>(
        `query($tenantId: String, $keyId: String, $operation: String, $outcome: String, $from: String, $first: Int!) {
          accessLog(tenantId: $tenantId, keyId: $keyId, operation: $operation, outcome: $outcome, from: $from,
            first: $first) {
            entries { ${FIELDS} } } }`,
        {
          tenantId: tenant ?? null,
          keyId: key ?? null,
          operation: operation ?? null,
          outcome: outcome ?? null,
          from: since ?? null,
          first: limit ?? LIMIT_DEFAULT,
        },
      );
      return { json: accessLog.entries, text: toTable(accessLog.entries) };
    },
  );
}
