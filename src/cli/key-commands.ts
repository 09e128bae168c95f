import type { Command } from 'commander';
import { SCOPE_NAMES } from '../caller/scopes';
import type { CreatedKeyType } from '../generated/operations';
import { LIMITS } from '../limits';
import type { Run } from './operations';
import { CommandError } from './service-client';
import { gather, isoTime, type OnService, type Options, wholeNumber } from './service-command';
import { toTable } from './table';

/** The answer when a key is made. Only this answer contains the key itself. */
type CreatedKey = Pick<CreatedKeyType, 'keyId' | 'key'>;

export interface KeyPorts {
  readonly print: (line: string) => void;
  /** Makes an operator key directly in the database. */
  readonly recoverOperatorKey: () => Promise<CreatedKey>;
}

/** `key create`, `key list`, `key rotate`, `key revoke`, `agent-key create`, `agent-key rotate`, `operator-key create`, `operator-key recover`. */
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
      const keys = await run('apiKeys', {});
      return { json: keys, text: toTable(keys) };
    },
  );
  onService(
    key
      .command('rotate')
      .description('makes a key that may do the same, and ends the old one after an overlap')
      .argument('<keyId>', 'as `key list` shows it')
      .option(
        '--overlap-minutes <n>',
        `minutes for which the old key also works (default: ${LIMITS.keyOverlapMinutesDefault})`,
        wholeNumber,
      )
      .option(
        '--expires-at <time>',
        'when the new key expires (default: after the lifetime that the old one was made with)',
        isoTime,
      ),
    rotateKey,
  );
  onService(
    key.command('revoke').description('revokes a key').argument('<keyId>', 'as `key list` shows it'),
    async (run, _options, keyId) => {
      const revoked = await run('revokeApiKey', { keyId }, ['keyId', 'revokedAt']);
      return { json: revoked, text: `key ${revoked.keyId} is revoked since ${revoked.revokedAt}` };
    },
  );
  const agentKey = program.command('agent-key').description('keys of agents');
  onService(
    withLimits(agentKey.command('create'))
      .description('makes a key for an agent')
      .requiredOption('--tenant <id>', 'the tenant of its events'),
    createAgentKey,
  );
  onService(
    agentKey
      .command('rotate')
      .description('asks agents for another key each, and shows which have not followed')
      .requiredOption('--all', 'every agent that fetched its key with a token')
      .option('--tenant <id>', 'agents of one tenant')
      .option('--status', 'asks nobody, and only shows'),
    rotateAgentKeys,
  );
  const enrollToken = program
    .command('enroll-token')
    .description('tokens with which agents fetch keys of their own');
  onService(
    withLimits(enrollToken.command('create'))
      .description('makes a token, with which each of a number of agents fetches a key of its own')
      .requiredOption('--tenant <id>', 'the tenant of their events')
      .requiredOption('--uses <n>', 'number of agents', wholeNumber)
      .option(
        '--key-days <n>',
        'days for which the key of each agent is valid (default: for ever)',
        wholeNumber,
      ),
    createEnrollToken,
  );
  onService(
    enrollToken.command('list').description('lists the tokens, never the tokens themselves'),
    async (run) => {
      const tokens = (await run('apiKeys', {})).filter(({ kind }) => kind === 'enroll');
      return { json: tokens, text: toTable(tokens) };
    },
  );
  onService(
    enrollToken
      .command('revoke')
      .description('ends a token; the keys that it made stay')
      .argument('<keyId>', 'as `enroll-token list` shows it'),
    async (run, _options, keyId) => {
      const revoked = await run('revokeApiKey', { keyId }, ['keyId', 'revokedAt']);
      return { json: revoked, text: `token ${revoked.keyId} is revoked since ${revoked.revokedAt}` };
    },
  );
  const operatorKey = program.command('operator-key').description('keys of operators');
  onService(
    withLimits(operatorKey.command('create')).description(
      'makes another operator key, so that one can be revoked',
    ),
    createOperatorKey,
  );
  operatorKey
    .command('recover')
    .description(
      'makes an operator key when all are lost, with the login that owns the tables (MIGRATION_DATABASE_URL, else DATABASE_URL, else DATA_DIR)',
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

interface Limits {
  readonly name: string;
  readonly expiresAt?: string;
  readonly allowAddress: readonly string[];
}

const limitsOf = ({ name, expiresAt, allowAddress }: Limits) => ({
  name,
  expiresAt: expiresAt ?? null,
  allowedAddresses: allowAddress,
});

interface NewKey extends Limits {
  readonly tenant: readonly string[];
  readonly scope: readonly string[];
  readonly rateLimit?: number;
}

const createKey = async (run: Run, options: NewKey) =>
  createdKey(
    await run('createApiKey', {
      ...limitsOf(options),
      tenantIds: options.tenant,
      scopes: options.scope,
      rateLimitPerMinute: options.rateLimit ?? null,
    }),
  );

const createAgentKey = async (run: Run, options: Limits & { readonly tenant: string }) =>
  createdKey(await run('createAgentKey', { ...limitsOf(options), tenantId: options.tenant }));

interface NewToken extends Limits {
  readonly tenant: string;
  readonly uses: number;
  readonly keyDays?: number;
}

async function createEnrollToken(run: Run, { tenant, uses, keyDays, ...options }: NewToken) {
  const { expiresAt, ...limits } = limitsOf(options);
  if (expiresAt === null) throw new CommandError('Give --expires-at: a token must end.', 'usage');
  const asked = { ...limits, expiresAt, tenantId: tenant, uses, keyDays: keyDays ?? null };
  return createdKey(await run('createEnrollToken', asked));
}

const createOperatorKey = async (run: Run, options: Limits) =>
  createdKey(await run('createOperatorKey', limitsOf(options)));

interface Rotation {
  readonly overlapMinutes?: number;
  readonly expiresAt?: string;
}

async function rotateKey(run: Run, { overlapMinutes, expiresAt }: Rotation, keyId: string) {
  const rotated = await run('rotateApiKey', {
    keyId,
    overlapMinutes: overlapMinutes ?? LIMITS.keyOverlapMinutesDefault,
    expiresAt: expiresAt ?? null,
  });
  const { replaces, overlapEndsAt } = rotated;
  const { text } = createdKey(rotated);
  return { json: rotated, text: `${text}\nThe old key ${replaces} works until ${overlapEndsAt}.` };
}

interface AgentRotation {
  readonly tenant?: string;
  readonly status?: boolean;
}

/** Keys of interest come first: those that somebody has to act on. */
const RENEWALS = ['two-hosts', 'ended', 'by-hand', 'waiting', 'followed', 'current'];

async function rotateAgentKeys(run: Run, { tenant, status }: AgentRotation) {
  const { asked } = status ? { asked: 0 } : await run('renewAgentKeys', { tenantId: tenant ?? null });
  const keys = (await run('apiKeys', {}))
    .filter(
      ({ renewal, tenantIds }) => RENEWALS.includes(renewal ?? '') && (!tenant || tenantIds.includes(tenant)),
    )
    .sort((a, b) => RENEWALS.indexOf(a.renewal ?? '') - RENEWALS.indexOf(b.renewal ?? ''))
    .map(({ keyId, name, tenantIds, renewal, renewAskedAt, expiresAt, lastUsedAt }) => ({
      keyId,
      name,
      tenantIds,
      renewal,
      renewAskedAt,
      expiresAt,
      lastUsedAt,
    }));
  const waiting = keys.filter(({ renewal }) => renewal === 'waiting');
  const said = `${status ? '' : `asked ${asked} agents; `}${waiting.length} have not followed yet`;
  return { json: { asked, waiting: waiting.length, keys }, text: `${said}\n${toTable(keys)}` };
}

const createdKey = ({ keyId, key }: CreatedKey) => ({
  json: { keyId, key },
  text: `key ${keyId}\n${key}\nThis is the only time the key is shown.`,
});
