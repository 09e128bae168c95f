import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../../src/config';
import { openDatabase } from '../../src/database/database';
import { RESTORE_PREPARED } from '../../src/database/prepare-restore';
import { LIMITS } from '../../src/limits';
import { batchId } from '../../src/modules/destinations/batch';
import { parseNote, signedNote } from '../../src/modules/evidence/checkpoint';
import { finishRestore } from '../../src/modules/restore/finish-restore';
import { createDestination, LOCAL, untilShown } from '../destinations/support/destinations';
import { itemsOf, Receiver } from '../destinations/support/receiver';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import {
  createTestDatabase,
  describeOnPostgres,
  ENGINES,
  type TestDatabase,
  temporaryFolder,
} from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';
import { type TestTenant, World } from '../support/world';
import { Backup, epochOf, finish, healthOf } from './support/backup';

const PATH = '/audit-activity/tail';
const UPGRADE = 'DELETE FROM audit_log_epoch';
jest.setTimeout(240_000);

/** Runs statements of the owner while no service runs. */
async function change(database: TestDatabase, ...statements: string[]): Promise<void> {
  const { migrator, close } = await openDatabase(database);
  for (const statement of statements) await migrator.models.$executeRawUnsafe(statement);
  await close();
}

const cursorOf = async (world: World, tenant: TestTenant, place: Record<string, string> = { from: 'now' }) =>
  (await world.get(PATH, tenant.key, { query: place })).body.meta.nextCursor as string;
const tried = async (world: World, tenant: TestTenant, cursor: string) => {
  const { status, body } = await world.get(PATH, tenant.key, { query: { cursor } });
  return status === 200 ? 200 : [status, body.error.code];
};
const onlyId = async (world: World, tenant: TestTenant): Promise<string> =>
  (await world.get(PATH, tenant.key, { query: { from: 'beginning' } })).body.data[0].recordId;
const LOST = [
  'audit_log_head',
  'audit_log_tile',
  'audit_log_checkpoint',
  'audit_log_place',
  'audit_log_arrival',
];
const REFUSED = [409, 'cursor_of_earlier_log'];

