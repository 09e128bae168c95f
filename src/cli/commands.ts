import { Command } from 'commander';
import { SCOPE_NAMES } from '../api-key/scopes';
import type { Distribution } from '../postgres/distribute/distribute';
import { type Options, serviceCommands, wholeNumber } from './service-command';
import { addSourceCommand } from './source-command';
import { toTable } from './table';
import { addTenantCommands } from './tenant-commands';

export interface CommandPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  /** Applies the migrations that are missing; returns their names. */
  readonly migrate: () => Promise<readonly string[]>;
  /** Spreads the tables over a cluster. @param shards null: as the cluster is set */
  readonly distribute: (shards: number | null) => Promise<Distribution>;
}

/** The command line of operators. All but `migrate` and `distribute` talk to a running service through GraphQL. */
export function createProgram(ports: CommandPorts): Command {
  const program = new Command('audit-activity').description('Operates an Audit Activity service.');
  const { print } = ports;
  const onService = serviceCommands(ports);

  program
    .command('migrate')
    .description('applies the database migrations that are missing (DATABASE_URL, or DATA_DIR)')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const applied = await ports.migrate();
      if (options.json) print(JSON.stringify({ applied }));
      else print(applied.length > 0 ? `applied: ${applied.join(', ')}` : 'nothing to apply');
    });

  program
    .command('distribute')
    .description('spreads the tables over a Citus cluster by tenant (DATABASE_URL: its coordinator)')
    .option('--shards <n>', 'shards of each table (default: as the cluster is set)', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (options: Options & { shards?: number }) => {
      const done = await ports.distribute(options.shards ?? null);
      if (options.json) print(JSON.stringify(done));
      else
        print(
          done.distributed.length > 0
            ? `distributed: ${done.distributed.join(', ')}`
            : 'nothing to distribute',
        );
    });

  addTenantCommands(program.command('tenant').description('tenants'), onService);

  addSourceCommand(program, onService);

  const key = program
    .command('key')
    .description('keys of the public API; list and revoke take keys of any kind');
  onService(
    key
      .command('create')
      .description('makes a key; without scope or tenant it is valid and permits nothing')
      .requiredOption('--name <name>', 'what the key is for')
      .option('--tenant <id>', 'a tenant the key may read (repeatable)', gather, [])
      .option('--scope <scope>', `a scope: ${SCOPE_NAMES.join(', ')} (repeatable)`, gather, [])
      .option('--expires-at <time>', 'ISO 8601 time after which the key is refused')
      .option('--rate-limit <n>', 'calls in any 60 seconds', wholeNumber),
    async (run, options) => {
      const { createApiKey } = await run<{ createApiKey: CreatedKey }>(
        `mutation($name: String!, $tenantIds: [String!]!, $scopes: [String!]!, $expiresAt: String, $rateLimit: Int) {
        createApiKey(name: $name, tenantIds: $tenantIds, scopes: $scopes, expiresAt: $expiresAt,
          rateLimitPerMinute: $rateLimit) { keyId key } }`,
        {
          name: options.name,
          tenantIds: options.tenant,
          scopes: options.scope,
          expiresAt: options.expiresAt ?? null,
          rateLimit: options.rateLimit ?? null,
        },
      );
      return createdKey(createApiKey);
    },
  );
  onService(
    key.command('list').description('lists keys of every kind, never the keys themselves'),
    async (run) => {
      const { apiKeys } = await run<{ apiKeys: Row[] }>(
        `{ apiKeys { keyId kind name prefix scopes tenantIds rateLimitPerMinute createdAt expiresAt revokedAt
         lastUsedAt } }`,
      );
      return { json: apiKeys, text: toTable(apiKeys) };
    },
  );
  onService(
    key.command('revoke').description('revokes a key').argument('<keyId>', 'as `key list` shows it'),
    async (run, _options, keyId) => {
      const { revokeApiKey } = await run<{ revokeApiKey: { keyId: string; revokedAt: string } }>(
        'mutation($keyId: String!) { revokeApiKey(keyId: $keyId) { keyId revokedAt } }',
        { keyId },
      );
      return {
        json: revokeApiKey,
        text: `key ${revokeApiKey.keyId} is revoked since ${revokeApiKey.revokedAt}`,
      };
    },
  );

  const agentKey = program.command('agent-key').description('keys of agents');
  onService(
    agentKey
      .command('create')
      .description('makes a key for an agent')
      .requiredOption('--name <name>', 'what the key is for')
      .requiredOption('--tenant <id>', 'the tenant its events belong to'),
    async (run, options) => {
      const { createAgentKey } = await run<{ createAgentKey: CreatedKey }>(
        'mutation($name: String!, $tenantId: String!) { createAgentKey(name: $name, tenantId: $tenantId) { keyId key } }',
        { name: options.name, tenantId: options.tenant },
      );
      return createdKey(createAgentKey);
    },
  );
  return program;
}

type Row = Readonly<Record<string, unknown>>;

interface CreatedKey {
  readonly keyId: string;
  readonly key: string;
}

const createdKey = ({ keyId, key }: CreatedKey) => ({
  json: { keyId, key },
  text: `key ${keyId}\n${key}\nThis is the only time the key is shown.`,
});

const gather = (value: string, before: readonly string[]) => [...before, value];
