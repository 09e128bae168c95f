import { readFileSync, writeFileSync } from 'node:fs';
import { ChildService } from '../child-service';
import { createTestDatabase, type TestDatabase } from '../engines';
import { npmStartEnv } from '../npm-start';
import { mistakesOf } from '../watched-child';
import { type Keys, Neighbour } from './neighbour';

const MEMORY_MAX_MB = 500;
const SECONDS = 10;
/** The neighbour's own rate limit, which is high enough for several attacks in a minute. */
const NEIGHBOUR_CALLS = 10_000;

export interface Scene {
  readonly url: string;
  /** The keys of the hostile tenant. */
  readonly hostile: Keys;
  readonly operatorKey: string;
  readonly service: ChildService;
}

export interface Attacked extends Scene {
  /** Aborted when the time of the attack is over. */
  readonly signal: AbortSignal;
  /** Resolves when the neighbour has made this many further rounds, for an attack that lasts so long. */
  rounds(count: number): Promise<void>;
}

/**
 * Starts a service in its own process on PostgreSQL, with a hostile tenant and an honest neighbour, for the attacks of
 * one `describe`.
 * @param env further settings of the service
 * @param hostileCalls in a minute by a hostile key; null: the default of the service
 */
export function useScene(env: Readonly<Record<string, string>> = {}, hostileCalls: number | null = null) {
  let database: TestDatabase;
  let mistakes: readonly string[] = [];
  let scene: Scene;
  let neighbour: Keys;
  beforeAll(async () => {
    database = await createTestDatabase('postgresql');
    const settings = {
      ...npmStartEnv(),
      DATABASE_URL: database.databaseUrl ?? '',
      DATA_DIR: database.dataDir,
      ...env,
    };
    const service = await ChildService.start(settings, (child) => {
      mistakes = mistakesOf(child);
    });
    const { url, operatorKey } = service;
    scene = { url, operatorKey, service, hostile: await tenantOf(service, 'Hostile', hostileCalls) };
    neighbour = await tenantOf(service, 'Neighbour', NEIGHBOUR_CALLS);
  });
  afterAll(async () => {
    if (scene && isAlive(scene)) await scene.service.stop();
    await database?.drop();
  });

  return {
    get scene() {
      return scene;
    },
    /**
     * Attacks the service. Fails unless the process lives, its memory stays bounded, no unexpected error is logged, and
     * every call of the neighbour, once a second, succeeds within 2 seconds.
     * @param attack does its heavy computing beforehand, since the neighbour runs in the same process
     */
    async underAttack(
      attack: (attacked: Attacked) => Promise<void>,
      { seconds = SECONDS }: { readonly seconds?: number } = {},
    ): Promise<void> {
      const honest = new Neighbour(scene.url, neighbour, () => waitedMs(scene));
      await honest.begin();
      forgetPeak(scene);
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), seconds * 1_000);
      const attacked = { ...scene, signal: over.signal, rounds: (count: number) => honest.rounds(count) };
      try {
        await honest.during(() => attack(attacked));
      } catch (error) {
        honest.problems.push(`the attack: ${error}`);
      } finally {
        clearTimeout(timer);
        over.abort();
      }
      const seen = { isAlive: isAlive(scene), mistakes, problems: honest.problems };
      expect(seen).toEqual({ isAlive: true, mistakes: [], problems: [] });
      expect(peakMb(scene)).toBeLessThan(MEMORY_MAX_MB);
      await honest.count();
      expect(honest.problems).toEqual([]);
    },
  };
}

const isAlive = ({ service: { process } }: Scene) => process.exitCode === null && process.signalCode === null;

/**
 * Milliseconds that service and tests waited for a processor. The second number of schedstat is this time in
 * nanoseconds.
 */
function waitedMs(scene: Scene): number {
  const pids = [process.pid, ...(isAlive(scene) ? [scene.service.process.pid] : [])];
  const waited = pids.map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]));
  return waited.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

const PEAK = '5';

/** @see https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html */
const forgetPeak = ({ service }: Scene) => writeFileSync(`/proc/${service.process.pid}/clear_refs`, PEAK);

/** The most memory that the process held since `forgetPeak`, in MB. */
function peakMb({ service }: Scene): number {
  const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function tenantOf(service: ChildService, name: string, rate: number | null): Promise<Keys> {
  const operate = <T>(query: string, variables: object) =>
    service.graphql<T>(service.operatorKey, query, variables);
  const { createTenant } = await operate<{ createTenant: { tenantId: string } }>(
    'mutation($name: String!) { createTenant(name: $name) { tenantId } }',
    { name },
  );
  const { tenantId } = createTenant;
  const { agent, reader } = await operate<{
    agent: { key: string };
    reader: { keyId: string; key: string };
  }>(
    `mutation($id: String!, $rate: Int) {
       agent: createAgentKey(name: "agent", tenantId: $id) { key }
       reader: createApiKey(name: "reader", tenantIds: [$id], scopes: ["read:audit-activity"],
         rateLimitPerMinute: $rate) { keyId key } }`,
    { id: tenantId, rate },
  );
  return { tenantId, agentKey: agent.key, ...reader };
}
