import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ErrorCode } from '../errors';
import { OPERATOR_KEY_FILE } from '../modules/keys/operator-key';
import { type Run, runBy } from './operations';

/** A failure that the operator can correct. Printed as one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    /** The service's error code, if the service refused the request. */
    readonly code?: string,
  ) {
    super(message);
  }
}

export interface Connection {
  readonly url: string;
  readonly operatorKey: string;
  /** Where the key comes from, in words for people. */
  readonly keyFrom: string;
}

const TIMEOUT_MS = 30_000;
type Env = Readonly<Record<string, string | undefined>>;

/** The service's address without a trailing slash: the option, else the environment, else this host. */
export function serviceUrl(option: string | undefined, env: Env): string {
  const port = Number(env.PORT) || 8080;
  return (option ?? (env.AUDIT_ACTIVITY_URL || `http://127.0.0.1:${port}`)).replace(/\/+$/, '');
}

/** The service's address and the key: from the options, else the environment, else the local defaults. */
export async function resolveConnection(
  options: GivenKey & { readonly url?: string | undefined },
  env: Env,
): Promise<Connection> {
  return { url: serviceUrl(options.url, env), ...(await keyOf(options, env)) };
}

interface GivenKey {
  readonly operatorKey?: string | undefined;
  /** The option that gave the key (default: `--operator-key`). */
  readonly keyFrom?: string;
}

async function keyOf(
  { operatorKey, keyFrom = '--operator-key' }: GivenKey,
  env: Env,
): Promise<Omit<Connection, 'url'>> {
  if (operatorKey !== undefined) return { operatorKey, keyFrom };
  const { AUDIT_ACTIVITY_OPERATOR_KEY: ofEnvironment } = env;
  if (ofEnvironment) return { operatorKey: ofEnvironment, keyFrom: 'AUDIT_ACTIVITY_OPERATOR_KEY' };
  const file = path.resolve(env.DATA_DIR || '.data', OPERATOR_KEY_FILE);
  try {
    return { operatorKey: (await readFile(file, 'utf8')).trim(), keyFrom: file };
  } catch (error) {
    throw new CommandError(
      `No operator key: ${(error as Error).message}. Give --operator-key-file, set AUDIT_ACTIVITY_OPERATOR_KEY, or run ` +
        'where DATA_DIR is the data folder of the service.',
    );
  }
}

/** Asks a service by GraphQL. @throws CommandError with the service's message */
export const runAt = (connection: Connection): Run =>
  runBy((query, variables) => post(connection, query, variables));

type Values = Readonly<Record<string, unknown>>;

async function post(
  { url, operatorKey, keyFrom }: Connection,
  query: string,
  variables: Values,
): Promise<Values> {
  let response: Response;
  try {
    response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': operatorKey },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    if ((error as Error).name === 'TimeoutError')
      throw new CommandError(
        `The service at ${url} has not answered within ${TIMEOUT_MS / 1_000} seconds. A change that was asked for may go on there.`,
      );
    // For a name with several addresses, the cause has a code and no message.
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    const reason = cause?.message || cause?.code || (error as Error).message;
    throw new CommandError(`No service answers at ${url}: ${reason}`);
  }
  const body = await readBody(response, url);
  const [refusal] = body.errors ?? [];
  if (!refusal) return body.data as Values;
  const code = refusal.extensions?.code ?? String(response.status);
  // The service's message names the header, but the operator gave an option.
  const text =
    refusal.extensions?.code === 'unauthorized'
      ? `the service at ${url} does not take the operator key of ${keyFrom}: it is unknown there, revoked or expired`
      : refusal.message;
  throw new CommandError(`${code}: ${text}`, code);
}

interface GraphqlBody {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: ErrorCode };
  }[];
}

async function readBody(response: Response, url: string): Promise<GraphqlBody> {
  const text = await response.text();
  try {
    return JSON.parse(text) as GraphqlBody;
  } catch {
    throw new CommandError(`${url} answered ${response.status}, and not as an Audit Activity service`);
  }
}
