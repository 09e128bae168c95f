import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { tenantSet } from '../../src/caller/tenant-set';
import { CHECKPOINT_KEY_FILE } from '../../src/modules/evidence/checkpoint-key-file';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/trail/evidence/note-key';
import { describeOnPostgres, ENGINES, temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { Inserter } from '../support/inserter';
import { Store } from '../support/store';
import { until } from '../support/until';
import { World } from '../support/world';
import { LogTrial } from './support';

const aKey = () => CheckpointKey.ofPem(newCheckpointKeyPem());

describe.each(ENGINES)('two instances that made two checkpoint keys, on %s', (engine) => {
  let base: Store;
  let store: Store;
  let first: LogTrial;
  let second: LogTrial;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  afterAll(() => base.close());
  beforeEach(async () => {
    for (const table of ['key', 'queue', 'head', 'tile', 'place', 'checkpoint'])
      await base.query(`DELETE FROM audit_log_${table}`);
    store = await base.forNewTenant();
    [first, second] = [new LogTrial(store, aKey()), new LogTrial(store, aKey())];
    await first.sequencer.begin(true);
    await second.sequencer.begin(true);
    await accept(first, 3);
    await accept(second, 2);
  });
  const accept = ({ keys: { own } }: LogTrial, n: number) =>
    new Inserter(store.database.run, store.partitions, own).insert(
      store.tenantId,
      store.checked(Array.from({ length: n }, () => ({}))),
    );
  const state = async () => (await first.log.states(tenantSet([store.tenantId])))[0];
  const idOf = ({ keys: { own } }: LogTrial) => own.keyId;

  it('keep the log under the first key; the other instance signs nothing, and names the setting to change', async () => {
    await second.run();
    expect(second.sequencer.healthy).toBe(false);
    expect(second.problem).toContain(
      `kept with the checkpoint key ${idOf(first)}, and this instance has ${idOf(second)}`,
    );
    expect(second.problem).toContain('set CHECKPOINT_KEY_FILE');
    expect(second.problem).toContain(`only if that file is lost, set CHECKPOINT_KEY_SUCCEEDS=${idOf(first)}`);
    expect((await state())?.size).toBe(0);
    await first.run();
    expect(await state()).toMatchObject({ size: 3, waitingEvents: 2 });
  });

  it('report the events that wait under the other key', async () => {
    await first.run();
    expect(first.sequencer.healthy).toBe(false);
    expect((await state())?.problem).toContain(
      `2 events wait that an instance with the checkpoint key ${idOf(second)} accepted`,
    );
  });

  it("continue without a problem once the other has the log's key in CHECKPOINT_KEY_FILE and keeps its data folder", async () => {
    await first.run();
    const mended = new LogTrial(store, first.keys.own, { others: [second.keys.own] });
    await mended.sequencer.begin(false);
    await mended.run();
    await first.run();
    expect([mended.problem, mended.sequencer.healthy]).toEqual([null, true]);
    expect([first.problem, first.sequencer.healthy]).toEqual([null, true]);
    expect(await state()).toMatchObject({ size: 5, waitingEvents: 0, refusedEvents: 0 });
    expect(await first.memory.last(store.tenantId)).toMatchObject({ size: 5 });
  });

  it("refuse events that were changed while they waited under the other's key", async () => {
    await store.query(
      `UPDATE audit_log_queue SET leaves = set_byte(leaves, 20, (get_byte(leaves, 20) + 1) % 256) WHERE key_id = $1`,
      idOf(second),
    );
    await new LogTrial(store, first.keys.own, { others: [second.keys.own] }).run();
    expect(await state()).toMatchObject({ size: 3, waitingEvents: 0, refusedEvents: 2 });
  });

  it('take in what a lost instance had accepted when CHECKPOINT_KEY_SUCCEEDS names its key', async () => {
    const mended = new LogTrial(store, first.keys.own, { former: [idOf(second)] });
    await mended.run();
    expect([mended.problem, mended.sequencer.healthy]).toEqual([null, true]);
    expect(await state()).toMatchObject({ size: 5, waitingEvents: 0 });
  });

  it('let another key succeed the lost key of the log, and report an instance that returns with the old key', async () => {
    await first.run();
    const successor = new LogTrial(store, second.keys.own, { former: [idOf(first)] });
    await successor.sequencer.begin(true);
    await successor.run();
    expect([successor.problem, successor.sequencer.healthy]).toEqual([null, true]);
    expect(await state()).toMatchObject({ size: 5, waitingEvents: 0 });
    await accept(first, 1);
    await first.run();
    expect(first.problem).toContain(
      `kept with the checkpoint key ${idOf(second)}, and this instance has ${idOf(first)}`,
    );
    expect(await state()).toMatchObject({ size: 5 });
  });

  it("notice a change of the log's key in the database, and sign nothing under the other key", async () => {
    await first.run();
    await store.query('UPDATE audit_log_key SET key_id = $1', idOf(second));
    await second.run();
    expect(second.problem).toContain('and this instance has');
    expect((await second.log.checkpoints(store.tenantId, 0)).length).toBe(1);
    await first.run();
    expect([first.sequencer.healthy, first.problem]).toEqual([
      false,
      expect.stringContaining('and this instance has'),
    ]);
    // Without the row of the key, the key of the existing logs counts.
    await store.query('DELETE FROM audit_log_key');
    await second.run();
    expect(second.sequencer.healthy).toBe(false);
    await new LogTrial(store, first.keys.own, { others: [second.keys.own] }).run();
    await first.run();
    expect(first.problem).toBeNull();
  });
});

describeOnPostgres('two services with a data folder each', () => {
  it("report Degraded until the second has the log's key; the second makes no operator key, and no event is lost", async () => {
    const one = await World.open('postgresql');
    const dataDir = await temporaryFolder();
    let two = await World.on(one.database, { dataDir });
    expect(two.service.operatorKeyFile).toBeNull();
    expect(two.logLines.join('\n')).toContain('operator-key recover');
    const health = async (world: World) => {
      const { status, text } = await world.fetch('/health');
      return [status, text];
    };
    expect(await health(two)).toEqual([200, expect.stringContaining('Degraded')]);
    expect(two.logLines.join('\n')).toContain('set CHECKPOINT_KEY_FILE');
    const tenant = await two.tenant();
    await tenant.ingest([anEvent()]);
    const problems = '{ auditLogs { tenantId problem } }';
    const found = await until(
      () => one.operate(problems),
      ({ auditLogs }) => auditLogs[0].problem !== null,
    );
    expect(found.auditLogs[0].problem).toContain('1 events wait');
    expect((await health(one))[1]).toContain('Degraded');
    await two.service.close();
    const checkpointKeyFile = path.join(dataDir, 'shared/key');
    await mkdir(path.dirname(checkpointKeyFile));
    await copyFile(path.join(one.database.dataDir, CHECKPOINT_KEY_FILE), checkpointKeyFile);
    two = await World.on(one.database, { dataDir, checkpointKeyFile });
    await until(
      async () => (await tenantLog(two, tenant.key)).checkpoint,
      (checkpoint) => checkpoint !== null,
    );
    await until(
      () => health(one),
      ([, text]) => !String(text).includes('Degraded'),
    );
    expect((await health(two))[1]).not.toContain('Degraded');
    expect(await tenantLog(two, tenant.key)).toMatchObject({ size: 1, waitingEvents: 0, problem: null });
    await two.service.close();
    await one.close();
  });
});

const tenantLog = async (world: World, key: string) => (await world.get('/audit-log', key)).body.data;
