import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isWellFormedKey } from '../../src/api-key/key-format';
import { ensureOperatorKey } from '../../src/operator-key';
import { createTestDatabase, ENGINES, temporaryFolder } from '../support/engines';
import { FakeKeyStore } from '../support/fakes/key-store';
import { World } from '../support/world';

const LIST = '{ apiKeys { kind name } }';

describe('the file operator.key', () => {
  let dataDir: string;
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  beforeEach(async () => {
    warnings.length = 0;
    dataDir = await temporaryFolder();
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it('is written by the first start, for the owner alone to read, and holds one sound key', async () => {
    const file = await ensureOperatorKey(path.join(dataDir, 'new'), new FakeKeyStore(), warn);
    expect(path.basename(file)).toBe('operator.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(isWellFormedKey((await readFile(file, 'utf8')).trim())).toBe(true);
  });

  it('is one and the same for many starts at once, and nothing else is left in the folder', async () => {
    for (let round = 0; round < 20; round++) {
      const folder = path.join(dataDir, String(round));
      const store = new FakeKeyStore();
      await Promise.all(Array.from({ length: 8 }, () => ensureOperatorKey(folder, store, warn)));
      expect(store.keys).toHaveLength(1);
      expect(await readdir(folder)).toEqual(['operator.key']);
    }
  });

  it('stays as it is when its key was revoked, and each start says what to do', async () => {
    const store = new FakeKeyStore();
    const file = await ensureOperatorKey(dataDir, store, warn);
    const key = await readFile(file, 'utf8');
    expect(warnings).toEqual([]);
    store.change(store.keys[0]?.keyId ?? '', { revokedAt: new Date() });
    await ensureOperatorKey(dataDir, store, warn);
    expect(warnings).toEqual([expect.stringContaining('is revoked; put a valid one there')]);
    expect(await readFile(file, 'utf8')).toBe(key);
    expect(warnings.join()).not.toContain(key.trim());
    await rm(file);
    await ensureOperatorKey(dataDir, store, warn);
    expect([warnings.length, store.keys.length]).toEqual([1, 2]);
  });

  it('that holds something else is left alone, and the start says what to do', async () => {
    const file = path.join(dataDir, 'operator.key');
    await writeFile(file, 'my notes');
    await expect(ensureOperatorKey(dataDir, new FakeKeyStore(), warn)).rejects.toThrow(
      `${file} does not hold an operator key; remove it to get a new one`,
    );
    expect(await readFile(file, 'utf8')).toBe('my notes');
  });
});

describe.each(ENGINES)('the operator key on %s', (engine) => {
  it('stays the same over restarts, and is one key however often the service starts', async () => {
    const place = await createTestDatabase(engine);
    const first = await World.on(place);
    await first.service.close();
    const second = await World.on(place);
    expect(second.operatorKey).toBe(first.operatorKey);
    expect((await second.operate(LIST)).apiKeys).toEqual([{ kind: 'operator', name: 'operator.key' }]);
    await second.close();
  });

  it('opens a new database too: the key of the data folder is made known to it', async () => {
    const before = await World.open(engine);
    const place = await createTestDatabase(engine);
    await writeFile(path.join(place.dataDir, 'operator.key'), `${before.operatorKey}\n`, { mode: 0o600 });
    const after = await World.on(place);
    expect(after.operatorKey).toBe(before.operatorKey);
    expect((await after.operate(LIST)).apiKeys).toHaveLength(1);
    await before.close();
    await after.close();
  });

  it('is not in the log', async () => {
    const world = await World.open(engine);
    await world.operate(LIST);
    expect(world.logLines.join('\n')).not.toContain(world.operatorKey);
    await world.close();
  });
});
