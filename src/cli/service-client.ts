import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { OPERATOR_KEY_FILE } from '../operator-key';

/** A failure the operator can act on: printed as one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export interface Connection {
  readonly url: string;
  readonly operatorKey: string;
}

const TIMEOUT_MS = 30_000;
export const DEFAULT_URL = 'http://127.0.0.1:8080';

type Env = Readonly<Record<string, string | undefined>>;

/** Where the service is and with which key: the options, else the environment, else the local defaults. */
export async function resolveConnection(
  options: { readonly url?: string | undefined; readonly operatorKey?: string | undefined },
  env: Env,
): Promise<Connection> {
  const url = options.url ?? (env.AUDIT_ACTIVITY_URL || DEFAULT_URL);
  const operatorKey = options.operatorKey ?? (env.AUDIT_ACTIVITY_OPERATOR_KEY || (await keyFromFile(env)));
  return { url: url.replace(/\/+$/, ''), operatorKey };
}

async function keyFromFile(env: Env): Promise<string> {
  const file = path.resolve(env.DATA_DIR || '.data', OPERATOR_KEY_FILE);
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new CommandError(
      `No operator key: ${(error as Error).message}. Give --operator-key, set AUDIT_ACTIVITY_OPERATOR_KEY, or run ` +
        'where DATA_DIR is the data folder of the service.',
    );
  }
}

/** Runs one GraphQL operation. @throws CommandError with the service's own words */
export async function runOperation<T>(
  { url, operatorKey }: Connection,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': operatorKey },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    // Where a name has several addresses, the cause has a code and no message.
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    const reason = cause?.message || cause?.code || (error as Error).message;
    throw new CommandError(`No service answers at ${url}: ${reason}`);
  }
  const body = await readBody(response, url);
  const [refusal] = body.errors ?? [];
  if (refusal) throw new CommandError(`${refusal.extensions?.code ?? response.status}: ${refusal.message}`);
  return body.data as T;
}

interface GraphqlBody {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

async function readBody(response: Response, url: string): Promise<GraphqlBody> {
  const text = await response.text();
  try {
    return JSON.parse(text) as GraphqlBody;
  } catch {
    throw new CommandError(`${url} answered ${response.status}, and not as an Audit Activity service`);
  }
}
