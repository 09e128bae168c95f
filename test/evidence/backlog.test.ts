import { randomBytes } from 'node:crypto';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { openBacklog } from '../../src/modules/evidence/log-key';
import { leafHashOf } from '../../src/store/log/evidence/entry';
import { tenantSet } from '../../src/tenant-set';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import { RetentionTrial } from '../support/retention';
import { Store } from '../support/store';
import { LogTrial, Memory, useLog } from './support';

const hexOf = (recordId: string) => recordId.replaceAll('-', '');

describe.each(ENGINES)('events that were stored before the evidence log existed, on %s', (engine) => {
  const place = useLog(engine);
  let store: Store;
  let trial: LogTrial;
  beforeEach(() => {
    ({ store, trial } = place);
  });
  afterEach(() => jest.restoreAllMocks());
  const inHours = (n: number, minute: number) =>
    store.checked(
      Array.from({ length: n }, (_, i) => ({ eventTime: `2026-01-05T0${i % 3}:${minute}:00.0000000Z` })),
    );
  /** Lists the events as the migration lists the events that it finds. */
  const forget = async () => {
    await store.query('DELETE FROM audit_log_queue WHERE tenant_id = $1', store.tenantId);
    await store.query(
      `INSERT INTO audit_log_backlog SELECT DISTINCT tenant_id, hour,
         (lpad(to_hex(hour::bigint * 3600000), 12, '0') || '80008000000000000000')::uuid FROM audit_delta WHERE tenant_id = $1`,
      store.tenantId,
    );
  };
  /** Seals the backlog as the first start with a checkpoint key does. */
  const seal = () => store.database.migrator.models.$transaction((tx) => openBacklog(tx, trial.keys));
  const limitStep = (change: { readonly events?: number; readonly bytes?: number }) =>
    jest.replaceProperty(LIMITS, 'evidenceBackfillStep', {
      ...LIMITS.evidenceBackfillStep,
      ...change,
    } as never);
  const state = async () => (await trial.log.states(tenantSet([store.tenantId])))[0];

  it.each([
    ['', {}],
    [', some of an hour at a time', { events: 50 }],
    [', few bytes at a time', { bytes: 5_000 }],
  ])('enter the log once each, while new events of the same hours arrive%s', async (_, change) => {
    limitStep(change);
    const old = inHours(500, 10);
    await store.insert(old);
    await forget();
    await seal();
    expect(await state()).toMatchObject({ size: 0, backfilling: true });
    const others = inHours(300, 20);
    await store.insert(others.slice(0, 200));
    await trial.sequencer.run();
    await store.insert(others.slice(100));
    await trial.run();
    expect(await state()).toMatchObject({ size: 800, backfilling: false, waitingEvents: 0 });
    const entries = await trial.entries();
    expect(entries.map(([id]) => id).toSorted()).toEqual(
      [...old, ...others].map(({ recordId }) => hexOf(recordId)).toSorted(),
    );
    const reader = new PostgresAuditEventReader(store.database.service);
    const [first] = old;
    const stored = await reader.find(tenantSet([store.tenantId]), first?.recordId ?? '');
    expect(stored && leafHashOf(stored)).toBe(
      entries.find(([id]) => id === hexOf(first?.recordId ?? ''))?.[1],
    );
  });

  it('are read in steps whose statements and additional values are limited in bytes', async () => {
    const changes = [
      { statement: 'x'.repeat(40_000) },
      { additional: { a: randomBytes(30_000).toString('hex') } },
    ];
    const events = Array.from({ length: 6 }, (_, i) => ({
      ...changes[i % 2],
      eventTime: `2026-01-05T00:10:0${i}.0000000Z`,
    }));
    await store.insert(store.checked(events));
    await forget();
    await seal();
    limitStep({ bytes: 90_000 });
    const sizes: unknown[] = [];
    let more = 1;
    while (more > 0) {
      more = await trial.sequencer.run();
      sizes.push((await state())?.size);
    }
    expect(sizes).toEqual([2, 4, 6, 6]);
  });

  it('cannot be added once the backlog is done', async () => {
    await store.insert(inHours(3, 10));
    await trial.run();
    await store.insert(inHours(2, 20));
    await forget();
    await trial.run();
    expect(await state()).toMatchObject({
      size: 3,
      backfilling: false,
      problem: expect.stringContaining('it was never sealed that there are any'),
    });
  });

  it('do not enter the log when no first start sealed them, though rows of the database list them', async () => {
    await store.insert(inHours(3, 10));
    await forget();
    await store.insert(inHours(1, 20));
    await trial.run();
    expect(await state()).toMatchObject({
      size: 1,
      backfilling: false,
      problem: expect.stringContaining('it was never sealed that there are any'),
    });
  });

  it('stay in the log when retention removes them, and the removal is reported', async () => {
    await store.insert([
      ...inHours(6, 10),
      ...store.checked([{ eventTime: '2026-03-01T00:00:00.0000000Z' }]),
    ]);
    await trial.run();
    const retention = new RetentionTrial(store);
    await retention.keep(30);
    await retention.runAt('2026-03-02T00:00:00Z');
    expect(await store.count()).toBe(1);
    expect(await state()).toMatchObject({ size: 7 });
    expect(await trial.log.removals(store.tenantId)).toEqual([
      {
        from: new Date('2026-01-05T00:00:00Z'),
        to: new Date('2026-01-05T03:00:00Z'),
        before: new Date('2026-01-31T00:00:00Z'),
        events: 6,
        lastRunAt: new Date('2026-03-02T00:00:00Z'),
      },
    ]);
  });

  it('are sealed only by a first start: on a database without a log, with a new key and an empty memory', async () => {
    const fresh = await Store.open(engine);
    const listed = () =>
      fresh.query(
        `INSERT INTO audit_log_backlog VALUES ($1, 1, gen_random_uuid()) ON CONFLICT DO NOTHING`,
        fresh.tenantId,
      );
    const heads = async () => (await fresh.query('SELECT FROM audit_log_head')).length;
    const begin = async (isNew: boolean, madeOwnKey: boolean) => {
      await fresh.query('DELETE FROM audit_log_key');
      await new LogTrial(fresh, TEST_CHECKPOINT_KEY, {}, new Memory(isNew)).sequencer.begin(madeOwnKey);
      return heads();
    };
    await listed();
    expect(await begin(false, true)).toBe(0);
    expect(await begin(true, false)).toBe(0);
    // The database knows the key now, so the start is not the first.
    await new LogTrial(fresh, TEST_CHECKPOINT_KEY, {}, new Memory(true)).sequencer.begin(true);
    expect(await heads()).toBe(0);
    expect(await begin(true, true)).toBe(1);
    await fresh.close();
  });
});
