import { setTimeout as moment } from 'node:timers/promises';
import { Random } from '../../../simulation/support/random';
import { Books } from './books';
import { judge } from './judge';
import { Load } from './load';
import type { Site, TenantKeys } from './site';

/** Up to this many batches are acknowledged between two kills, which shows that everything recovered. */
const BATCHES_MAX = 6;
const MOMENT_MAX_MS = 80;
const TENANTS = 2;
/** More problems than these repeat the same fault. */
const PROBLEMS_MAX = 12;

/** How a run goes. The same plan makes the same choices. */
export interface Plan {
  readonly seed: number;
  /** The number of kills before each full check. */
  readonly kills: number;
  readonly looks: number;
}

/** @returns the problems as sentences, and how often each part was killed */
export async function crash(site: Site, { seed, kills, looks }: Plan) {
  const random = new Random(seed);
  const books = new Books();
  const tenants = await tenantsOf(site);
  const urls = site.services.map(({ url }) => url);
  const killed: Record<string, number> = {};
  const problems: string[] = [];
  for (let look = 0; look < looks && problems.length === 0; look++) {
    const load = new Load(urls, books, random.fork(), tenants);
    for (let i = 0; i < kills; i++) {
      await load.progress(random.whole(1, BATCHES_MAX));
      await moment(random.whole(0, MOMENT_MAX_MS));
      const what = await site.kill(random);
      killed[what] = (killed[what] ?? 0) + 1;
    }
    await load.progress(1);
    await load.end();
    problems.push(...(await judge(site, books, tenants)));
  }
  return { problems: problems.slice(0, PROBLEMS_MAX), killed, batches: books.acknowledged };
}

async function tenantsOf(site: Site): Promise<TenantKeys[]> {
  const service = await site.services[0]?.running;
  if (!service) throw new Error('there is no service');
  const operate = <T>(query: string, variables: object = {}) =>
    service.graphql<T>(service.operatorKey, query, variables);
  return Promise.all(
    Array.from({ length: TENANTS }, async () => {
      const { createTenant } = await operate<{ createTenant: { tenantId: string } }>(
        'mutation { createTenant(name: "Acme") { tenantId } }',
      );
      const { tenantId } = createTenant;
      const { agent, reader } = await operate<{ agent: { key: string }; reader: { key: string } }>(
        `mutation($id: String!) { agent: createAgentKey(name: "a", tenantId: $id) { key }
           reader: createApiKey(name: "r", tenantIds: [$id], scopes: ["read:audit-activity"]) { key } }`,
        { id: tenantId },
      );
      return { tenantId, agentKey: agent.key, key: reader.key };
    }),
  );
}
