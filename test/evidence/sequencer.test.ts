import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { parseNote } from '../../src/modules/evidence/checkpoint';
import { NotRemembered } from '../../src/modules/evidence/checkpoint-memory';
import { leafHashOf } from '../../src/store/log/evidence/entry';
import { rootByInclusion } from '../../src/store/log/evidence/merkle';
import { isSignedBy } from '../../src/store/log/evidence/signed-note';
import { tenantSet } from '../../src/tenant-set';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { LogTrial, Memory, useLog } from './support';

const hexOf = (recordId: string) => recordId.replaceAll('-', '');

describe.each(ENGINES)('the evidence log on %s', (engine) => {
  const place = useLog(engine);
  let store: Store;
  let trial: LogTrial;
  beforeEach(() => {
    ({ store, trial } = place);
  });
  const times = (n: number) =>
    Array.from({ length: n }, (_, i) => ({
      eventTime: `2026-01-05T${String(i % 24).padStart(2, '0')}:00:00.0000000Z`,
      blockOffset: 512 * (i + 1),
    }));
  const state = async () => (await trial.log.states(tenantSet([store.tenantId])))[0];

  it('has each accepted event once, with the hash of the event that the API returns', async () => {
    const events = store.checked(times(700));
    await store.insert(events.slice(0, 300));
    await store.insert(events.slice(200, 650));
    await store.insert(events.slice(200, 300));
    expect(await state()).toMatchObject({
      size: 0,
      waitingEvents: 650,
      checkpoint: null,
      backfilling: false,
    });
    await trial.run();
    await store.insert(events);
    await trial.run();
    expect(await state()).toMatchObject({
      size: 700,
      waitingEvents: 0,
      oldestWaitingAt: null,
      problem: null,
    });
    const entries = await trial.entries();
    expect(entries.map(([id]) => id).sort()).toEqual(events.map(({ recordId }) => hexOf(recordId)).sort());
    const reader = new PostgresAuditEventReader(store.database.service);
    for (const { recordId } of [events[0], events[299], events[699]].filter((e) => e !== undefined)) {
      const stored = await reader.find(tenantSet([store.tenantId]), recordId);
      const leaf = entries.find(([id]) => id === hexOf(recordId))?.[1];
      expect(stored && leafHashOf(stored)).toBe(leaf);
    }
  });

  it('has a record that occurs twice in a batch once, with the hash of the stored one', async () => {
    const [first, other] = store.checked(times(2));
    if (!first || !other) throw new Error('two events');
    const differing = { ...first, record: { ...first.record, statement: 'DROP TABLE dbo.Employees' } };
    expect(await store.insert([first, other, differing, first])).toBe(2);
    expect(await store.insert([other, other])).toBe(0);
    const third = store.checked([{}]);
    expect(await store.insert([...third, ...third])).toBe(1);
    expect(await state()).toMatchObject({ waitingEvents: 3 });
    await trial.run();
    expect(await state()).toMatchObject({ size: 3, waitingEvents: 0, problem: null });
    const entries = await trial.entries();
    const accepted = [first, other, ...third];
    expect(entries.map(([id]) => id).sort()).toEqual(accepted.map(({ recordId }) => hexOf(recordId)).sort());
    const reader = new PostgresAuditEventReader(store.database.service);
    for (const { recordId } of accepted) {
      const stored = await reader.find(tenantSet([store.tenantId]), recordId);
      expect(entries).toContainEqual([hexOf(recordId), stored && leafHashOf(stored)]);
    }
  });

  it('signs its size and root, and proves that an event is in it', async () => {
    const events = store.checked(times(600));
    await store.insert(events);
    await trial.run();
    const note = (await state())?.checkpoint ?? '';
    expect(isSignedBy(TEST_CHECKPOINT_KEY.verifierKey, note)).toBe(true);
    const checkpoint = parseNote(note);
    expect(checkpoint).toMatchObject({ tenantId: store.tenantId, size: 600, number: 1 });
    for (const { recordId } of events.filter((_, i) => i % 97 === 0)) {
      const proof = await trial.log.proof(store.tenantId, recordId);
      if (!proof) throw new Error('no proof');
      expect(rootByInclusion(proof.leafHash, proof.index, 600, proof.path)).toEqual(checkpoint?.root);
    }
    await store.insert(store.checked([{}]));
    await trial.run();
    expect(await trial.log.checkpoints(store.tenantId, 0)).toHaveLength(2);
    expect(await trial.log.checkpoints(store.tenantId, 1)).toHaveLength(1);
  });

  it('stops with a reason while a signed checkpoint cannot be remembered, and continues afterwards', async () => {
    const memory = new Memory();
    let isFull = true;
    const { remember } = memory;
    // Only the checkpoints of this log: those of the others are remembered before a new one is signed.
    memory.remember = async (tenantId, note) => {
      if (isFull && tenantId === store.tenantId)
        throw new NotRemembered('checkpoints in DATA_DIR cannot be written (ENOSPC)');
      return remember.call(memory, tenantId, note);
    };
    trial = new LogTrial(store, undefined, {}, memory);
    await store.insert(store.checked(times(3)));
    await trial.run();
    const stopped = () => [trial.sequencer.healthy, trial.sequencer.stoppedLogs, trial.problem];
    expect(stopped()).toEqual([false, 1, 'checkpoints in DATA_DIR cannot be written (ENOSPC)']);
    await store.insert(store.checked(times(6).slice(3)));
    await trial.run();
    isFull = false;
    await trial.run();
    expect(stopped()).toEqual([true, 0, null]);
    expect(await trial.log.states(tenantSet([store.tenantId]))).toMatchObject([
      { size: 6, waitingEvents: 0 },
    ]);
  });
});