describe.each(ENGINES)('a database on %s', (engine) => {
  useLimits({ checkpointMs: 0 });
  let database: TestDatabase;
  let world: World;
  let tenant: TestTenant;
  const start = async (settings: Partial<Config> = {}) => {
    world = await World.on(database, settings);
    // The tenant's keys work with each service on the database.
    if (tenant) tenant = Object.assign(Object.create(tenant), { world });
    return epochOf(world);
  };
  const stop = () => world.service.close();
  const note = () => path.join(database.dataDir, 'checkpoints', `tenant-${tenant.tenantId}`);
  const remembered = async () => {
    await tenant.ingest([anEvent()]);
    await until(
      () => readFile(note(), 'utf8').catch(() => ''),
      (text) => text !== '',
    );
  };
  /** A later state that the data folder remembers, as after a restore of the database's own files. */
  const remember = async (entries: number) => {
    const last = parseNote(await readFile(note(), 'utf8'));
    if (!last) throw new Error('nothing is remembered');
    const later = { ...last, size: last.size + entries, number: last.number + 1 };
    await writeFile(note(), signedNote(later, TEST_CHECKPOINT_KEY));
  };
  const untilHeld = () =>
    until(
      () => epochOf(world),
      ({ hold }) => hold !== null,
    );

  const reach = (size: number) =>
    until(
      async () => (await world.get('/audit-log', tenant.key)).body.data?.size,
      (found) => Number(found) === size,
    );
  /** The tables of the logs, as they are before entries are lost, and again afterwards. */
  const keep = () => change(database, ...LOST.map((name) => `CREATE TABLE kept_${name} AS TABLE ${name}`));
  const putBack = () =>
    change(
      database,
      ...LOST.flatMap((name) => [
        `DELETE FROM ${name}`,
        `INSERT INTO ${name} SELECT * FROM kept_${name}`,
        `DROP TABLE kept_${name}`,
      ]),
    );

  beforeEach(async () => {
    database = await createTestDatabase(engine);
    await start();
    tenant = await world.tenant();
  });
  afterEach(async () => {
    await stop().catch(() => {});
    await database.drop();
  });

  it('keeps its epoch at each start, and at a fail-over, which changes nothing of it', async () => {
    const first = await epochOf(world);
    expect(first).toMatchObject({ cause: 'first', hold: null, drill: false });
    const cursor = await cursorOf(world, tenant);
    await remembered();
    for (let i = 0; i < 2; i++) {
      await stop();
      expect(await start()).toEqual(first);
      expect(await tried(world, tenant, cursor)).toBe(200);
    }
    expect(await healthOf(world)).toBe('Healthy');
  });

  it('that is shorter than an instance remembers is a restored one: noticed once, over starts too', async () => {
    const cursor = await cursorOf(world, tenant);
    await remembered();
    await stop();
    await remember(40);
    await start();
    const held = await untilHeld();
    expect(held).toMatchObject({
      cause: 'set-back',
      reason: expect.stringContaining('set back or replaced'),
    });
    expect(await tried(world, tenant, cursor)).toEqual(REFUSED);
    expect(await healthOf(world)).toBe('Degraded');
    await finish(world, '(go: true)');
    await stop();
    await start();
    await tenant.ingest([anEvent()]);
    await until(
      async () => (await world.operate('{ auditLogs { problem } }')).auditLogs,
      ([{ problem }]) => problem !== null,
    );
    expect(await epochOf(world)).toMatchObject({ epoch: held.epoch, hold: null });
    await stop();
    // Restored once more, to before the epoch that the instance has seen.
    await writeFile(`${note()}.epoch`, 'ffffffff00000000\n');
    await start();
    expect((await untilHeld()).epoch).not.toBe(held.epoch);
  });

  it('that lost its last entries at a fail-over, and has as many others, is noticed by the cursor alone', async () => {
    await tenant.ingest([anEvent(), anEvent()]);
    await reach(2);
    await stop();
    await keep();
    await start();
    await tenant.ingest([anEvent()]);
    await reach(3);
    const cursor = await cursorOf(world, tenant);
    const back = await cursorOf(world, tenant, { from: 'beginning' });
    expect(await tried(world, tenant, cursor)).toBe(200);
    await stop();
    await rm(path.join(database.dataDir, 'checkpoints'), { recursive: true });
    await putBack();
    const { epoch } = await start();
    await tenant.ingest([anEvent(), anEvent()]);
    await reach(4);
    expect(await epochOf(world)).toMatchObject({ epoch, hold: null });
    expect(await tried(world, tenant, cursor)).toEqual(REFUSED);
    expect(await untilHeld()).toMatchObject({
      cause: 'set-back',
      reason: expect.stringContaining('not the one that it was'),
    });
    expect(await tried(world, tenant, back)).toEqual(REFUSED);
  });

  it('that lost entries behind the newest checkpoint is noticed at the next start, though nobody reads the tail', async () => {
    const noted = () => readFile(path.join(database.dataDir, 'log-ends'), 'utf8').catch(() => '');
    const cursor = await cursorOf(world, tenant);
    await remembered();
    await stop();
    await keep();
    jest.replaceProperty(LIMITS, 'checkpointMs', 3_600_000 as never);
    await start();
    await tenant.ingest([anEvent(), anEvent()]);
    await until(noted, (text) => text.includes(`\n${tenant.tenantId} 3 `));
    await stop();
    await putBack();
    await start();
    expect(await untilHeld()).toMatchObject({
      cause: 'set-back',
      reason: expect.stringContaining('noted 3 entries before it was stopped, and the log has 1'),
    });
    expect(await tried(world, tenant, cursor)).toEqual(REFUSED);
    const { epoch } = await finish(world, '(go: true)');
    await stop();
    jest.replaceProperty(LIMITS, 'checkpointMs', 0 as never);
    await start();
    await tenant.ingest([anEvent()]);
    await reach(2);
    expect(await epochOf(world)).toMatchObject({ epoch, hold: null });
    expect(await healthOf(world)).toBe('Healthy');
  });

  it('that was only moved goes on with its epoch, if an operator says so', async () => {
    const first = await epochOf(world);
    const cursor = await cursorOf(world, tenant);
    await expect(finish(world, '(keepEpoch: true)')).rejects.toThrow('There is no epoch to keep');
    await expect(finish(world, '(go: true, keepEpoch: true)')).rejects.toThrow('either go or keepEpoch');
    await stop();
    await change(
      database,
      `UPDATE audit_log_epoch SET identity = 'another server', place = 'another folder'`,
    );
    const copy = await start();
    expect(copy).toMatchObject({ cause: 'copy', hold: expect.any(String) });
    expect(await tried(world, tenant, cursor)).toEqual(REFUSED);
    expect(await finish(world, '(keepEpoch: true)')).toMatchObject({ epoch: first.epoch, hold: null });
    expect(await tried(world, tenant, cursor)).toBe(200);
    expect(await cursorOf(world, tenant)).not.toBe('');
    await stop();
    expect(await start()).toMatchObject({ epoch: first.epoch, hold: null });
  });

  it('is renewed on demand by the command, while no service runs, and waits until the go', async () => {
    const first = await epochOf(world);
    const cursor = await cursorOf(world, tenant);
    await stop();
    const config = { migrationDatabaseUrl: null, ...database } as unknown as Config;
    const step = { go: false, keepEpoch: false };
    const demanded = await finishRestore(config, step);
    expect(demanded).toMatchObject({ cause: 'demand', hold: expect.stringContaining('--go') });
    expect(demanded.epoch > first.epoch).toBe(true);
    // A restore that is known already is not noticed once more.
    expect(await finishRestore(config, step)).toEqual(demanded);
    expect(await start()).toMatchObject({ epoch: demanded.epoch, hold: demanded.hold });
    expect(await tried(world, tenant, cursor)).toEqual(REFUSED);
    await stop();
    expect(await finishRestore(config, { ...step, go: true })).toMatchObject({ hold: null });
    await start();
    const { accessLog } = await world.operate(
      '{ accessLog(first: 100, operation: "finishRestore") { entries { entrance subject } } }',
    );
    expect(accessLog.entries).toContainEqual({ entrance: 'command', subject: demanded.epoch });
  });

  it('of the release before goes on with cursors, ids and names without an epoch until it is restored', async () => {
    const receiver = await Receiver.open();
    await stop();
    await change(database, UPGRADE);
    expect(await start({ ...LOCAL })).toMatchObject({ cause: 'first', hold: null });
    const cursor = await cursorOf(world, tenant);
    expect(Buffer.from(cursor, 'base64url')[0]).toBe(1);
    const { tenantId } = tenant;
    const { destinationId } = await createDestination(world, { tenantId, url: receiver.url });
    await tenant.ingest([anEvent()]);
    await untilShown(world, destinationId, ({ delivered }) => delivered === 1);
    const proof = await world.get(`/audit-activity/${await onlyId(world, tenant)}/proof`, tenant.key);
    const mark = Buffer.from(proof.body.data.proof.leafHash, 'base64').toString('hex');
    const formerId = batchId('', destinationId, 0, { from: 0, to: 1 }, mark);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([formerId]);
    await stop();
    expect(await start({ ...LOCAL })).toMatchObject({ cause: 'first', hold: null });
    expect(await tried(world, tenant, cursor)).toBe(200);
    const { epoch } = await finish(world);
    expect(await tried(world, tenant, cursor)).toEqual(REFUSED);
    expect(Buffer.from(await cursorOf(world, tenant), 'base64url')[0]).toBe(2);
    await finish(world, '(go: true)');
    await world.operate(
      `mutation { replayDestination(destinationId: "${destinationId}", from: "beginning") { state } }`,
    );
    await untilShown(world, destinationId, ({ delivered }) => delivered === 2);
    expect(receiver.requests.at(-1)?.headers['webhook-id']).toBe(
      batchId(epoch, destinationId, 1, { from: 0, to: 1 }, mark),
    );
    await receiver.close();
  });

  it('that was filled after prepare-restore by a dump of the release before is a restored one', async () => {
    await stop();
    await change(database, UPGRADE, `CREATE TABLE ${RESTORE_PREPARED} ()`);
    const held = await start();
    expect(held).toMatchObject({ cause: 'copy', hold: expect.any(String) });
    await finish(world, '(go: true)');
    await stop();
    expect(await start()).toMatchObject({ epoch: held.epoch, hold: null });
  });

  it('with DRILL=1 sends nothing and tests nothing, answers all the same, and without it goes on', async () => {
    const receiver = await Receiver.open();
    await stop();
    expect(await start({ ...LOCAL, drill: true })).toMatchObject({ cause: 'first', drill: true });
    expect(world.logLines.join('')).toContain('DRILL=1: this instance sends nothing and removes nothing');
    expect(await healthOf(world)).toBe('Degraded');
    const { tenantId } = tenant;
    const { destinationId } = await createDestination(world, { tenantId, url: receiver.url });
    await tenant.ingest([anEvent()]);
    const shown = await untilShown(world, destinationId, ({ lagEvents }) => lagEvents === 1);
    expect(shown.state).toBe('paused');
    const { testDestination } = await world.operate(
      `mutation { testDestination(destinationId: "${destinationId}") { accepted message } }`,
    );
    expect(testDestination).toEqual({ accepted: false, message: expect.stringContaining('DRILL=1') });
    const { body } = await tenant.get(PATH, { from: 'beginning' });
    expect(body.data).toHaveLength(1);
    await stop();
    expect(receiver.requests).toEqual([]);
    await start({ ...LOCAL });
    await untilShown(world, destinationId, ({ delivered }) => delivered === 1);
    expect(itemsOf(receiver.requests[0] as never)).toHaveLength(1);
    await receiver.close();
  });
});

