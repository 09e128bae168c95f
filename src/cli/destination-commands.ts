import type { Command } from 'commander';
import type { Destination } from '../generated/operations';
import { LIMITS } from '../limits';
import { addOptions, type GivenOptions, SETTINGS, TYPE_NAMES, valuesOf } from './destination-options';
import { destinationSecrets, withSecrets } from './destination-secrets';
import type { OfTenant } from './only-tenant';
import type { Run } from './operations';
import { CommandError } from './service-client';
import { gather, type OnService, type Operator, once, wholeNumber } from './service-command';
import { toTable } from './table';

const ID = 'as `destination list` shows it';

/** `destination create`, `update`, `list`, `test`, `pause`, `resume`, `replay`, `rotate-secret`, `remove`, `set-aside`. */
export function addDestinationCommands(destination: Command, onService: OnService): void {
  onService(withSecrets(withSettings(destination.command('create'))), create);
  onService(withSecrets(withChanges(destination.command('update'))), update);
  onService(
    destination
      .command('list')
      .description('lists destinations, never their secrets')
      .option('--tenant <id>', 'of one tenant'),
    async (run, { tenant }: OfTenant) => {
      const destinations = await run('destinations', { tenantId: tenant ?? null });
      return { json: destinations, text: toTable(destinations.map(({ settings: _, ...shown }) => shown)) };
    },
  );
  onService(
    destination
      .command('test')
      .description('sends one event now, which is marked as a test')
      .argument('<destinationId>', ID),
    async (run, _options, destinationId) => {
      const tested = await run('testDestination', { destinationId });
      if (!tested.accepted)
        throw new CommandError(`the test was not accepted: ${tested.message}`, 'not_accepted');
      return { json: tested, text: 'the test was accepted' };
    },
  );
  for (const [name, field, description] of CHANGES)
    onService(
      destination.command(name).description(description).argument('<destinationId>', ID),
      async (run, _options, destinationId) => {
        const one = await run(field, { destinationId });
        return {
          json: one,
          text: name === 'remove' ? `destination ${one.destinationId} is removed` : textOf(one),
        };
      },
    );
  onService(
    destination
      .command('replay')
      .description('continues delivery from another position of the log')
      .argument('<destinationId>', ID)
      .option('--position <n>', 'the first position to be sent')
      .option('--from <time>', 'beginning, now or an ISO 8601 time of arrival'),
    async (run, { position, from }: { position?: string; from?: string }, destinationId) => {
      const given = { destinationId, position: position ?? null, from: from ?? null };
      const replayed = await run('replayDestination', given);
      return { json: replayed, text: textOf(replayed) };
    },
  );
  onService(
    withSecrets(destination.command('rotate-secret'))
      .description('makes a new secret for a webhook, or takes new secrets for another type')
      .argument('<destinationId>', ID)
      .option(
        '--overlap-minutes <n>',
        `minutes for which messages also carry the old signature (default: ${LIMITS.keyOverlapMinutesDefault})`,
        wholeNumber,
      ),
    rotate,
  );
  onService(
    destination
      .command('set-aside')
      .description('lists events that the receiver refused while it accepted others of the same message')
      .argument('<destinationId>', ID),
    async (run, _options, destinationId) => {
      const events = await run('destinationSetAside', { destinationId });
      return { json: events, text: toTable(events) };
    },
  );
}

const CHANGES = [
  ['pause', 'pauseDestination', 'stops delivery; the position in the log is kept'],
  ['resume', 'resumeDestination', 'resumes delivery at its position; retries now'],
  ['remove', 'removeDestination', 'removes a destination for good'],
] as const;

const withSettings = (command: Command) =>
  addOptions(
    command
      .description('makes a destination, to which events of a tenant are sent as they arrive')
      .requiredOption('--name <name>', 'what it is for')
      .requiredOption('--tenant <id>', 'the tenant whose events are sent')
      .requiredOption('--type <type>', inWords(TYPE_NAMES))
      .requiredOption(
        '--url <url>',
        'of the receiver: https://…; tls://host:port (syslog); relp+tls://host:port',
        once,
      )
      .option('--from <time>', 'beginning, now (default) or an ISO 8601 time of arrival')
      .option('--filter <filter>', 'which events (default: all)')
      .option('--format <format>', 'native (default), ocsf, ecs or cef'),
    SETTINGS,
  );

