import { Command, InvalidArgumentError } from 'commander';
import { SCOPE_NAMES } from '../api-key/scopes';
import { DEFAULT_URL, resolveConnection, runOperation } from './service-client';
import { toTable } from './table';

export interface CommandPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  /** Applies the migrations that are missing; returns their names. */
  readonly migrate: () => Promise<readonly string[]>;
}

type Options = Readonly<Record<string, unknown>> & { url?: string; operatorKey?: string; json?: boolean };

/** The command line of operators. All but `migrate` talk to a running service through GraphQL. */
export function createProgram(ports: CommandPorts): Command {
  const program = new Command('audit-activity').description('Operates an Audit Activity service.');
  const { print } = ports;

  program
    .command('migrate')
    .description('applies the database migrations that are missing (DATABASE_URL, or DATA_DIR)')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const applied = await ports.migrate();
      if (options.json) print(JSON.stringify({ applied }));
      else print(applied.length > 0 ? `applied: ${applied.join(', ')}` : 'nothing to apply');
    });

  const tenant = program.command('tenant').description('tenants');
  onService(
    tenant.command('create').description('makes a tenant').requiredOption('--name <name>', 'its name'),
    async (run, options) => {
      const { createTenant } = await run<{ createTenant: { tenantId: string } }>(
        'mutation($name: String!) { createTenant(name: $name) { tenantId } }',
        { name: options.name },
      );
      return { json: createTenant, text: `tenant ${createTenant.tenantId}` };
    },
  );
  onService(tenant.command('list').description('lists the tenants'), async (run) => {
    const { tenants } = await run<{ tenants: Row[] }>('{ tenants { tenantId name createdAt } }');
    return { json: tenants, text: toTable(tenants) };
  });

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

  /** A command that runs on a service: its options, and its answer as JSON or text. */
  function onService(command: Command, handler: Handler): void {
    command
      .option('--url <url>', `the service (default: AUDIT_ACTIVITY_URL, else ${DEFAULT_URL})`)
      .option(
        '--operator-key <key>',
        'default: AUDIT_ACTIVITY_OPERATOR_KEY, else the file operator.key in DATA_DIR (.data)',
      )
      .option('--json', 'print JSON')
      .action(async (...args: unknown[]) => {
        const options = command.opts<Options>();
        const connection = await resolveConnection(options, ports.env);
        const run: Run = (query, variables) => runOperation(connection, query, variables);
        const answer = await handler(run, options, typeof args[0] === 'string' ? args[0] : '');
        print(options.json ? JSON.stringify(answer.json) : answer.text);
      });
  }
}

type Row = Readonly<Record<string, unknown>>;
type Run = <T>(query: string, variables?: Readonly<Record<string, unknown>>) => Promise<T>;
type Handler = (run: Run, options: Options, argument: string) => Promise<{ json: unknown; text: string }>;

interface CreatedKey {
  readonly keyId: string;
  readonly key: string;
}

const createdKey = ({ keyId, key }: CreatedKey) => ({
  json: { keyId, key },
  text: `key ${keyId}\n${key}\nThis is the only time the key is shown.`,
});

const gather = (value: string, before: readonly string[]) => [...before, value];

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}
