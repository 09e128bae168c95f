import type { Command } from 'commander';
import { SCOPE_NAMES } from '../caller/scopes';
import type { Answer } from '../event/shape';
import { LIMITS } from '../limits';
import { API_KEY, CREATED_KEY, ROTATED_KEY } from '../modules/keys/answers';
import { gather, isoTime, type OnService, type Options, type Run, wholeNumber } from './service-command';
import { columnsOf, toTable } from './table';

/** The answer when a key is made. Only this answer contains the key itself. */
type CreatedKey = Answer<typeof CREATED_KEY>;

const CREATED = columnsOf(CREATED_KEY);

export interface KeyPorts {
  readonly print: (line: string) => void;
  /** Makes an operator key directly in the database. */
  readonly recoverOperatorKey: () => Promise<CreatedKey>;
}

/** `key create`, `key list`, `key rotate`, `key revoke`, `agent-key create`, `operator-key create`, `operator-key recover`. */
export function addKeyCommands(program: Command, onService: OnService, ports: KeyPorts): void {
  const key = program
    .command('key')
    .description('keys of the public API; list, rotate and revoke take keys of any kind');
  onService(
    withLimits(key.command('create'))
      .description('makes a key; without scope it is valid and permits nothing')
      .requiredOption('--tenant <id>', 'a tenant the key may read (repeatable)', gather)
      .option('--scope <scope>', `a scope: ${SCOPE_NAMES.join(', ')} (repeatable)`, gather, [])
      .option('--rate-limit <n>', 'calls in any 60 seconds', wholeNumber),
    createKey,
  );
  onService(
    key.command('list').description('lists keys of every kind, never the keys themselves'),
    async (run) => {
      const { apiKeys } = await run<{ apiKeys: Answer<typeof API_KEY>[] }>(
        `{ apiKeys { ${columnsOf(API_KEY)} } }`,
      );
      return { json: apiKeys, text: toTable(apiKeys) };
    },
  );
  onService(
    key
      .command('rotate')
      .description('makes a key that may do the same, and ends the old one after an overlap')
      .argument('<keyId>', 'as `key list` shows it')
      .option(
        '--overlap-minutes <n>',
        `how long the old key works as well (default: ${LIMITS.keyOverlapMinutesDefault})`,
        wholeNumber,
      )
      .option(
        '--expires-at <time>',
        'when the new key ends (default: it lasts as long as the old one was to)',
        isoTime,
      ),
    rotateKey,
  );
  onService(
    key.command('revoke').description('revokes a key').argument('<keyId>', 'as `key list` shows it'),
    async (run, _options, keyId) => {
      const { revokeApiKey } = await run<{ revokeApiKey: { keyId: string; revokedAt: string } }>(
        'mutation($keyId: String!) { revokeApiKey(keyId: $keyId) { keyId revokedAt } }',
        { keyId },
      );
      const text = `key ${revokeApiKey.keyId} is revoked since ${revokeApiKey.revokedAt}`;
      return { json: revokeApiKey, text };
    },
  );
  onService(
    withLimits(program.command('agent-key').description('keys of agents').command('create'))
      .description('makes a key for an agent')
      .requiredOption('--tenant <id>', 'the tenant its events belong to'),
    createAgentKey,
  );
  const operatorKey = program.command('operator-key').description('keys of operators');
  onService(
    withLimits(operatorKey.command('create')).description(
      'makes a further operator key, so that another one can be revoked',
    ),
    createOperatorKey,
  );
  operatorKey
    .command('recover')
    .description(
      'makes an operator key where all are lost, with the login that owns the tables (MIGRATION_DATABASE_URL, else DATABASE_URL, else DATA_DIR)',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: Options) => {
      const made = createdKey(await ports.recoverOperatorKey());
      ports.print(json ? JSON.stringify(made.json) : made.text);
    });
}

const withLimits = (command: Command) =>
  command
    .requiredOption('--name <name>', 'what the key is for')
    .option('--expires-at <time>', 'ISO 8601 time after which the key is refused', isoTime)
    .option(
      '--allow-address <network>',
      'an address or network (CIDR) it may be used from (repeatable)',
      gather,
      [],
    );

async function createKey(run: Run, options: Options) {
  const { createApiKey } = await run<{ createApiKey: CreatedKey }>(
    `mutation($name: String!, $tenantIds: [String!]!, $scopes: [String!]!, $expiresAt: String, $rateLimit: Int,
      $allowed: [String!]!) { createApiKey(name: $name, tenantIds: $tenantIds, scopes: $scopes, expiresAt: $expiresAt,
      rateLimitPerMinute: $rateLimit, allowedAddresses: $allowed) { ${CREATED} } }`,
    {
      ...limitsOf(options),
      tenantIds: options.tenant,
      scopes: options.scope,
      rateLimit: options.rateLimit ?? null,
    },
  );
  return createdKey(createApiKey);
}

async function createAgentKey(run: Run, options: Options) {
  const made = await run<{ createAgentKey: CreatedKey }>(
    `mutation($name: String!, $tenantId: String!, $expiresAt: String, $allowed: [String!]!) { createAgentKey(
      name: $name, tenantId: $tenantId, expiresAt: $expiresAt, allowedAddresses: $allowed) { ${CREATED} } }`,
    { ...limitsOf(options), tenantId: options.tenant },
  );
  return createdKey(made.createAgentKey);
}

async function createOperatorKey(run: Run, options: Options) {
  const made = await run<{ createOperatorKey: CreatedKey }>(
    `mutation($name: String!, $expiresAt: String, $allowed: [String!]!) { createOperatorKey(
      name: $name, expiresAt: $expiresAt, allowedAddresses: $allowed) { ${CREATED} } }`,
    limitsOf(options),
  );
  return createdKey(made.createOperatorKey);
}

async function rotateKey(run: Run, { overlapMinutes, expiresAt }: Options, keyId: string) {
  const { rotateApiKey } = await run<{ rotateApiKey: Answer<typeof ROTATED_KEY> }>(
    `mutation($keyId: String!, $overlap: Int!, $expiresAt: String) {
      rotateApiKey(keyId: $keyId, overlapMinutes: $overlap, expiresAt: $expiresAt) {
        ${columnsOf(ROTATED_KEY)} } }`,
    { keyId, overlap: overlapMinutes ?? LIMITS.keyOverlapMinutesDefault, expiresAt: expiresAt ?? null },
  );
  const { replaces, overlapEndsAt } = rotateApiKey;
  const { text } = createdKey(rotateApiKey);
  return { json: rotateApiKey, text: `${text}\nThe old key ${replaces} works until ${overlapEndsAt}.` };
}

const limitsOf = (options: Options) => ({
  name: options.name,
  expiresAt: options.expiresAt ?? null,
  allowed: options.allowAddress,
});

const createdKey = ({ keyId, key }: CreatedKey) => ({
  json: { keyId, key },
  text: `key ${keyId}\n${key}\nThis is the only time the key is shown.`,
});
