import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { Client } from 'pg';
import { ChildService, compiledService } from '../support/child-service';
import { createTestDatabase, describeOnPostgres, ENGINES, type TestDatabase } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { INGEST, World } from '../support/world';

// Each test starts a process of its own, and some create a database.
jest.setTimeout(180_000);

const LIST = '/api/v1/public/audit-activity';

async function start(place: TestDatabase, env: Record<string, string> = {}) {
  const { dataDir, databaseUrl } = place;
  const service = await ChildService.start({
    DATA_DIR: dataDir,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    ...env,
  });
  const { createTenant } = await service.graphql<{ createTenant: { tenantId: string } }>(
    service.operatorKey,
    'mutation { createTenant(name: "Acme") { tenantId } }',
  );
  const { tenantId } = createTenant;
  const keys = await service.graphql<{ reader: { key: string }; agent: { key: string } }>(
    service.operatorKey,
    `mutation($tenantId: String!) {
       reader: createApiKey(name: "test", tenantIds: [$tenantId], scopes: ["read:audit-activity"], rateLimitPerMinute: 10000) { key }
       agent: createAgentKey(name: "test", tenantId: $tenantId) { key } }`,
    { tenantId },
  );
  const get = (path: string) => fetch(service.url + path, { headers: { 'X-Api-Key': keys.reader.key } });
  return { service, get, readerKey: keys.reader.key, agentKey: keys.agent.key };
}

/** @returns the status, or `gone` if nothing answers */
const statusOf = (answer: Promise<Response>) =>
  answer.then(
    ({ status }) => status,
    () => 'gone',
  );

describe.each(ENGINES)('a service on %s that is told to stop', (engine) => {
  it('says that it is not ready while it still serves, and ends at once when it is told again', async () => {
    const place = await createTestDatabase(engine);
    const { service, get } = await start(place, { READINESS_DELAY_MS: '600000' });
    expect(await statusOf(get('/readyz'))).toBe(200);
    service.process.kill('SIGTERM');
    await until(
      () => statusOf(get('/readyz')),
      (status) => status === 503,
    );
    expect(await Promise.all([LIST, '/health', '/livez'].map((path) => statusOf(get(path))))).toEqual([
      200, 200, 200,
    ]);
    expect(await service.stop('SIGTERM')).toEqual([1, null]);
    await place.drop();
  });

  it('has stored every acknowledged batch once, and no batch in part', async () => {
    const place = await createTestDatabase(engine);
    const { service, agentKey, readerKey } = await start(place);
    const batches = new Map<string, boolean>();
    let count = 0;
    const sendUntilItIsGone = async () => {
      for (;;) {
        const databaseName = `batch-${count++}`;
        const events = Array.from({ length: 200 }, () => anEvent({ databaseName }));
        batches.set(databaseName, false);
        try {
          await service.graphql(agentKey, INGEST, { batch: { events } });
        } catch {
          return;
        }
        batches.set(databaseName, true);
      }
    };
    const senders = Promise.all(Array.from({ length: 4 }, sendUntilItIsGone));
    await until(
      () => [...batches.values()].filter(Boolean).length,
      (acknowledged) => acknowledged > 4,
    );
    expect(await service.stop('SIGTERM')).toEqual([0, null]);
    await senders;

    const world = await World.on(place);
    for (const [databaseName, acknowledged] of batches) {
      const { body } = await world.get('/audit-activity', readerKey, {
        query: { databaseName, pageSize: 1 },
      });
      expect([0, 200]).toContain(body.meta.totalCount);
      if (acknowledged) expect([databaseName, body.meta.totalCount]).toEqual([databaseName, 200]);
    }
    await world.close();
  });
});

describeOnPostgres('a service that is told to stop while a request waits for the database', () => {
  let place: TestDatabase;
  let blocker: Client;
  beforeEach(async () => {
    place = await createTestDatabase('postgresql');
    blocker = new Client({ connectionString: place.databaseUrl ?? '' });
    await blocker.connect();
  });
  afterEach(async () => {
    await blocker.end();
    await place.drop();
  });
  const waiting = async () =>
    (await blocker.query(`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`)).rows[0].n;
  const block = async () => {
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE audit_event IN ACCESS EXCLUSIVE MODE');
  };

  it('accepts no new connection, answers the requests it has begun, and ends', async () => {
    const { service, get } = await start(place);
    await block();
    const begun = get(LIST);
    await until(waiting, (n) => n > 0);
    const ended = service.stop('SIGTERM');
    await until(
      () => statusOf(fetch(`${service.url}/livez`, { headers: { Connection: 'close' } })),
      (status) => status === 'gone',
    );
    await blocker.query('ROLLBACK');
    const answer = await begun;
    expect([answer.status, answer.headers.get('Connection')]).toEqual([200, 'close']);
    expect(await answer.json()).toMatchObject({ data: [] });
    expect(await ended).toEqual([0, null]);
  });

  it('waits no longer than DRAIN_MS', async () => {
    const { service, get } = await start(place, { DRAIN_MS: '100' });
    await block();
    const begun = statusOf(get(LIST));
    await until(waiting, (n) => n > 0);
    expect(await service.stop('SIGTERM')).toEqual([0, null]);
    expect(await begun).toBe('gone');
  });
});

describe('a service whose database cannot be reached when it starts', () => {
  it('ends with one line that says this, without the password', async () => {
    const place = await createTestDatabase('embedded');
    const url = 'postgres://auditor:geheim4711@127.0.0.1:1/none';
    const started = ChildService.start({ DATA_DIR: place.dataDir, DATABASE_URL: url });
    const error: Error = await started.then(
      () => new Error('started'),
      (thrown) => thrown,
    );
    expect(error.message).toMatch(/^ended with 1: The service did not start: .+\n$/);
    expect(error.message).toContain('127.0.0.1:1');
    expect(error.message).not.toContain('geheim4711');
    await place.drop();
  });
});

describe('a service that is started wrongly', () => {
  const started = async (env: Record<string, string>, ...args: string[]) => {
    const main = path.join(await compiledService(), 'src/main.js');
    return spawnSync(process.execPath, [main, ...args], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
      timeout: 60_000,
    });
  };

  it('refuses arguments, because they could be mistaken for settings', async () => {
    const { status, stdout, stderr } = await started({}, '--port', '9090');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Unknown argument: --port\nThe service takes no arguments\./);
    expect(await started({}, '--help')).toMatchObject({ status: 0, stderr: '' });
    expect((await started({}, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each(['/proc/none', '/dev/null/data', __filename])(
    'names the folder %s when it cannot use it',
    async (folder) => {
      const { status, stderr } = await started({ DATA_DIR: folder, PORT: '0' });
      expect([status, stderr.trim()]).toEqual([
        1,
        expect.stringMatching(
          new RegExp(`^The service did not start: E[A-Z]+: .+ \\(DATA_DIR is ${folder}\\)$`),
        ),
      ]);
    },
  );
});

describe('a service whose log is not read', () => {
  it('continues to answer, and ends when it is told to', async () => {
    const place = await createTestDatabase('embedded');
    const { service } = await start(place, { LOG_LEVEL: 'info' });
    service.process.stderr?.pause();
    // This is more than a pipe and its reader's buffer hold.
    const longPath = `/${'x'.repeat(8_000)}`;
    for (let round = 0; round < 100; round++) {
      const answers = Array.from({ length: 10 }, () => statusOf(fetch(service.url + longPath)));
      expect(new Set(await Promise.all(answers))).toEqual(new Set([404]));
    }
    expect(await service.stop('SIGTERM')).toEqual([0, null]);
    await place.drop();
  });
});