describe('a folder of the embedded database', () => {
  const run = promisify(execFile);
  const copied = async (from: string, to: string) => void (await run('cp', ['-a', `${from}/.`, to]));

  it('that is copied, or put back over a later state, is noticed; the original is not touched', async () => {
    const database = await createTestDatabase('embedded');
    const start = async (place: TestDatabase) => {
      const world = await World.on(place);
      const epoch = await epochOf(world);
      await world.service.close();
      return epoch;
    };
    const first = await start(database);
    const [kept, other] = [await temporaryFolder(), await temporaryFolder()];
    await copied(database.dataDir, kept);
    await copied(database.dataDir, other);
    expect(await start(database)).toEqual(first);
    const copy = await start({ ...database, dataDir: other });
    expect(copy).toMatchObject({ cause: 'copy', hold: expect.any(String) });
    await copied(kept, database.dataDir);
    const back = await start(database);
    expect(back).toMatchObject({ cause: 'copy', hold: expect.any(String) });
    expect(new Set([first.epoch, copy.epoch, back.epoch]).size).toBe(3);
    expect(await start(database)).toEqual(back);
    for (const folder of [kept, other]) await rm(folder, { recursive: true });
    await database.drop();
  });
});

describeOnPostgres('a dump', () => {
  let database: TestDatabase;
  let backup: Backup;
  let first: string;

  beforeAll(async () => {
    database = await createTestDatabase('postgresql');
    const world = await World.on(database);
    await world.tenant();
    first = (await epochOf(world)).epoch;
    await until(
      () => readFile(path.join(database.dataDir, 'secrets.key')).catch(() => null),
      (key) => key !== null,
    );
    backup = await Backup.of(database);
    await world.service.close();
  });
  afterAll(async () => {
    await database.drop();
    await backup.remove();
  });

  it('that two instances find restored at once begins one epoch', async () => {
    const place = await backup.restored();
    const second = { ...place, dataDir: await temporaryFolder() };
    await cp(place.dataDir, second.dataDir, { recursive: true });
    const worlds = await Promise.all([World.on(place), World.on(second)]);
    const [one, two] = await Promise.all(worlds.map(epochOf));
    expect(one).toEqual(two);
    expect(one).toMatchObject({ cause: 'copy', hold: expect.any(String) });
    expect(one?.epoch).not.toBe(first);
    await finish(worlds[0] as World, '(go: true)');
    await until(
      () => healthOf(worlds[1] as World),
      (health) => health === 'Healthy',
    );
    for (const { service } of worlds) await service.close();
    await place.drop();
    await rm(second.dataDir, { recursive: true });
  });

  it('that is restored in place is noticed at once under a running service, its data alone too', async () => {
    const place = await backup.restored();
    const world = await World.on(place);
    const { epoch } = await finish(world, '(go: true)');
    // It complains of constraints of partitions, which go with their table.
    await backup.into(place, '--clean', '--if-exists').catch(() => {});
    const held = await until(
      () => epochOf(world).catch(() => null),
      (found) => found !== null && found.hold !== null,
    );
    expect(held?.cause).toBe('copy');
    expect([first, epoch]).not.toContain(held?.epoch);
    await finish(world, '(go: true)');
    // As a restore of its data alone would, another transaction writes the row.
    for (const statement of ['UPDATE audit_log_epoch SET reason = reason', 'DELETE FROM audit_log_epoch']) {
      await change(place, statement);
      const again = await epochOf(world);
      expect(again).toMatchObject({ cause: 'copy', hold: expect.any(String) });
      await finish(world, '(go: true)');
    }
    await world.service.close();
    await place.drop();
  });
});
