import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PostgresKeyStore } from '../../src/caller/key.store';
import { isWellFormedKey } from '../../src/caller/key-format';
import { ensureOperatorKey } from '../../src/modules/keys/operator-key';
import { recoverOperatorKey } from '../../src/modules/keys/recover-operator-key';
import { runCli } from '../support/cli';
import {
  createEmptyDatabase,
  createTestDatabase,
  describeOnPostgres,
  ENGINES,
  temporaryFolder,
} from '../support/engines';
import { FakeKeyStore } from '../support/fakes/key-store';
import { Store } from '../support/store';
import { World } from '../support/world';

const LIST = '{ apiKeys { kind name } }';

describe('the file operator.key', () => {
  let dataDir: string;
  const warnings: string[] = [];
  const infos: string[] = [];
  const told = {
    warn: (text: string) => void warnings.push(text),
    info: (text: string) => void infos.push(text),
  };
  beforeEach(async () => {
    [warnings.length, infos.length] = [0, 0];
    dataDir = await temporaryFolder();
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it('is written by the first start, readable by its owner only, and holds one well-formed key', async () => {
    const file = await ensureOperatorKey(path.join(dataDir, 'new'), new FakeKeyStore(), told);
    if (!file) throw new Error('the first start writes a file');
    expect(path.basename(file)).toBe('operator.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(isWellFormedKey((await readFile(file, 'utf8')).trim())).toBe(true);
  });

  it('is the same for many starts at the same time, and nothing else is left in the folder', async () => {
    for (let round = 0; round < 20; round++) {
      const folder = path.join(dataDir, String(round));
      const store = new FakeKeyStore();
      await Promise.all(Array.from({ length: 8 }, () => ensureOperatorKey(folder, store, told)));
      expect(store.keys).toHaveLength(1);
      expect(await readdir(folder)).toEqual(['operator.key']);
    }
  });

  it('stays unchanged when its key was revoked, and each start says what to do', async () => {
    const store = new FakeKeyStore();
    const file = path.join(dataDir, 'operator.key');
    await ensureOperatorKey(dataDir, store, told);
    const key = await readFile(file, 'utf8');
    expect(warnings).toEqual([]);
    store.change(store.keys[0]?.keyId ?? '', { revokedAt: new Date() });
    await ensureOperatorKey(dataDir, store, told);
    expect(warnings).toEqual([
      expect.stringMatching(/is revoked; put a valid one there, .*operator-key recover/),
    ]);
    expect(await readFile(file, 'utf8')).toBe(key);
    expect(warnings.join()).not.toContain(key.trim());
  });

  it('is not written on a database that has an operator key: the start says where the key is and how to make another', async () => {
    const store = new FakeKeyStore();
    await ensureOperatorKey(path.join(dataDir, 'first'), store, told);
    const other = path.join(dataDir, 'other');
    expect(await ensureOperatorKey(other, store, told)).toBeNull();
    expect([store.keys.length, warnings.length, infos.length]).toEqual([1, 0, 1]);
    expect(infos[0]).toMatch(/AUDIT_ACTIVITY_OPERATOR_KEY .* `audit-activity operator-key recover`/);
    // No key is made either if all keys have ended, or if the file is lost.
    store.change(store.keys[0]?.keyId ?? '', { revokedAt: new Date() });
    await rm(path.join(dataDir, 'first/operator.key'));
    expect(await ensureOperatorKey(path.join(dataDir, 'first'), store, told)).toBeNull();
    expect(store.keys).toHaveLength(1);
    expect(await readdir(path.join(dataDir, 'first'))).toEqual([]);
  });

  it('with a key unknown to the database adds no key there, and the start warns', async () => {
    await ensureOperatorKey(path.join(dataDir, 'elsewhere'), new FakeKeyStore(), told);
    const store = new FakeKeyStore();
    await ensureOperatorKey(path.join(dataDir, 'first'), store, told);
    await ensureOperatorKey(path.join(dataDir, 'elsewhere'), store, told);
    expect(store.keys).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('is not known to this database')]);
  });

  it('with other content is left alone, and the start fails with the reason', async () => {
    const file = path.join(dataDir, 'operator.key');
    await writeFile(file, 'my notes');
    await expect(ensureOperatorKey(dataDir, new FakeKeyStore(), told)).rejects.toThrow(
      `${file} does not hold an operator key`,
    );
    expect(await readFile(file, 'utf8')).toBe('my notes');
  });
});

describe.each(ENGINES)('the operator key on %s', (engine) => {
  it('stays the same across restarts, and stays the only one', async () => {
    const place = await createTestDatabase(engine);
    const first = await World.on(place);
    await first.service.close();
    const second = await World.on(place);
    expect(second.operatorKey).toBe(first.operatorKey);
    expect((await second.operate(LIST)).apiKeys).toEqual([{ kind: 'operator', name: 'operator.key' }]);
    await second.close();
  });

  it('opens a new database too: the start registers the key of the data folder there', async () => {
    const before = await World.open(engine);
    const place = await createTestDatabase(engine);
    await writeFile(path.join(place.dataDir, 'operator.key'), `${before.operatorKey}\n`, { mode: 0o600 });
    const after = await World.on(place);
    expect(after.operatorKey).toBe(before.operatorKey);
    expect((await after.operate(LIST)).apiKeys).toHaveLength(1);
    await before.close();
    await after.close();
  });

  it('is not written to the log', async () => {
    const world = await World.open(engine);
    await world.operate(LIST);
    expect(world.logLines.join('\n')).not.toContain(world.operatorKey);
    await world.close();
  });

  it('can be replaced after its loss by the owner of the database, and the access log records this', async () => {
    const place = await createTestDatabase(engine);
    const before = await World.on(place);
    await before.service.close();
    await rm(path.join(place.dataDir, 'operator.key'));
    const { lines, error } = await runCli(
      ['operator-key', 'recover', '--json'],
      {},
      ...[
        undefined,
        undefined,
        undefined,
        () => recoverOperatorKey({ ...place, migrationDatabaseUrl: null }),
      ],
    );
    expect(error).toBeNull();
    const { keyId, key } = JSON.parse(lines[0] ?? '');
    await writeFile(path.join(place.dataDir, 'operator.key'), `${key}\n`);
    const after = await World.on(place);
    const { apiKeys } = await after.operate('{ apiKeys { keyId kind name } }');
    expect(apiKeys).toContainEqual({ keyId, kind: 'operator', name: 'recovered' });
    const { accessLog } = await after.operate(
      '{ accessLog(operation: "recoverOperatorKey", first: 9) { entries { entrance subject outcome parameters } } }',
    );
    expect(accessLog.entries).toEqual([
      { entrance: 'command', subject: keyId, outcome: 'ok', parameters: expect.stringContaining('"login":') },
    ]);
    expect(JSON.stringify(accessLog)).not.toContain(key);
    await after.close();
  });
});

describeOnPostgres('the operator key of several instances', () => {
  it('is made once when the instances start at the same time, each with a data folder of its own', async () => {
    const place = await createTestDatabase('postgresql');
    const store = await Store.on(place);
    const keys = new PostgresKeyStore(store.database.service);
    const folders = await Promise.all(Array.from({ length: 6 }, temporaryFolder));
    const files = await Promise.all(
      folders.map((folder) => ensureOperatorKey(folder, keys, { info: () => {}, warn: () => {} })),
    );
    expect(files.filter((file) => file !== null)).toHaveLength(1);
    expect((await Promise.all(folders.map((folder) => readdir(folder)))).flat()).toEqual(['operator.key']);
    expect((await keys.list()).map(({ kind }) => kind)).toEqual(['operator']);
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
    await store.close();
  });

  it('is not recovered with a login that does not own the tables', async () => {
    const store = await Store.open('postgresql');
    const login = `login_${randomBytes(6).toString('hex')}`;
    await store.query(`CREATE ROLE ${login} LOGIN PASSWORD 'x'`);
    await store.query(`GRANT audit_activity_service TO ${login}`);
    await store.query(`GRANT CREATE ON SCHEMA public TO ${login}`);
    const url = new URL(store.place.databaseUrl ?? '');
    [url.username, url.password] = [login, 'x'];
    const made = recoverOperatorKey({ ...store.place, databaseUrl: url.href, migrationDatabaseUrl: null });
    await expect(made).rejects.toThrow(`${login} does not own the tables. Set MIGRATION_DATABASE_URL`);
    const owner = { ...store.place, databaseUrl: url.href, migrationDatabaseUrl: store.place.databaseUrl };
    expect((await recoverOperatorKey(owner)).key).toMatch(/^aao_/);
    await store.query(`DROP OWNED BY ${login}`);
    await store.query(`DROP ROLE ${login}`);
    await store.close();
  });

  it('is not recovered on a database without the tables of the service', async () => {
    const place = await createEmptyDatabase('postgresql');
    await expect(recoverOperatorKey({ ...place, migrationDatabaseUrl: null })).rejects.toThrow(
      'has no tables',
    );
    await place.drop();
  });
});
