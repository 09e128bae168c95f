import { pino } from 'pino';
import { HOUR_MS } from '../../src/event/event-time';
import { LIMITS } from '../../src/limits';
import { DetectionTally } from '../../src/modules/detection/base/tally';
import { Detector } from '../../src/modules/detection/detector/detector';
import { FindingsCheck } from '../../src/modules/detection/detector/findings-check';
import { ProgressSeal } from '../../src/modules/detection/detector/progress-seal';
import { TrustedProgress } from '../../src/modules/detection/detector/trusted-progress';
import { RuleAbouts } from '../../src/modules/detection/rules/rule-abouts';
import { type Finding, findingIdOf } from '../../src/rules/finding';
import { LocalHost } from '../../src/rules/host';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';
import { LogTrial } from '../evidence/support';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { describeOnPostgres } from '../support/engines';
import { TEST_EPOCH } from '../support/epoch';
import { Store } from '../support/store';

const ruleId = '0192f0c1-0000-8000-8000-000000000001';

/** Finds something in every event. */
class EveryEvent extends LocalHost {
  override async evaluate(...given: Parameters<LocalHost['evaluate']>) {
    const [tenantId, events] = given;
    const findings = events.map(({ recordId }): Finding => {
      const about = { ruleId, ruleVersion: 1, groupKey: recordId.slice(-1), recordIds: [recordId] };
      return {
        ...about,
        findingId: findingIdOf(tenantId, about),
        title: 'Everything',
        severity: 'low',
        group: {},
        dedupMinutes: 60,
        firstAt: 0,
        lastAt: 0,
        eventCount: 1,
        principals: [],
        instances: [],
      };
    });
    return { ...(await super.evaluate(...given)), findings };
  }
}

