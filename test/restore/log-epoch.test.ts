import { LogEpoch } from '../../src/store/log/epoch/log-epoch';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const FOUND = 'a log is shorter than it was';

describe('the epoch of the logs of a database', () => {
  let store: Store;
  beforeEach(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterEach(() => store.close());
  const anInstance = (isDrill = false) =>
    LogEpoch.open({
      owner: store.database.migrator,
      embeddedIn: null,
      isDrill,
      nowMs: () => Date.parse('2026-01-05T08:00:00Z'),
      log: { warn: () => {} },
    });

  it('is renewed once where two instances notice that a log was set back', async () => {
    const [first, second] = [await anInstance(), await anInstance()];
    const { epoch } = first.state;
    await first.noticeSetBack(epoch, FOUND);
    const renewed = first.state;
    expect(renewed).toMatchObject({ cause: 'set-back', reason: FOUND, hold: expect.any(String) });
    expect([renewed.epoch > epoch, renewed.former]).toEqual([true, [epoch, '']]);
    await second.noticeSetBack(epoch, FOUND);
    expect([second.state.epoch, first.state.epoch]).toEqual([renewed.epoch, renewed.epoch]);
  });

  it('is not taken back after a log was set back: its positions may hold other events', async () => {
    const instance = await anInstance();
    await instance.noticeSetBack(instance.state.epoch, FOUND);
    const held = instance.state;
    await expect(instance.keep(AN_ATTEMPT)).rejects.toMatchObject({ code: 'invalid_parameter' });
    expect(await instance.look()).toEqual(held);
  });

  it('is renewed where an operator says go to a copy that nobody has noticed yet', async () => {
    const instance = await anInstance();
    await instance.noticeSetBack(instance.state.epoch, FOUND);
    expect(await instance.go(AN_ATTEMPT)).toMatchObject({ hold: null });
    const { epoch } = instance.state;
    // What a restore does to the row: another transaction has written it.
    await store.query('UPDATE audit_log_epoch SET reason = reason');
    expect(await instance.go(AN_ATTEMPT)).toMatchObject({ cause: 'copy', hold: expect.any(String) });
    expect(instance.state.epoch).not.toBe(epoch);
    expect(await instance.go(AN_ATTEMPT)).toMatchObject({ cause: 'copy', hold: null });
  });

  it('lets nothing leave before the logs were compared, and in a drill, also where an operator let it go', async () => {
    const instance = await anInstance();
    const { epoch } = instance.state;
    expect(instance.pause).toMatch('first compares the logs');
    expect(instance.pauseOf(epoch)).toMatch('first compares the logs');
    instance.settle();
    expect([instance.pause, instance.pauseOf(epoch), instance.pauseOf(null)]).toEqual([null, null, null]);
    await instance.noticeSetBack(epoch, FOUND);
    const { epoch: next, hold } = instance.state;
    expect([instance.pauseOf(epoch), instance.pauseOf(null), instance.pauseOf(next)]).toEqual([
      hold,
      hold,
      null,
    ]);
    const drill = await anInstance(true);
    drill.settle();
    expect([drill.pause, drill.pauseOf(next)]).toEqual(Array(2).fill(expect.stringMatching('DRILL=1')));
  });
});
