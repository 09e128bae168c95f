import type { Command } from 'commander';
import { isoTime, type OnService, wholeNumber } from './service-command';
import { toTable } from './table';

type Entry = Readonly<Record<string, unknown>>;

const LIMIT_DEFAULT = 50;
const FIELDS = `at operation outcome rows keyName userName principalKind tenantIds parameters subject entrance address
  keyId requestId entryId`;

/** `access-log`. */
export function addAccessLogCommand(program: Command, onService: OnService): void {
  onService(
    program
      .command('access-log')
      .description('lists who read or changed what, newest first')
      .option('--tenant <id>', 'what concerns this tenant')
      .option('--key <keyId>', 'what was done with this key')
      .option('--operation <name>', 'as the list shows it, for example auditEvents or revokeApiKey')
      .option('--since <time>', 'ISO 8601', isoTime)
      .option('--limit <n>', `entries (default: ${LIMIT_DEFAULT})`, wholeNumber),
    async (run, { tenant, key, operation, since, limit }) => {
      const { accessLog } = await run<{ accessLog: { entries: Entry[] } }>(
        `query($tenantId: String, $keyId: String, $operation: String, $from: String, $first: Int!) {
          accessLog(tenantId: $tenantId, keyId: $keyId, operation: $operation, from: $from, first: $first) {
            entries { ${FIELDS} } } }`,
        {
          tenantId: tenant ?? null,
          keyId: key ?? null,
          operation: operation ?? null,
          from: since ?? null,
          first: limit ?? LIMIT_DEFAULT,
        },
      );
      return { json: accessLog.entries, text: toTable(accessLog.entries) };
    },
  );
}
