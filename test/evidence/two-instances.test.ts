import { LIMITS } from '../../src/limits';
import { tenantSet } from '../../src/tenant-set';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import type { Store } from '../support/store';
import { LogTrial, Memory, savedLog, takeAway, useLog } from './support';

describe.each(ENGINES)('two instances with one checkpoint key on %s', (engine) => {
  const place = useLog(engine);
  let store: Store;
  let signer: LogTrial;
  let other: LogTrial;
  beforeEach(async () => {
    ({ store, trial: signer } = place);
    other = new LogTrial(store);
    await add(300);
    await signer.run();
    await other.run();
  });
  const add = (n: number) => store.insert(store.checked(Array.from({ length: n }, () => ({}))));
  const change = (sql: string) => store.query(sql, store.tenantId);
  const state = async () => (await other.log.states(tenantSet([store.tenantId])))[0];
  const signed = async () => (await other.log.checkpoints(store.tenantId, 0)).length;
  const restarted = (trial: LogTrial) => new LogTrial(store, TEST_CHECKPOINT_KEY, {}, trial.memory);
  /** Changes stored events, and lists them as if they were older than the log. */
  const rewrite = async () => {
    await change(`UPDATE audit_event SET statement = 'SELECT 1' WHERE tenant_id = $1`);
    await change(`INSERT INTO audit_log_backlog SELECT DISTINCT tenant_id, hour,
      (lpad(to_hex(hour::bigint * 3600000), 12, '0') || '80008000000000000000')::uuid FROM audit_delta WHERE tenant_id = $1`);
  };

  it('an instance remembers what the other one signed', async () => {
    expect(await other.memory.last(store.tenantId)).toEqual(await signer.memory.last(store.tenantId));
    await add(5);
    await signer.run();
    await other.run();
    const last = await other.memory.last(store.tenantId);
    expect(last).toMatchObject({ size: 305, number: 2 });
    expect(last).toEqual(await signer.memory.last(store.tenantId));
  });

  it.each([
    ['', (trial: LogTrial) => trial],
    [', nor one that was started again', restarted],
  ])('none signs a log that was removed and made again from other events%s', async (_, then) => {
    await takeAway(store);
    await rewrite();
    for (const trial of [then(other), then(signer)]) {
      await trial.run();
      expect(trial.problem).toContain('the log was set back or replaced: it has 0 entries');
      expect(trial.sequencer.healthy).toBe(false);
      await add(1);
      await trial.run();
    }
    expect(await signed()).toBe(0);
    expect(await state()).toMatchObject({ size: 0, waitingEvents: 2 });
  });

  it('a third instance without memory takes in only accepted events', async () => {
    await takeAway(store);
    await rewrite();
    await add(1);
    const third = new LogTrial(store);
    await third.run();
    expect((await third.entries()).length).toBe(1);
    expect((await third.log.states(tenantSet([store.tenantId])))[0]?.problem).toContain(
      'it was never sealed',
    );
    await other.run();
    expect(other.problem).toContain('it has 1 entries and 1 checkpoints, and had 300 entries');
  });

  it('none continues an earlier state of the log, whoever signed it', async () => {
    const putBack = await savedLog(store);
    await add(5);
    await signer.run();
    await other.run();
    await putBack();
    await add(1);
    for (const trial of [other, restarted(other), signer]) {
      await trial.run();
      expect(trial.problem).toContain(
        'it has 300 entries and 1 checkpoints, and had 305 entries (checkpoint 2',
      );
    }
    expect(await signed()).toBe(1);
  });

  it('none continues the state before the last checkpoint, though it has as many entries', async () => {
    const slow = new LogTrial(store, TEST_CHECKPOINT_KEY, {}, signer.memory, 3_600_000);
    await add(5);
    await slow.run();
    const putBack = await savedLog(store);
    await signer.run();
    await other.run();
    await putBack();
    for (const trial of [other, restarted(other), signer]) {
      await trial.run();
      expect(trial.problem).toContain(
        'it has 305 entries and 1 checkpoints, and had 305 entries (checkpoint 2',
      );
    }
    expect(await signed()).toBe(1);
  });

  it('a new instance verifies a bounded number of logs in each round, and the others in later rounds', async () => {
    const another = await store.forNewTenant();
    await another.insert(another.checked([{}]));
    await signer.run();
    jest.replaceProperty(LIMITS, 'evidenceProofsPerRound', 1 as never);
    const memory = new Memory();
    const third = new LogTrial(store, TEST_CHECKPOINT_KEY, {}, memory);
    const remembered: number[] = [];
    for (let round = 0; round < 2; round++) {
      await third.sequencer.run();
      remembered.push(memory.notes.size);
    }
    jest.restoreAllMocks();
    expect(remembered).toEqual([1, 2]);
  });

  it('a running instance does not continue a state that is earlier than its own, though later than the last checkpoint', async () => {
    const [putBack, slow] = [
      await savedLog(store),
      new LogTrial(store, TEST_CHECKPOINT_KEY, {}, other.memory, 3_600_000),
    ];
    await add(5);
    await slow.run();
    await slow.run();
    expect((await state())?.size).toBe(305);
    expect(await signed()).toBe(1);
    await putBack();
    await slow.run();
    expect(slow.problem).toContain('it has 300 entries and 1 checkpoints, and had 305 entries');
  });

  describe('whose newest checkpoint does not cover the last entries', () => {
    const HOUR_MS = 3_600_000;
    const slowly = (memory: Memory) => new LogTrial(store, TEST_CHECKPOINT_KEY, {}, memory, HOUR_MS);
    let memory: Memory;
    let putBack: () => Promise<void>;
    beforeEach(async () => {
      jest.replaceProperty(LIMITS, 'evidenceNoteEndsMs', 0 as never);
      memory = new Memory();
      memory.currentEpoch = 'one';
      putBack = await savedLog(store);
      const slow = slowly(memory);
      await slow.run();
      await add(5);
      // The second round sees what the first one has taken in.
      for (let i = 0; i < 2; i++) await slow.run();
      expect(memory.noted).toMatch(new RegExp(`^one\n${store.tenantId} 305 [0-9a-f]{64}\n$`));
    });
    afterEach(() => jest.restoreAllMocks());
    /** An instance that is started on the same data folder, after one round. */
    const startedAgain = async (epoch = 'one') => {
      const folder = new Memory();
      folder.currentEpoch = epoch;
      folder.noted = memory.noted;
      for (const [tenantId, text] of memory.notes) await folder.remember(tenantId, text);
      const trial = slowly(folder);
      await trial.sequencer.begin(false);
      await trial.run();
      return { folder, trial };
    };
    const found = ({ trial }: { trial: LogTrial }) =>
      trial.sequencer.compared.setBack.get(store.tenantId) ?? null;

    it('started again, it notices that they are lost, in this epoch once', async () => {
      await putBack();
      const again = await startedAgain();
      expect(found(again)).toEqual({
        epoch: 'one',
        found: expect.stringContaining('noted 305 entries before it was stopped, and the log has 300'),
      });
      await add(3);
      await again.trial.run();
      expect(found(again)?.epoch).toBe('one');
      again.folder.currentEpoch = 'two';
      await add(1);
      for (let i = 0; i < 2; i++) await again.trial.run();
      expect([found(again), again.trial.problem, (await state())?.size]).toEqual([null, null, 304]);
      expect(again.folder.noted).toMatch(new RegExp(`^two\n${store.tenantId} 304 [0-9a-f]{64}\n$`));
    });

    it.each([
      ['as many', 5],
      ['more', 9],
    ])('started again, it notices %s other entries in their place', async (_, events) => {
      await putBack();
      await add(events);
      await slowly(new Memory()).run();
      expect(found(await startedAgain())?.found).toContain(`the log has ${300 + events}`);
    });

    it('started again, it proves so many of many logs in a round, and has compared all when each was proven', async () => {
      jest.replaceProperty(LIMITS, 'evidenceProofsPerRound', 1 as never);
      await add(9);
      store = await store.forNewTenant();
      await add(4);
      await slowly(new Memory()).run();
      memory.noted += `${store.tenantId} 2 ${'7'.repeat(64)}\n`;
      const again = await startedAgain();
      expect([again.trial.sequencer.hasCompared, found(again)]).toEqual([false, null]);
      await again.trial.run();
      expect(again.trial.sequencer.hasCompared).toBe(true);
      expect(found(again)?.found).toContain('noted 2 entries');
    });

    it('started again, it notices that a whole log is lost whose first checkpoint is not remembered', async () => {
      memory.notes.clear();
      await takeAway(store);
      expect(found(await startedAgain())?.found).toContain('and the log has 0');
    });

    it.each<[string, string, () => unknown]>([
      ['that is as it was', 'one', () => undefined],
      [
        'that another instance went on with',
        'one',
        async () => {
          await add(3);
          await slowly(new Memory()).run();
        },
      ],
      [
        'of a disabled tenant',
        'one',
        () => change('UPDATE tenant SET disabled_at = now() WHERE tenant_id = $1'),
      ],
      ['of another epoch, also if it is shorter', 'two', () => putBack()],
      [
        'of which nothing readable is noted, also if it is shorter',
        'one',
        () => {
          memory.noted = `one\n${store.tenantId} 305`;
          return putBack();
        },
      ],
      [
        'whose hashes before its end are missing',
        'one',
        async () => {
          await add(300);
          await slowly(new Memory()).run();
          await change('DELETE FROM audit_log_tile WHERE tenant_id = $1 AND level = 0 AND tile = 1');
        },
      ],
    ])('started again, it accuses nobody of a log %s', async (_, epoch, happens) => {
      await happens();
      const again = await startedAgain(epoch);
      expect([found(again), again.trial.problem]).toEqual([null, null]);
    });

    it('notes no end that a remembered checkpoint covers', async () => {
      const trial = new LogTrial(store, TEST_CHECKPOINT_KEY, {}, memory);
      for (let i = 0; i < 2; i++) await trial.run();
      expect(memory.noted).toBe('one\n');
    });
  });

  it('each notices that a third instance without memory continued an earlier state', async () => {
    const putBack = await savedLog(store);
    await add(5);
    await signer.run();
    await other.run();
    await putBack();
    await add(7);
    await new LogTrial(store).run();
    expect(await signed()).toBe(2);
    for (const trial of [other, restarted(other), signer]) {
      await trial.run();
      expect(trial.problem).toContain(
        'the log was replaced: it is not the one whose 305 entries were signed',
      );
    }
    await add(1);
    await other.run();
    expect(await signed()).toBe(2);
  });

  it.each([
    ['taken away', 'DELETE FROM audit_log_checkpoint WHERE tenant_id = $1 AND number = 2'],
    ['changed', `UPDATE audit_log_checkpoint SET note = 'x' WHERE tenant_id = $1 AND number = 2`],
  ])(
    "an instance remembers the other's checkpoint even if its row was %s before it read the row",
    async (_, sql) => {
      await add(5);
      await signer.run();
      await change(sql);
      await other.run();
      expect(await other.memory.last(store.tenantId)).toEqual(await signer.memory.last(store.tenantId));
    },
  );

  it('an instance remembers nothing of a log whose hashes or head were changed before it read them', async () => {
    const flip = (column: string) => `${column} = set_byte(${column}, 0, (get_byte(${column}, 0) + 1) % 256)`;
    await add(300);
    await signer.run();
    await change(
      `UPDATE audit_log_tile SET ${flip('hashes')} WHERE tenant_id = $1 AND level = 0 AND tile = 2`,
    );
    await other.run();
    expect(other.problem).toContain('hashes of the log were changed');
    await change(`UPDATE audit_log_head SET ${flip('root')} WHERE tenant_id = $1`);
    await other.run();
    expect(other.problem).toContain('where the log ends was changed');
    expect(await other.memory.last(store.tenantId)).toMatchObject({ number: 1 });
  });

  it('a stopped log continues by itself once its state is restored, or the remembered checkpoint is removed', async () => {
    const early = await savedLog(store);
    await add(5);
    await signer.run();
    await other.run();
    const right = await savedLog(store);
    await early();
    await other.run();
    expect(other.problem).not.toBeNull();
    await right();
    await other.run();
    expect(other.problem).toBeNull();
    await early();
    await other.run();
    expect(other.problem).not.toBeNull();
    (other.memory as Memory).notes.delete(store.tenantId);
    await add(1);
    await other.run();
    expect(other.problem).toBeNull();
    expect(await state()).toMatchObject({ size: 301, waitingEvents: 0 });
  });
});
