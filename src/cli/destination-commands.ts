import type { Command } from 'commander';
import type { Answer } from '../event/shape';
import { LIMITS } from '../limits';
import {
  CREATED_DESTINATION,
  DESTINATION,
  DESTINATION_TEST,
  ROTATED_SECRET,
  SET_ASIDE_EVENT,
} from '../modules/destinations/answers';
import { destinationSecrets, fileOf, given, withSecrets } from './destination-secrets';
import { CommandError } from './service-client';
import { type OnService, type Operator, type Options, once, type Run, wholeNumber } from './service-command';
import { columnsOf, toTable } from './table';

type Destination = Answer<typeof DESTINATION>;
const ID = 'as `destination list` shows it';

/** `destination create`, `list`, `test`, `pause`, `resume`, `replay`, `rotate-secret`, `remove`, `set-aside`. */
export function addDestinationCommands(destination: Command, onService: OnService): void {
  onService(withSecrets(withSettings(destination.command('create'))), create);
  onService(
    destination
      .command('list')
      .description('lists destinations, never their secrets')
      .option('--tenant <id>', 'of one tenant'),
    async (run, { tenant }) => {
      const { destinations } = await run<{ destinations: Destination[] }>(
        `query($tenantId: String) { destinations(tenantId: $tenantId) { ${columnsOf(DESTINATION)} } }`,
        { tenantId: tenant ?? null },
      );
      return { json: destinations, text: toTable(destinations.map(({ settings: _, ...shown }) => shown)) };
    },
  );
  onService(
    destination.command('test').description('sends one marked event now').argument('<destinationId>', ID),
    async (run, _options, destinationId) => {
      const { testDestination } = await run<{ testDestination: Answer<typeof DESTINATION_TEST> }>(
        `mutation($destinationId: String!) { testDestination(destinationId: $destinationId) {
          ${columnsOf(DESTINATION_TEST)} } }`,
        { destinationId },
      );
      if (!testDestination.accepted)
        throw new CommandError(`the test was not accepted: ${testDestination.message}`, 'not_accepted');
      return { json: testDestination, text: 'the test was accepted' };
    },
  );
  for (const [name, field, description] of CHANGES)
    onService(
      destination.command(name).description(description).argument('<destinationId>', ID),
      async (run, _options, destinationId) => {
        const answer = await run<Record<string, Destination>>(
          `mutation($destinationId: String!) { ${field}(destinationId: $destinationId) { ${columnsOf(DESTINATION)} } }`,
          { destinationId },
        );
        const one = answer[field] as Destination;
        return {
          json: one,
          text: name === 'remove' ? `destination ${one.destinationId} is removed` : textOf(one),
        };
      },
    );
  onService(
    destination
      .command('replay')
      .description('sends again from another place of the log on')
      .argument('<destinationId>', ID)
      .option('--position <n>', 'the first position to be sent')
      .option('--from <time>', 'beginning, now or an ISO 8601 time of arrival'),
    async (run, { position, from }, destinationId) => {
      const { replayDestination } = await run<{ replayDestination: Destination }>(
        `mutation($destinationId: String!, $position: String, $from: String) {
          replayDestination(destinationId: $destinationId, position: $position, from: $from) {
          ${columnsOf(DESTINATION)} } }`,
        { destinationId, position: position ?? null, from: from ?? null },
      );
      return { json: replayDestination, text: textOf(replayDestination) };
    },
  );
  onService(
    withSecrets(destination.command('rotate-secret'))
      .description('makes a new secret of a webhook, or takes the new ones of another type')
      .argument('<destinationId>', ID)
      .option(
        '--overlap-minutes <n>',
        `how long messages bear the old signature as well (default: ${LIMITS.keyOverlapMinutesDefault})`,
        wholeNumber,
      ),
    rotate,
  );
  onService(
    destination
      .command('set-aside')
      .description('lists events that a destination refused while it took their neighbours')
      .argument('<destinationId>', ID),
    async (run, _options, destinationId) => {
      const { destinationSetAside } = await run<{ destinationSetAside: Answer<typeof SET_ASIDE_EVENT>[] }>(
        `query($destinationId: String!) { destinationSetAside(destinationId: $destinationId) {
          ${columnsOf(SET_ASIDE_EVENT)} } }`,
        { destinationId },
      );
      return { json: destinationSetAside, text: toTable(destinationSetAside) };
    },
  );
}

const CHANGES = [
  ['pause', 'pauseDestination', 'stops sending; the place in the log is kept'],
  ['resume', 'resumeDestination', 'goes on sending where it stands, at once'],
  ['remove', 'removeDestination', 'removes a destination for good'],
] as const;

