import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../context';
import { ChildServer } from './child-server';

/** The real service as users start it, in production mode. */
export interface Service {
  readonly server: ChildServer;
  /** Runs an operation as the operator. @throws Error with the service's message */
  operate<T>(query: string, variables?: object): Promise<T>;
}

/** @param env settings beyond the database */
export async function startService(
  bench: Bench,
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const { machine, options } = bench;
  // The operator key of the folder opens every database the service is started on.
  const dataDir = join(machine.work, 'service-data');
  mkdirSync(dataDir, { recursive: true });
  // Remembered checkpoints of another database say nothing about the logs of this one.
  rmSync(join(dataDir, 'checkpoints'), { recursive: true, force: true });
  const start = npmStart(machine.root);
  const server = await ChildServer.start(join(machine.root, 'dist/src/main.js'), {
    env: { ...start.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...env },
    nodeArgs: [
      ...start.flags,
      ...(options.profile ? ['--cpu-prof', `--cpu-prof-dir=${bench.profiles}`] : []),
    ],
  });
  bench.track(server);
  const operatorKey = readFileSync(join(dataDir, 'operator.key'), 'utf8').trim();
  return { server, operate: (query, variables) => graphql(server.url, operatorKey, query, variables) };
}

/** The memory bounds of `npm start`. */
function npmStart(root: string): { readonly flags: string[]; readonly env: Record<string, string> } {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const words = scripts.start.split(' ');
  const settings = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('='));
  return { flags: words.filter((word) => word.startsWith('--')), env: Object.fromEntries(settings) };
}

async function graphql<T>(url: string, key: string, query: string, variables: object = {}): Promise<T> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': key },
    body: JSON.stringify({ query, variables }),
  });
  const body = (await response.json()) as { data?: T; errors?: readonly { message: string }[] };
  if (body.errors?.[0] || !body.data)
    throw new Error(body.errors?.[0]?.message ?? `status ${response.status}`);
  return body.data;
}

export async function createTenant(
  service: Service,
  name: string,
): Promise<{ tenantId: string; agentKey: string }> {
  const { createTenant } = await service.operate<{ createTenant: { tenantId: string } }>(
    'mutation($name: String!) { createTenant(name: $name) { tenantId } }',
    { name },
  );
  const { tenantId } = createTenant;
  return { tenantId, agentKey: await createAgentKey(service, tenantId) };
}

export async function createAgentKey(service: Service, tenantId: string): Promise<string> {
  const { createAgentKey } = await service.operate<{ createAgentKey: { key: string } }>(
    'mutation($tenantId: String!) { createAgentKey(name: "bench", tenantId: $tenantId) { key } }',
    { tenantId },
  );
  return createAgentKey.key;
}

/** A key that reads the tenants, with the highest possible rate limit. @param further scopes beside that of events */
export async function createReadKey(
  service: Service,
  tenantIds: readonly string[],
  further: readonly string[] = [],
): Promise<string> {
  const { createApiKey } = await service.operate<{ createApiKey: { key: string } }>(
    `mutation($tenantIds: [String!]!, $scopes: [String!]!) { createApiKey(name: "bench", tenantIds: $tenantIds,
       scopes: $scopes, rateLimitPerMinute: 100000) { key } }`,
    { tenantIds, scopes: ['read:audit-activity', ...further] },
  );
  return createApiKey.key;
}