describeOnPostgres('how far rules are', () => {
  let base: Store;
  let store: Store;
  let nowMs: number;
  let epoch = TEST_EPOCH;
  beforeAll(async () => {
    base = await Store.open('postgresql');
  });
  afterAll(() => base.close());
  beforeEach(async () => {
    store = await base.forNewTenant();
    nowMs = Date.parse('2026-03-04T05:06:07Z');
    epoch = TEST_EPOCH;
  });
  /** An instance that has just started. */
  const anInstance = (keys: readonly [CheckpointKey, ...CheckpointKey[]] = [TEST_CHECKPOINT_KEY]) => {
    const { database, tenantId } = store;
    const owner = database.owner;
    const told: string[] = [];
    const seal = new ProgressSeal(
      keys,
      () => epoch,
      () => nowMs,
    );
    const tell = async (of: number, problem: string) => {
      if (of === tenantId) told.push(problem);
    };
    const detector = new Detector({
      owner,
      host: new EveryEvent(),
      shipped: new Map(),
      abouts: new RuleAbouts(),
      reader: new PostgresArrivalReader(database.owner),
      tally: new DetectionTally(),
      nowMs: () => nowMs,
      progress: new TrustedProgress({ owner, seal, tell, log: pino({ level: 'silent' }) }),
    });
    const check = new FindingsCheck(database.service, seal);
    return {
      seal,
      told: () => told.splice(0),
      problems: () => check.problems(tenantId),
      run: async () => {
        while ((await detector.run()) > 0);
      },
    };
  };
  const arrive = async (count: number) => {
    await store.insert(store.checked(Array.from({ length: count }, () => ({}))));
    await new LogTrial(store).run();
  };
  const set = (what: string) =>
    store.query(`UPDATE detection_position SET holder = NULL, ${what} WHERE tenant_id = $1`, store.tenantId);
  const state = async () => {
    const [row] = await store.query<{ position: string; findings: string; made: string; key: string }>(
      `SELECT position::text, findings::text, key_id AS key,
         (SELECT count(*) FROM finding f WHERE f.tenant_id = p.tenant_id)::text AS made
       FROM detection_position p WHERE p.tenant_id = $1`,
      store.tenantId,
    );
    return [Number(row?.position), Number(row?.findings), Number(row?.made), row?.key];
  };
  const KEY_ID = TEST_CHECKPOINT_KEY.keyId;

  it('is sealed with the number of findings, which are then as many as there are', async () => {
    const instance = anInstance();
    await arrive(10);
    await instance.run();
    expect(await state()).toEqual([10, 10, 10, KEY_ID]);
    await arrive(5);
    await instance.run();
    expect(await state()).toEqual([15, 15, 15, KEY_ID]);
    expect([instance.told(), instance.seal.healthy, await instance.problems()]).toEqual([[], true, []]);
    await set('due_at = NULL');
    const later = anInstance();
    await arrive(1);
    await later.run();
    expect([await state(), later.told(), await later.problems()]).toEqual([[16, 16, 16, KEY_ID], [], []]);
  });

  it.each([
    ['onto the end of the log', 'position = 20', 1],
    ['within the log', 'position = position + 3', 0],
    ['beyond the log', 'position = 5000', 0],
    ['with a seal of other progress', 'position = 19, mac = decode(repeat($$00$$, 32), $$hex$$)', 0],
    ['without a seal', 'position = 20, key_id = NULL, mac = NULL', 1],
    ['under a key that nobody has', 'position = 19, key_id = $$01234567$$', 0],
    ['to other learning', 'learn_until = 20', 0],
  ])(
    'is noticed where somebody moved it %s: rules pass nothing, and people are told',
    async (_, change, more) => {
      const instance = anInstance();
      await arrive(10);
      await instance.run();
      await arrive(10);
      await set(change);
      expect(await instance.problems()).toEqual(['How far the rules are was changed in the database.']);
      if (more > 0) await arrive(more);
      await instance.run();
      expect(await state()).toEqual([20 + more, 20 + more, 20 + more, KEY_ID]);
      expect(instance.told()).toEqual([
        expect.stringMatching(
          /was changed in the database, from 10 entries of the log to \d+\. They go on at 10$/,
        ),
      ]);
      expect([instance.seal.healthy, await instance.problems()]).toEqual([false, []]);
      for (const later of [HOUR_MS, -86_000_000]) {
        nowMs += later;
        expect(instance.seal.healthy).toBe(true);
      }
    },
  );

  it('is noticed where somebody took it away', async () => {
    const instance = anInstance();
    await arrive(10);
    await instance.run();
    await store.query('DELETE FROM detection_position WHERE tenant_id = $1', store.tenantId);
    expect(await instance.problems()).toEqual(['How far the rules are was changed in the database.']);
    await instance.run();
    expect([await state(), instance.told()]).toEqual([
      [10, 10, 10, KEY_ID],
      [expect.stringContaining('at 10')],
    ]);
  });

  it('is noticed by an instance that has just started, which cannot tell what was passed', async () => {
    await arrive(10);
    await anInstance().run();
    await arrive(10);
    await set('position = 5000');
    const instance = anInstance();
    await instance.run();
    expect([await state(), instance.told()]).toEqual([
      [20, 10, 10, KEY_ID],
      [expect.stringContaining('before this instance started: test the rules on the events of before')],
    ]);
    expect(await instance.problems()).toEqual([]);
  });

  it('does no harm where it is put back as it was sealed before: what was found since is found again', async () => {
    const instance = anInstance();
    await arrive(10);
    await instance.run();
    const [old] = await store.query<{ mac: Uint8Array }>(
      'SELECT mac FROM detection_position WHERE tenant_id = $1',
      store.tenantId,
    );
    await arrive(10);
    await instance.run();
    await store.query('DELETE FROM finding WHERE tenant_id = $1', store.tenantId);
    await store.query(
      'UPDATE detection_position SET position = 10, findings = 10, mac = $2 WHERE tenant_id = $1',
      ...[store.tenantId, old?.mac],
    );
    expect(await instance.problems()).toEqual([
      '20 findings are not there any more: rules made 20, and 0 are there.',
    ]);
    await instance.run();
    expect(await state()).toEqual([20, 20, 10, KEY_ID]);
    expect(await instance.problems()).toEqual([
      '10 findings are not there any more: rules made 20, and 10 are there.',
    ]);
  });

  it('shows an operator which findings and alerts are gone', async () => {
    const instance = anInstance();
    await arrive(30);
    await instance.run();
    // Those with the most findings, since alerts are counted and not their findings.
    await store.query(
      `DELETE FROM alert WHERE tenant_id = $1 AND alert_id IN (
         SELECT alert_id FROM finding WHERE tenant_id = $1 GROUP BY alert_id HAVING count(*) > 1 ORDER BY count(*) DESC LIMIT 2)`,
      store.tenantId,
    );
    const alerts = '2 alerts are not there any more, whose findings are.';
    expect(await instance.problems()).toEqual([alerts]);
    await store.query(
      'DELETE FROM finding WHERE tenant_id = $1 AND alert_id IN (SELECT alert_id FROM alert WHERE tenant_id = $1 LIMIT 1)',
      store.tenantId,
    );
    const [, , made] = (await state()) as [number, number, number];
    const findings = `${30 - made} findings are not there any more: rules made 30, and ${made} are there.`;
    expect(await instance.problems()).toEqual([findings, alerts]);
    expect(await anInstance().problems()).toEqual([findings, alerts]);
  });

  it('goes on under another key, and where a release without seals has been at work', async () => {
    await arrive(10);
    await anInstance().run();
    const own = CheckpointKey.ofPem(newCheckpointKeyPem());
    const changing = anInstance([own, TEST_CHECKPOINT_KEY]);
    await set('due_at = NULL');
    await arrive(1);
    await changing.run();
    expect([await state(), changing.told()]).toEqual([[11, 11, 11, own.keyId], []]);
    // The key before is gone, and so is the seal for this instance.
    await set(`key_id = '${KEY_ID}'`);
    const after = anInstance([own]);
    await arrive(1);
    await after.run();
    expect([await state(), after.told(), await after.problems()]).toEqual([[12, 12, 12, own.keyId], [], []]);
    epoch = { ...TEST_EPOCH, isBridged: true, beganAt: new Date(nowMs - LIMITS.cursorBridgeMs + 1) };
    await arrive(3);
    await set('position = position + 2');
    await after.run();
    expect([await state(), after.told()]).toEqual([[15, 13, 13, own.keyId], []]);
    nowMs += 1;
    await arrive(1);
    await set('position = position + 1');
    await arrive(1);
    await after.run();
    expect([await state(), after.told()]).toEqual([
      [17, 15, 15, own.keyId],
      [expect.stringContaining('at 15')],
    ]);
  });
});
