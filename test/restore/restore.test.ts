import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type OpenServer, openServer } from '../../scripts/lib/server-client.cjs';
import { SERVICE_ROLE } from '../../src/database/each-tenant';
import { prepareRestore } from '../../src/database/prepare-restore';
import { parseNote } from '../../src/modules/evidence/checkpoint';
import { CheckpointKey } from '../../src/store/log/evidence/note-key';
import { runCli } from '../support/cli';
import {
  createEmptyDatabase,
  describeOnPostgres,
  type TestDatabase,
  temporaryFolder,
} from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { INGEST, type TestTenant, World } from '../support/world';

const run = promisify(execFile);
const SERVER_URL = process.env.TEST_DATABASE_URL ?? '';
/** The parts of the data folder that a backup holds. */
const KEPT = ['checkpoint.key', 'checkpoints', 'operator.key'];
const EVENTS = 20;

async function administer(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

describeOnPostgres('a backup, restored into a new cluster', () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const [owner, service] = [`${name}_owner`, `${name}_service`];
  let cluster: OpenServer;
  let old: TestDatabase;
  let tenant: Pick<TestTenant, 'tenantId' | 'key' | 'agentKey'>;
  let folder: string;
  let databases = 0;

  const as = (login: string, server: string, database: string) => {
    const url = new URL(server);
    url.username = login;
    url.password = name;
    url.pathname = `/${database}`;
    return url.href;
  };
  /** Makes an empty database on the new cluster. @returns its URL for its owner */
  async function emptyDatabase(login: string): Promise<string> {
    const database = `restored_${++databases}`;
    await administer(cluster.url, `CREATE DATABASE ${database} OWNER ${login}`);
    return as(login, cluster.url, database);
  }
  const dump = () => path.join(folder, 'audit.dump');
  const restore = (url: string, ...options: string[]) =>
    run('pg_restore', ['--no-owner', ...options, '--dbname', url, dump()]);

  /** Runs a service on a restored database and data folder while `use` works. */
  async function started<T>(
    databaseUrl: string,
    migrationDatabaseUrl: string | null,
    use: (world: World) => Promise<T>,
  ): Promise<T> {
    const dataDir = await temporaryFolder();
    for (const part of KEPT) await cp(path.join(folder, part), path.join(dataDir, part), { recursive: true });
    try {
      const world = await World.on({ databaseUrl, dataDir, drop: async () => {} }, { migrationDatabaseUrl });
      try {
        return await use(world);
      } finally {
        await world.service.close();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }
  /** Checks that all events are as they were accepted, that new ones are accepted, and that the log continues. */
  async function goesOn(world: World): Promise<void> {
    const publicKey = CheckpointKey.ofPem(
      await readFile(path.join(folder, 'checkpoint.key'), 'utf8'),
    ).verifierKey;
    const kept = path.join(folder, 'checkpoints', `tenant-${tenant.tenantId}`);
    const { lines, error } = await runCli(
      ['verify', '--service', world.service.url, '--public-key', publicKey, '--checkpoint', kept],
      { AUDIT_ACTIVITY_API_KEY: tenant.key },
    );
    expect([lines[0]?.split('\n', 1), error]).toEqual([
      [`tenant ${tenant.tenantId}: all ${EVENTS} events are as they were accepted, and none is missing`],
      null,
    ]);
    const { agentKey } = tenant;
    const answer = await world.graphql(agentKey, INGEST, { batch: { events: [anEvent({})] } });
    expect(answer.body.data.ingestAuditEvents).toMatchObject({ accepted: 1 });
    const { auditLogs } = await until(
      () => world.operate('{ auditLogs { size problem } }'),
      ({ auditLogs: [log] }) => log.size > EVENTS || log.problem !== null,
    );
    expect(auditLogs).toEqual([{ size: EVENTS + 1, problem: null }]);
  }

  beforeAll(async () => {
    const logins = [owner, service].map((login) => `CREATE ROLE ${login} LOGIN PASSWORD '${name}'`);
    const opened = await openServer('postgres');
    if ('skipped' in opened) throw new Error(opened.skipped);
    cluster = opened;
    await administer(cluster.url, ...logins);
    old = await createEmptyDatabase('postgresql');
    const database = new URL(old.databaseUrl ?? '').pathname.slice(1);
    await administer(
      SERVER_URL,
      `DO $$ BEGIN CREATE ROLE ${SERVICE_ROLE} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`,
      ...logins,
      `GRANT ${SERVICE_ROLE} TO ${service}`,
      `ALTER DATABASE ${database} OWNER TO ${owner}`,
    );
    const settings = {
      databaseUrl: as(service, SERVER_URL, database),
      migrationDatabaseUrl: as(owner, SERVER_URL, database),
    };
    const world = await World.on(old, settings);
    const acme = await world.tenant();
    tenant = acme;
    await acme.ingest(Array.from({ length: EVENTS }, () => anEvent({})));
    await until(
      async () => (await acme.get('/audit-log')).body.data,
      ({ checkpoint }) => checkpoint !== null && parseNote(checkpoint)?.size === EVENTS,
    );
    // Waits until the instance has also remembered the checkpoint in its data folder.
    await until(
      () => readdir(path.join(old.dataDir, 'checkpoints')),
      (noted) => noted.includes(`tenant-${acme.tenantId}`),
    );
    folder = await temporaryFolder();
    // Copied while the service runs, and in this order: a checkpoint newer than the dump would report missing entries.
    for (const part of KEPT)
      await cp(path.join(old.dataDir, part), path.join(folder, part), { recursive: true });
    await run('pg_dump', [
      '--format=custom',
      '--enable-row-security',
      '--file',
      dump(),
      '--dbname',
      settings.migrationDatabaseUrl,
    ]);
    await world.service.close();
  });
  afterAll(async () => {
    await cluster.close();
    await old.drop();
    await administer(SERVER_URL, `DROP ROLE ${owner}`, `DROP ROLE ${service}`);
    await rm(folder, { recursive: true, force: true });
  });

  it('is refused if the role was missing, and names the command that tells an administrator what to run', async () => {
    const url = await emptyDatabase(owner);
    await expect(restore(url)).rejects.toThrow(`role "${SERVICE_ROLE}" does not exist`);
    const refused = `The database was restored without the role ${SERVICE_ROLE}, or without policies and grants. Restore it again, into an empty database, after: audit-activity prepare-restore.`;
    await expect(started(url, null, goesOn)).rejects.toThrow(refused);
    await expect(prepareRestore(url, null)).rejects.toThrow('Restore into an empty one.');

    const empty = await emptyDatabase(owner);
    const all = `CREATE ROLE ${SERVICE_ROLE} NOLOGIN; GRANT ${SERVICE_ROLE} TO "${owner}";`;
    await expect(prepareRestore(empty, null)).rejects.toThrow(`Have an administrator run: ${all}`);
    await administer(cluster.url, `ALTER ROLE ${owner} CREATEROLE`);
    expect((await prepareRestore(empty, null)).map((each) => `${each};`).join(' ')).toBe(all);
    expect(await prepareRestore(empty, null)).toEqual([]);

    // The role alone does not restore the policies and grants that a restore without it lost.
    await expect(started(url, null, goesOn)).rejects.toThrow(refused);
  });

  it('starts and verifies with one login', async () => {
    const url = await emptyDatabase(owner);
    await prepareRestore(url, null);
    await restore(url, '--exit-on-error');
    await started(url, null, goesOn);
  });

  it('starts beside a foreign table that also has tenants', async () => {
    const url = await emptyDatabase(owner);
    await prepareRestore(url, null);
    await restore(url, '--exit-on-error');
    await administer(url, 'CREATE TABLE of_somebody_else (tenant_id integer NOT NULL)');
    await started(url, null, goesOn);
  });

  it('starts and verifies with a login for tables and one for requests', async () => {
    const url = await emptyDatabase(owner);
    const requests = as(service, url, new URL(url).pathname.slice(1));
    expect(await prepareRestore(requests, url)).toContain(`GRANT ${SERVICE_ROLE} TO "${service}"`);
    await restore(url, '--exit-on-error');
    await started(requests, url, goesOn);
  });

  it('starts and verifies for an owner with another name', async () => {
    const other = `${name}_other`;
    await administer(
      cluster.url,
      `CREATE ROLE ${other} LOGIN PASSWORD '${name}'`,
      `GRANT ${SERVICE_ROLE} TO ${other}`,
    );
    const url = await emptyDatabase(other);
    await prepareRestore(url, null);
    await restore(url, '--exit-on-error');
    await started(url, null, goesOn);
  });
});
