import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { parseNote } from '../../src/modules/evidence/checkpoint';
import { CHECKPOINT_KEY_FILE } from '../../src/modules/evidence/checkpoint-key-file';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';
import { tenantSet } from '../../src/tenant-set';
import { runCli } from '../support/cli';
import { describeOnPostgres, ENGINES, temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { Inserter } from '../support/inserter';
import { Store } from '../support/store';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { INGEST, type Query, World } from '../support/world';
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
    new Inserter(store.database.service, store.partitions, own).insert(
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

  it('continue under a new key at once, say when nothing is sealed by the earlier one, and need it no more', async () => {
    await first.run();
    await accept(first, 4);
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const said = () =>
      lines.filter((line) => line.includes('nothing is sealed by the earlier checkpoint keys'));
    const own = aKey();
    const others = [first.keys.own, second.keys.own];
    const changing = new LogTrial(store, own, { others }, undefined, 0, undefined, log);
    await changing.sequencer.begin(false);
    // Another instance still has the earlier key alone: it signs nothing, and what it accepts waits.
    await accept(first, 1);
    await first.run();
    expect([first.sequencer.healthy, await state()]).toMatchObject([false, { size: 3, waitingEvents: 7 }]);
    await changing.run();
    expect([said(), (await state())?.size]).toEqual([[expect.stringContaining(idOf(first))], 10]);
    await changing.run();
    expect(said()).toHaveLength(1);
    const after = new LogTrial(store, own, {}, changing.memory);
    await after.sequencer.begin(false);
    await accept(after, 2);
    await after.run();
    expect([after.problem, after.sequencer.healthy, await state()]).toMatchObject([
      ...[null, true],
      { size: 12, refusedEvents: 0 },
    ]);
    // Who has the earlier key cannot have anything taken in any more.
    await accept(first, 1);
    await after.run();
    expect(await state()).toMatchObject({ size: 12, waitingEvents: 1 });
    expect(after.problem).toContain(`1 events wait that an instance with the checkpoint key ${idOf(first)}`);
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

describeOnPostgres('a service that has another checkpoint key than the logs of its database', () => {
  it('makes no report and no package, which its key would sign', async () => {
    const one = await World.open('postgresql');
    const tenant = await one.tenant();
    const two = await World.on(one.database, { dataDir: await temporaryFolder() });
    const scopes = ['read:audit-activity', 'read:reports'];
    const { key } = await one.key({ tenantIds: [tenant.tenantId], scopes });
    const period = { startTime: '2026-01-01', endTime: '2026-02-01' };
    const ask = async (world: World, path: string) => {
      const answer = await fetch(`${world.service.url}/api/v1/public${path}?${new URLSearchParams(period)}`, {
        headers: { 'X-Api-Key': key },
      });
      return [answer.status, await answer.text()];
    };
    for (const path of ['/reports/log-ons/content', '/audit-activity/package']) {
      expect(await ask(two, path)).toEqual([
        503,
        expect.stringContaining('has another checkpoint key than the evidence log'),
      ]);
      expect((await ask(one, path))[0]).toBe(200);
    }
    await two.service.close();
    await one.close();
  });
});

describeOnPostgres('a service whose checkpoint key is changed as docs/evidence.md says', () => {
  useLimits({ ...QUICK_LOG, checkpointMs: 1 });

  it('goes on signing, needs the earlier key no more, and verifies with both public keys or the new one', async () => {
    let world = await World.open('postgresql');
    const { database } = world;
    const { tenantId, key, agentKey } = await world.tenant();
    const restart = async () => {
      await world.service.close();
      world = await World.on(database);
    };
    const size = async () => parseNote((await tenantLog(world, key)).checkpoint ?? '')?.size;
    const send = async (events: number, upTo: number) => {
      await world.graphql(agentKey, INGEST, {
        batch: { events: Array.from({ length: events }, () => anEvent()) },
      });
      await until(size, (signed) => signed === upTo);
    };
    const showKey = async () =>
      (await runCli(['verify', '--show-key'], { DATA_DIR: database.dataDir })).lines[0] ?? '';
    const tail = async (query: Query) => (await world.get('/audit-activity/tail', key, { query })).body;
    await send(5, 5);
    const { nextCursor } = (await tail({ from: 'now' })).meta;
    const [older, file] = [await showKey(), path.join(database.dataDir, CHECKPOINT_KEY_FILE)];
    const kept = path.join(database.dataDir, 'kept.txt');
    await writeFile(kept, (await tenantLog(world, key)).checkpoint);
    const newPem = newCheckpointKeyPem();
    const verify = async (...args: string[]) => {
      const env = { AUDIT_ACTIVITY_API_KEY: key };
      const all = ['verify', '--service', world.service.url, '--tenant', tenantId, '--wait', '0', ...args];
      const { lines, error } = await runCli(all, env);
      return [error, lines.join('\n')];
    };
    const isSound = (events: number) =>
      expect.stringContaining(`all ${events} events are as they were accepted`);
    await writeFile(file, newPem + (await readFile(file, 'utf8')));
    const newer = await showKey();
    await restart();
    await until(
      () => world.logLines.join(''),
      (text) => text.includes('nothing is sealed by the earlier checkpoint keys any more'),
    );
    // What was signed is signed again by the new key, though nothing was added.
    const [error, text] = await verify('--public-key', newer);
    expect([error, text]).toEqual([null, isSound(5)]);
    expect(text).toContain('note: checkpoint 1 is of another key');
    await writeFile(file, newPem);
    await restart();
    const check = `{ auditLogCheck(tenantId: "${tenantId}") { signed sound problems } }`;
    expect((await world.operate(check)).auditLogCheck).toEqual({ signed: 5, sound: 5, problems: [] });
    await send(3, 8);
    expect((await world.fetch('/health')).text).toBe('Healthy');
    expect((await tail({ cursor: nextCursor })).data).toHaveLength(3);
    const both = ['--public-key', older, '--public-key', newer];
    expect(await verify(...both, '--checkpoint', kept)).toEqual([null, isSound(8)]);
    expect(await verify('--public-key', newer)).toEqual([null, isSound(8)]);
    expect(await verify('--public-key', older)).toEqual([
      expect.stringContaining('3 of 8 events could not be judged'),
      expect.stringContaining('NO VERDICT on 3 of 8 events'),
    ]);
    await world.close();
  });
});

const tenantLog = async (world: World, key: string) => (await world.get('/audit-log', key)).body.data;
