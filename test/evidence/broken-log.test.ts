import { tenantSet } from '../../src/tenant-set';
import { ENGINES } from '../support/engines';
import type { Store } from '../support/store';
import { type LogTrial, savedLog, takeAway, useLog } from './support';

describe.each(ENGINES)('somebody who can write to the database on %s', (engine) => {
  const place = useLog(engine);
  let store: Store;
  let trial: LogTrial;
  beforeEach(async () => {
    ({ store, trial } = place);
    await add(300);
    await trial.run();
  });
  const add = (n: number) => store.insert(store.checked(Array.from({ length: n }, () => ({}))));
  const state = async () => (await trial.log.states(tenantSet([store.tenantId])))[0];
  const change = (sql: string) => store.query(sql, store.tenantId);

  it('cannot get an event accepted: changed or added rows of the queue are refused', async () => {
    await add(2);
    await add(1);
    await change(`UPDATE audit_log_queue SET leaves = set_byte(leaves, 20, (get_byte(leaves, 20) + 1) % 256)
      WHERE tenant_id = $1 AND events = 2`);
    await trial.run();
    expect(await state()).toMatchObject({ size: 301, waitingEvents: 0, refusedEvents: 2 });
    await change(`INSERT INTO audit_log_queue SELECT tenant_id, gen_random_uuid(), received_at, leaves, accepted, 5, key_id,
      mac, false FROM audit_log_queue WHERE tenant_id = $1`);
    await trial.run();
    expect(await state()).toMatchObject({ size: 301, refusedEvents: 7 });
  });

  it('cannot move waiting events to another tenant', async () => {
    const another = await store.forNewTenant();
    await add(2);
    await change(`UPDATE audit_log_queue SET tenant_id = ${another.tenantId} WHERE tenant_id = $1`);
    await trial.run();
    const [others] = await trial.log.states(tenantSet([another.tenantId]));
    expect(others).toMatchObject({ size: 0, refusedEvents: 2 });
    expect(await state()).toMatchObject({ size: 300, waitingEvents: 0, refusedEvents: 0 });
  });

  it.each([
    [
      'how long it is',
      'UPDATE audit_log_head SET size = size - 1 WHERE tenant_id = $1',
      'where the log ends',
    ],
    [
      'its root',
      `UPDATE audit_log_head SET root = set_byte(root, 0, (get_byte(root, 0) + 1) % 256) WHERE tenant_id = $1`,
      'where the log ends',
    ],
    [
      'how much is signed',
      'UPDATE audit_log_head SET checkpoints = 0 WHERE tenant_id = $1',
      'where the log ends',
    ],
    [
      'that all is in it',
      'UPDATE audit_log_head SET backfilled = NOT backfilled WHERE tenant_id = $1',
      'where the log ends',
    ],
    [
      'its last hashes',
      `UPDATE audit_log_tile SET hashes = set_byte(hashes, 0, (get_byte(hashes, 0) + 1) % 256)
        WHERE tenant_id = $1 AND level = 0 AND tile = 1`,
      'hashes at the end',
    ],
    [
      'its last tile',
      'DELETE FROM audit_log_tile WHERE tenant_id = $1 AND level = 0 AND tile = 1',
      'no hashes where',
    ],
  ])('cannot get a log signed after a change of %s: the log stops', async (_, sql, problem) => {
    await change(sql);
    await add(1);
    await trial.run();
    expect(trial.problem).toContain(problem);
    expect(await trial.log.checkpoints(store.tenantId, 0)).toHaveLength(1);
    expect(await state()).toMatchObject({ waitingEvents: 1, problem: trial.problem });
  });

  it('cannot set the log back to an earlier state and have that state signed', async () => {
    const putBack = await savedLog(store);
    await add(5);
    await trial.run();
    await putBack();
    await add(5);
    await trial.run();
    expect(trial.problem).toContain('the log was set back or replaced: it has 300 entries and 1 checkpoints');
    expect(await trial.log.checkpoints(store.tenantId, 0)).toHaveLength(1);
  });

  it('is found out when a whole log is removed, before anything is added to it', async () => {
    await takeAway(store);
    await trial.run();
    expect(trial.problem).toContain('it has 0 entries and 0 checkpoints, and had 300 entries');
    await add(1);
    await trial.run();
    expect(await state()).toMatchObject({
      size: 0,
      waitingEvents: 1,
      checkpoint: null,
      problem: trial.problem,
    });
  });
});
