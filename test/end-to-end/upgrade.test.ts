import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { API_BASE_PATH } from '../../src/version';
import { ChildService } from '../support/child-service';
import {
  createEmptyDatabase,
  describeOnPostgres,
  type TestDatabase,
  temporaryFolder,
} from '../support/engines';
import { anEvent } from '../support/events';
import { Release } from '../support/release';
import { until } from '../support/until';
import { INGEST } from '../support/world';
import { Balancer } from './support/balancer';

jest.setTimeout(240_000);

const execute = promisify(execFile);
const BEFORE = '62fc9b1';
const READERS = 3;
const BATCH = 20;
/** Requests of each reader between two steps of the upgrade. */
const ROUNDS = 15;

/** The upgrade of docs/upgrade.md: a restored backup, then one instance after the other, under load. */
describeOnPostgres('an upgrade of two instances from the release before', () => {
  let release: Release;
  let folder: string;
  let source: TestDatabase;
  let target: TestDatabase;
  const running = new Set<ChildService>();
  const balancer = new Balancer();

  beforeAll(async () => {
    folder = await temporaryFolder();
    release = Release.unpack(BEFORE);
    [source, target] = await Promise.all([
      createEmptyDatabase('postgresql'),
      createEmptyDatabase('postgresql'),
    ]);
  });
  afterAll(async () => {
    balancer.close();
    await Promise.all([...running].map((service) => service.stop('SIGKILL')));
    await Promise.all([source?.drop(), target?.drop()]);
    release?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const dataDirOf = (name: string) => path.join(folder, name);
  const environment = (name: string, { databaseUrl }: TestDatabase) => ({
    DATA_DIR: dataDirOf(name),
    DATABASE_URL: databaseUrl ?? '',
    READINESS_DELAY_MS: '500',
    RATE_LIMIT_PER_MINUTE: '100000',
    ...(name !== 'first' && {
      CHECKPOINT_KEY_FILE: path.join(dataDirOf('first'), 'checkpoint.key'),
      SECRETS_KEY_FILE: path.join(dataDirOf('first'), 'secrets.key'),
    }),
  });
  const started = async (starting: Promise<ChildService>) => {
    const service = await starting;
    running.add(service);
    return service;
  };
  const before = (name: string, database: TestDatabase) =>
    started(release.startService(environment(name, database)));
  const now = (name: string, database: TestDatabase) =>
    started(ChildService.start(environment(name, database)));
  const end = async (service: ChildService) => {
    running.delete(service);
    expect(await service.stop()).toEqual([0, null]);
    balancer.remove(service.url);
  };

  it('loses nothing: every read is answered, every event is stored once, and the evidence log continues', async () => {
    const seed = await before('first', source);
    const keys = await keysOf(seed);
    let stored = 0;
    const post = async (send: Balancer['fetch']) => {
      const body = {
        query: INGEST,
        variables: { batch: { events: Array.from({ length: BATCH }, () => anEvent()) } },
      };
      const headers = { 'Content-Type': 'application/json', 'X-Api-Key': keys.agent };
      const response = await send('/graphql', { method: 'POST', headers, body: JSON.stringify(body) });
      const { data } = (await response.json()) as { data: { ingestAuditEvents: { accepted: number } } };
      stored += data.ingestAuditEvents.accepted;
    };
    for (let i = 0; i < 5; i++) await post((url, init) => fetch(seed.url + url, init));
    await until(
      () => logSize(seed.url, keys.reader),
      (size) => size === stored,
    );
    // The backup is the data folder, and a dump of the database that is restored into another database.
    await end(seed);
    const dump = path.join(folder, `${randomBytes(4).toString('hex')}.dump`);
    await execute('pg_dump', [
      '--format=custom',
      '--enable-row-security',
      `--file=${dump}`,
      source.databaseUrl ?? '',
    ]);
    await execute('pg_restore', [
      '--no-owner',
      '--exit-on-error',
      '--dbname',
      target.databaseUrl ?? '',
      dump,
    ]);

    // The previous release has no secrets key, so the key is made before the upgrade.
    await writeFile(path.join(dataDirOf('first'), 'secrets.key'), `${randomBytes(32).toString('base64')}\n`);
    const first = await before('first', target);
    const second = await before('second', target);
    for (const { url } of [first, second]) await balancer.add(url);
    let over = false;
    let reads = 0;
    const failures: string[] = [];
    const read = async (reader: number) => {
      for (let i = 0; !over; i++) {
        const least = stored;
        const url = ['?pageSize=5', '/summary', '?databaseName=Payroll&pageSize=1'][(i + reader) % 3] ?? '';
        const failure = await answerOf(`${API_BASE_PATH}/audit-activity${url}`, least).catch(String);
        if (failure) failures.push(failure);
        reads += 1;
      }
    };
    const answerOf = async (url: string, least: number) => {
      const response = await balancer.fetch(url, { headers: { 'X-Api-Key': keys.reader } });
      // biome-ignore lint/suspicious/noExplicitAny: bodies of two shapes
      const body = (await response.json()) as any;
      if (response.status !== 200) return `${url}: ${response.status} ${JSON.stringify(body)}`;
      const total = body.meta.totalCount ?? body.data.totalCount;
      return total < least ? `${url}: ${total} of ${least} events` : '';
    };
    const write = async () => {
      while (!over) await post((url, init) => balancer.fetch(url, init));
    };
    const load = Promise.all([write(), ...Array.from({ length: READERS }, (_, reader) => read(reader))]);
    const underLoad = async () => {
      const enough = reads + ROUNDS * READERS;
      await until(
        () => reads,
        (count) => count >= enough || over,
      );
    };
    try {
      await underLoad();
      await end(second);
      const secondNow = await now('second', target);
      await balancer.add(secondNow.url);
      await underLoad();
      // The old instance finds the words of what the new one stores.
      await post((url, init) => fetch(secondNow.url + url, init));
      const least = stored;
      expect(await foundBy(first.url, keys.reader, 'select')).toBeGreaterThanOrEqual(least);
      await end(first);
      const firstNow = await now('first', target);
      await balancer.add(firstNow.url);
      await underLoad();
      over = true;
      await load;

      expect(failures).toEqual([]);
      expect(reads).toBeGreaterThan(ROUNDS * READERS * 3);
      for (const { url } of [firstNow, secondNow]) {
        await until(
          () => logSize(url, keys.reader),
          (size) => size === stored,
          60_000,
        );
        expect(await (await fetch(`${url}/health`)).text()).toBe('Healthy');
      }
    } finally {
      over = true;
      await load.catch(() => {});
    }
  });
});

async function keysOf(service: ChildService) {
  const { operatorKey } = service;
  const { createTenant } = await service.graphql<{ createTenant: { tenantId: string } }>(
    operatorKey,
    'mutation { createTenant(name: "Acme") { tenantId } }',
  );
  const { tenantId } = createTenant;
  const made = await service.graphql<Record<'reader' | 'agent', { key: string }>>(
    operatorKey,
    `mutation {
       reader: createApiKey(name: "reader", tenantIds: ["${tenantId}"], scopes: ["read:audit-activity"]) { key }
       agent: createAgentKey(name: "agent", tenantId: "${tenantId}") { key } }`,
  );
  return { reader: made.reader.key, agent: made.agent.key };
}

/** @returns the number of events with a word; every event of the test has the word `select` */
async function foundBy(url: string, key: string, word: string): Promise<number> {
  const query = `${API_BASE_PATH}/audit-activity?search=${word}&pageSize=1`;
  const response = await fetch(url + query, { headers: { 'X-Api-Key': key } });
  // biome-ignore lint/suspicious/noExplicitAny: only the number is read
  const { meta } = (await response.json()) as any;
  return Number(meta?.totalCount);
}

/** @returns the number of events in the evidence log of the key's tenant */
async function logSize(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}${API_BASE_PATH}/audit-log`, { headers: { 'X-Api-Key': key } });
  // biome-ignore lint/suspicious/noExplicitAny: only the size is read, as a number
  const { data } = (await response.json()) as any;
  return Number(data?.size);
}
