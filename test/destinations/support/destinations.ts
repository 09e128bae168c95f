import type { Answer } from '../../support/answer';
import { until } from '../../support/until';
import type { World } from '../../support/world';

/** The networks of this host, in which the receivers of tests listen. */
export const LOCAL = { destinationAllowNetworks: ['127.0.0.0/8', '::1/128'] };

export interface ShownDestination {
  readonly destinationId: string;
  readonly state: string;
  readonly lagEvents: number;
  readonly position: string;
  readonly delivered: number;
  readonly failures: number;
  readonly setAside: number;
  readonly behindRetention: number;
  readonly lastError: string | null;
  readonly attempts: number;
  readonly url: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

const FIELDS =
  'destinationId state lagEvents position delivered failures setAside behindRetention lastError attempts url settings';

export async function createDestination(
  world: World,
  request: Readonly<Record<string, unknown>>,
): Promise<{
  readonly destinationId: string;
  readonly secret: string | null;
  readonly publicKey: string | null;
}> {
  const { createDestination: made } = await world.operate(
    `mutation($tenantId: String!, $name: String!, $type: String!, $url: String!, $from: String!, $filter: String!,
      $format: String!, $settings: JSON, $secrets: JSON) { createDestination(tenantId: $tenantId, name: $name, type: $type,
      url: $url, from: $from, filter: $filter, format: $format, settings: $settings, secrets: $secrets) {
      destinationId secret publicKey } }`,
    { name: 'test', type: 'webhook', from: 'beginning', filter: '', format: 'native', ...request },
  );
  return made;
}

export async function shown(world: World, destinationId: string): Promise<ShownDestination> {
  const { destinations } = await answered(() =>
    world.graphql(world.operatorKey, `{ destinations { ${FIELDS} } }`),
  );
  return destinations.find((one: ShownDestination) => one.destinationId === destinationId);
}

export const change = async (
  world: World,
  name: string,
  destinationId: string,
  more = '',
  answer = 'destinationId',
) => {
  const ask = () =>
    world.graphql(
      world.operatorKey,
      `mutation { ${name}(destinationId: "${destinationId}"${more}) { ${answer} } }`,
    );
  return answered(ask);
};

/** The data of an answer. A busy service may answer that the request should be repeated. */
async function answered(ask: () => Promise<Answer>) {
  const isAnswered = ({ body }: Answer) => body.errors?.[0].extensions.code !== 'service_unavailable';
  const { body } = await until(ask, isAnswered);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}

/** Several tests poll one service, which also has other work. */
const POLL_MS = 200;

/** Many tests wait at the same time, and a cluster of small machines is slow. */
const PATIENCE_MS = 120_000;

/** Waits until a destination is shown as wanted. */
export const untilShown = (
  world: World,
  destinationId: string,
  wanted: (one: ShownDestination) => boolean,
  withinMs = PATIENCE_MS,
): Promise<ShownDestination> => {
  const ask = async () => {
    await new Promise((done) => setTimeout(done, POLL_MS));
    return shown(world, destinationId);
  };
  return until(ask, wanted, withinMs);
};