const withChanges = (command: Command) =>
  addOptions(
    command
      .description('changes a destination; what is not given stays, and so does its position in the log')
      .argument('<destinationId>', ID)
      .option('--name <name>', 'what it is for')
      .option('--url <url>', 'of the receiver; at another server, its secrets must be given again', once)
      .option('--filter <filter>', 'which events; with an empty text: all')
      .option('--format <format>', 'native, ocsf, ecs or cef')
      .option(
        '--reset <option>',
        'an option below that is as if it had never been given (repeatable)',
        gather,
        [],
      ),
    SETTINGS,
  );

interface Changes extends GivenOptions {
  readonly name?: string;
  readonly url?: string;
  readonly filter?: string;
  readonly format?: string;
  readonly reset: readonly string[];
}

async function update(run: Run, options: Changes, destinationId: string, operator: Operator) {
  const secrets = await destinationSecrets(options, () => typeOf(run, destinationId), operator);
  const settings = { ...(await valuesOf(options, SETTINGS)), ...resetOf(options.reset) };
  const updated = await run('updateDestination', {
    destinationId,
    name: options.name ?? null,
    url: options.url ?? null,
    filter: options.filter ?? null,
    format: options.format ?? null,
    settings: Object.keys(settings).length > 0 ? settings : null,
    secrets: Object.keys(secrets).length > 0 ? secrets : null,
  });
  return { json: updated, text: textOf(updated) };
}

/** @param options as `--omit-empty` or `omit-empty` */
function resetOf(options: readonly string[]): Record<string, null> {
  const names = Object.entries(SETTINGS).map(([name, [flags]]) => [flags.split(' ')[0], name] as const);
  const wanted = options.map((option) => {
    const found = names.find(([flag]) => flag === `--${option.replace(/^--/, '')}`);
    if (!found)
      throw new CommandError(`--reset ${option}: there is no such option of a destination.`, 'usage');
    return [found[1], null] as const;
  });
  return Object.fromEntries(wanted);
}

const inWords = (names: readonly string[]) => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

interface NewDestination extends GivenOptions {
  readonly tenant: string;
  readonly name: string;
  readonly type: string;
  readonly url: string;
  readonly from?: string;
  readonly filter?: string;
  readonly format?: string;
}

async function create(run: Run, options: NewDestination, _: string, operator: Operator) {
  const { destinationId, ...shown } = await run('createDestination', {
    tenantId: options.tenant,
    name: options.name,
    type: options.type,
    url: options.url,
    from: options.from ?? 'now',
    filter: options.filter ?? '',
    format: options.format ?? 'native',
    settings: await valuesOf(options, SETTINGS),
    secrets: await destinationSecrets(options, async () => options.type, operator),
  });
  return {
    json: { destinationId, ...stated(shown) },
    text: `destinationId ${destinationId}\n${secretText(shown)}`.trim(),
  };
}

type Rotation = GivenOptions & { readonly overlapMinutes?: number };

async function rotate(run: Run, options: Rotation, destinationId: string, operator: Operator) {
  const secrets = await destinationSecrets(options, () => typeOf(run, destinationId), operator);
  const rotated = await run('rotateDestinationSecret', {
    destinationId,
    overlapMinutes: options.overlapMinutes ?? LIMITS.keyOverlapMinutesDefault,
    secrets: Object.keys(secrets).length > 0 ? secrets : null,
  });
  const { overlapEndsAt, ...shown } = rotated;
  const until = overlapEndsAt === null ? '' : `\nThe old one signs as well until ${overlapEndsAt}.`;
  const text = `destination ${destinationId} has a new secret\n${secretText(shown)}${until}`;
  return { json: stated(rotated), text };
}

const secretText = ({ secret, publicKey }: { secret: string | null; publicKey: string | null }) =>
  secret !== null
    ? `secret ${secret}\nThis is the only time the secret is shown.`
    : publicKey !== null
      ? `public key ${publicKey}`
      : '';

const stated = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

async function typeOf(run: Run, destinationId: string): Promise<string> {
  const destinations = await run('destinations', {}, ['destinationId', 'type']);
  const found = destinations.find((one) => one.destinationId === destinationId.toLowerCase());
  if (!found) throw new CommandError('not_found: There is no such destination.', 'not_found');
  return found.type;
}

const textOf = ({ destinationId, state, position, lagEvents }: Destination) =>
  `destination ${destinationId}: ${state}, at position ${position}, ${lagEvents} behind`;
