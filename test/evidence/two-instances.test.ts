import { tenantSet } from '../../src/caller/tenant-set';
import { LIMITS } from '../../src/limits';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import type { Store } from '../support/store';
import { LogTrial, Memory, savedLog, takeAway, useLog } from './support';

describe.each(ENGINES)('of two instances with one key on %s', (engine) => {
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
  /** Events are made to be what they were not, and listed as if they were of before there was a log. */
  const rewrite = async () => {
    await change(`UPDATE audit_event SET statement = 'SELECT 1' WHERE tenant_id = $1`);
    await change(`INSERT INTO audit_log_backlog SELECT DISTINCT tenant_id, hour,
      (lpad(to_hex(hour::bigint * 3600000), 12, '0') || '80008000000000000000')::uuid FROM audit_delta WHERE tenant_id = $1`);
  };

  it('the one that signed nothing remembers what the other signed', async () => {
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
  ])('neither signs a log that was taken away and made anew of other events%s', async (_, then) => {
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

  it('a third one that remembers nothing takes no event in that was not accepted', async () => {
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

  it('neither goes on with an earlier state, signed by whomever', async () => {
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

  it('neither goes on with the state of just before the last checkpoint, though it is as long', async () => {
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

  it('a third one proves only so many logs that others signed in one round, and the next in the next', async () => {
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

  it('neither goes on with an earlier state of since the last checkpoint, as long as it runs', async () => {
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

  it('each notices that a third one without memory went on with an earlier state', async () => {
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
    'the other remembers what was signed also when the checkpoint was %s before it saw it',
    async (_, sql) => {
      await add(5);
      await signer.run();
      await change(sql);
      await other.run();
      expect(await other.memory.last(store.tenantId)).toEqual(await signer.memory.last(store.tenantId));
    },
  );

  it('the other remembers nothing of a log whose hashes or end were changed before it saw them', async () => {
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

  it('each goes on by itself once what was wrong is right again, or what it remembers was taken away', async () => {
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
