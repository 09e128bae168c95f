import { LIMITS } from '../../src/limits';
import { parseNote } from '../../src/modules/evidence/checkpoint';
import { checkCheckpoints } from '../../src/modules/evidence/verify/checkpoints';
import { tenantSet } from '../../src/tenant-set';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import type { Store } from '../support/store';
import { until } from '../support/until';
import { LogTrial, Memory, useLog } from './support';

const CHECKPOINT_MS = 40_000;
const NOW = Date.parse('2026-05-04T12:00:00.000Z');
const DAY_MS = 86_400_000;

describe.each(ENGINES)('the evidence log of instances whose clocks are wrong on %s', (engine) => {
  const place = useLog(engine);
  let store: Store;
  let ms: number;
  beforeEach(() => {
    store = place.store;
    ms = NOW;
  });
  const instance = (clock: () => number = () => ms, memory = new Memory()) =>
    new LogTrial(store, TEST_CHECKPOINT_KEY, {}, memory, CHECKPOINT_MS, () => new Date(clock()));
  const add = (n = 1) => store.insert(store.checked(Array.from({ length: n }, () => ({}))));
  const notes = async (trial: LogTrial) =>
    (await trial.log.checkpoints(store.tenantId, 0)).map(({ note }) => note);
  const times = async (trial: LogTrial) => (await notes(trial)).map((note) => parseNote(note)?.time);
  /** What a verifier finds wrong with the log. */
  const problems = async (trial: LogTrial) => {
    const { recordIds, leafHashes } = await trial.log.entries(store.tenantId, 0);
    const checkpoints = await notes(trial);
    const { publicKey } = trial.log;
    const about = {
      waitingEvents: 0,
      refusedEvents: 0,
      problem: null,
      removals: [],
      erasures: [],
      sealed: { fileEntries: [], files: [] },
      holes: [],
      proofs: [],
      timeStamps: [],
    };
    const log = { ...about, tenantId: String(store.tenantId), publicKey, checkpoints, recordIds, leafHashes };
    return checkCheckpoints({ ...log, before: checkpoints.at(-1) ?? null }, [publicKey], []).problems;
  };

  it.each([
    ['86,000 s ahead', 86_000_000],
    ['three days ahead', 3 * DAY_MS],
    ['three days behind', -3 * DAY_MS],
    ['one period ahead', CHECKPOINT_MS + 1_000],
  ])(
    'is signed at once after a clock was %s and is right again, and once a period from then on',
    async (_, aside) => {
      const trial = instance();
      await add();
      await trial.run();
      ms = NOW + aside;
      await add();
      await trial.run();
      ms = NOW + 1_000;
      await add();
      await trial.run();
      const signed = [NOW, NOW + aside, NOW + 1_000].map((at) => new Date(at).toISOString());
      expect(await times(trial)).toEqual(signed);
      await add();
      for (const after of [2_000, 1_000 + CHECKPOINT_MS - 1]) {
        ms = NOW + after;
        await trial.run();
        expect(await notes(trial)).toHaveLength(3);
      }
      expect([trial.problem, trial.sequencer.healthy]).toEqual([null, true]);
      ms = NOW + 1_000 + CHECKPOINT_MS;
      await trial.run();
      expect(await notes(trial)).toHaveLength(4);
      expect([await problems(trial), trial.problem]).toEqual([[], null]);
      const restarted = instance(() => ms, trial.memory as Memory);
      await restarted.run();
      expect([restarted.problem, restarted.sequencer.healthy]).toEqual([null, true]);
    },
  );

  it('is signed by two instances whose clocks are ten minutes apart, by each at most once a period', async () => {
    const ahead = instance(() => ms + 600_000);
    const right = instance();
    for (let second = 0; second < 120; second += 5) {
      ms = NOW + second * 1_000;
      await add();
      await ahead.run();
      await right.run();
    }
    const signed = await times(right);
    expect(signed.length).toBeGreaterThanOrEqual(4);
    expect(signed.length).toBeLessThanOrEqual(6);
    for (const trial of [ahead, right]) {
      expect([trial.problem, trial.sequencer.healthy, trial.sequencer.unsignedLogs]).toEqual([null, true, 0]);
      expect(await problems(trial)).toEqual([]);
    }
  });

  it('is Degraded, with a problem, while entries are not signed for five minutes, and no longer', async () => {
    const trial = instance();
    await add();
    await trial.run();
    // Something keeps the log from being signed: here the rows that have to be written.
    await store.query(
      `CREATE FUNCTION refuse_${store.tenantId}() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.tenant_id = ${store.tenantId} THEN RAISE EXCEPTION 'not now'; END IF; RETURN NEW; END $$`,
    );
    await store.query(
      `CREATE TRIGGER refuse_${store.tenantId} BEFORE INSERT ON audit_log_checkpoint
       FOR EACH ROW EXECUTE FUNCTION refuse_${store.tenantId}()`,
    );
    await add();
    await trial.run();
    ms += CHECKPOINT_MS;
    const attempt = () => trial.run().catch(() => {});
    await attempt();
    const seen = ms;
    const state = () => [trial.sequencer.healthy, trial.sequencer.unsignedLogs, trial.problem];
    ms = seen + LIMITS.evidenceUnsignedMs - 1;
    await attempt();
    expect(state()).toEqual([true, 0, null]);
    ms = seen + LIMITS.evidenceUnsignedMs;
    const text = expect.stringContaining('no instance has signed for five minutes');
    expect(state()).toEqual([false, 1, text]);
    expect(trial.sequencer.stoppedLogs).toBe(0);
    expect(trial.sequencer.problems.get(store.tenantId)).toEqual(text);
    expect(await trial.log.states(tenantSet([store.tenantId]))).toMatchObject([
      { problem: text, waitingEvents: 0 },
    ]);
    await store.query(`DROP TRIGGER refuse_${store.tenantId} ON audit_log_checkpoint`);
    await store.query(`DROP FUNCTION refuse_${store.tenantId}`);
    // The tenant rests for as long as its failed work took.
    await until(
      async () => {
        await trial.run();
        return trial.sequencer.unsignedLogs;
      },
      (unsigned) => unsigned === 0,
    );
    expect(state()).toEqual([true, 0, null]);
    expect(await notes(trial)).toHaveLength(2);
    // Entries that are signed each time are never late, however long the log grows.
    for (let i = 0; i < 8; i++) {
      await add();
      ms += CHECKPOINT_MS + 1;
      await trial.run();
      expect(state()).toEqual([true, 0, null]);
    }
  });
});