const withSettings = (command: Command) =>
  command
    .description('makes a destination, to which events of a tenant are sent as they arrive')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--tenant <id>', 'the tenant whose events are sent')
    .requiredOption('--type <type>', 'webhook, splunk-hec, elasticsearch, s3, syslog or relp')
    .requiredOption(
      '--url <url>',
      'of the receiver: https://…; tls://host:port (syslog); relp+tls://host:port',
      once,
    )
    .option('--from <time>', 'beginning, now (default) or an ISO 8601 time of arrival')
    .option('--filter <filter>', 'which events (default: all)')
    .option('--format <format>', 'native (default), ocsf or ecs')
    .option('--encoding <encoding>', 'of a webhook: json (default) or ndjson')
    .option('--signature <version>', 'of a webhook: v1 (default) or v1a')
    .option('--acknowledge', 'of splunk-hec: wait for indexer acknowledgement')
    .option('--index <name>', 'of splunk-hec and elasticsearch')
    .option('--source <text>', 'of splunk-hec')
    .option('--sourcetype <text>', 'of splunk-hec')
    .option('--pipeline <name>', 'of elasticsearch')
    .option('--bucket <name>', 'of s3')
    .option('--region <name>', 'of s3')
    .option('--prefix <text>', 'of s3: how the names of objects begin')
    .option('--app-name <name>', 'of syslog and relp')
    .option('--ca-file <file>', 'certificates (PEM) that the receiver is verified by');

const SETTINGS = [
  ...[
    'encoding',
    'signature',
    'acknowledge',
    'index',
    'source',
    'sourcetype',
    'pipeline',
    'bucket',
    'region',
  ],
  ...['prefix', 'appName'],
];
async function create(run: Run, options: Options, _: string, operator: Operator) {
  const ca = await fileOf('ca', options.caFile);
  const { createDestination } = await run<{ createDestination: Answer<typeof CREATED_DESTINATION> }>(
    `mutation($tenantId: String!, $name: String!, $type: String!, $url: String!, $from: String!, $filter: String!,
      $format: String!, $settings: JSON, $secrets: JSON) { createDestination(tenantId: $tenantId, name: $name, type: $type,
      url: $url, from: $from, filter: $filter, format: $format, settings: $settings, secrets: $secrets) {
      ${columnsOf(CREATED_DESTINATION)} } }`,
    {
      tenantId: options.tenant,
      name: options.name,
      type: options.type,
      url: options.url,
      from: options.from ?? 'now',
      filter: options.filter ?? '',
      format: options.format ?? 'native',
      settings: { ...given(options, SETTINGS), ...ca },
      secrets: await destinationSecrets(options, async () => String(options.type), operator),
    },
  );
  const { destinationId, ...shown } = createDestination;
  return {
    json: { destinationId, ...stated(shown) },
    text: `destinationId ${destinationId}\n${secretText(shown)}`.trim(),
  };
}

async function rotate(run: Run, options: Options, destinationId: string, operator: Operator) {
  const secrets = await destinationSecrets(options, () => typeOf(run, destinationId), operator);
  const { rotateDestinationSecret } = await run<{ rotateDestinationSecret: Answer<typeof ROTATED_SECRET> }>(
    `mutation($destinationId: String!, $overlap: Int!, $secrets: JSON) { rotateDestinationSecret(
      destinationId: $destinationId, overlapMinutes: $overlap, secrets: $secrets) { ${columnsOf(ROTATED_SECRET)} } }`,
    {
      destinationId,
      overlap: options.overlapMinutes ?? LIMITS.keyOverlapMinutesDefault,
      secrets: Object.keys(secrets).length > 0 ? secrets : null,
    },
  );
  const { overlapEndsAt, ...shown } = rotateDestinationSecret;
  const until = overlapEndsAt === null ? '' : `\nThe old one signs as well until ${overlapEndsAt}.`;
  const text = `destination ${destinationId} has a new secret\n${secretText(shown)}${until}`;
  return { json: stated(rotateDestinationSecret), text };
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
  const { destinations } = await run<{ destinations: Destination[] }>(
    '{ destinations { destinationId type } }',
  );
  const found = destinations.find((one) => one.destinationId === destinationId.toLowerCase());
  if (!found) throw new CommandError('not_found: There is no such destination.', 'not_found');
  return found.type;
}

const textOf = ({ destinationId, state, position, lagEvents }: Destination) =>
  `destination ${destinationId}: ${state}, at position ${position}, ${lagEvents} behind`;
