import 'reflect-metadata';
import { pino } from 'pino';
import type { Module } from '../../src/module';
import { accessLogModule } from '../../src/modules/access-log/module';
import { detectionModule } from '../../src/modules/detection/module';
import { reportsModule } from '../../src/modules/reports/module';
import { sourcesModule } from '../../src/modules/sources/module';
import { tenantsModule } from '../../src/modules/tenants/module';
import { epochBefore, formerOfNext, isCurrent, isKnown, newEpoch } from '../../src/store/log/epoch/epoch';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { TEST_EPOCH, testEpoch } from '../support/epoch';

/** Tasks that remove what expired, or tell others of something. */
const HELD = [
  ...['retention', 'gap-retention', 'log-retention', 'notices', 'report-schedules', 'report-retention'],
];

const DATABASE_TIME = 'SELECT statement_timestamp() AS now';

/** Counts each use. As a database, it knows the time and has no rows. */
function watched() {
  const used = { times: 0 };
  const part = new Proxy(() => {}, {
    get: (_target, name) => (name === 'then' ? undefined : part),
    apply: (_target, _of, [asked]) => {
      used.times++;
      return Promise.resolve(asked === DATABASE_TIME ? [{ now: '2026-01-01' }] : []);
    },
  }) as never;
  return { used, part };
}

describe.each([
  ['while an operator has not said go', true, 0],
  ['otherwise', false, 1],
])('%s', (_title, isHeld, least) => {
  it.each(HELD)('the task %s: it is held back, or runs', async (name) => {
    const { used, part } = watched();
    const epoch = {
      ...testEpoch(),
      unlessPaused: async (work: () => Promise<unknown>) => (isHeld ? null : work()),
    } as never;
    const log = pino({ level: 'silent' });
    const parts = {
      service: part,
      owner: part,
      tenants: part,
      authenticator: part,
      epoch,
      nowMs: Date.now,
      log,
    };
    const { signal } = new AbortController();
    const modules: Module[] = [
      tenantsModule({ ...parts, countEvents: part, signal }),
      sourcesModule({ ...parts, retention: part, holds: part, areGapsHeld: part }),
      accessLogModule({
        accessLog: part,
        accessViews: part,
        store: part,
        fairShare: part,
        days: () => 1,
        ...parts,
      }),
      detectionModule({
        ...parts,
        maskedTenants: part,
        signal,
        changes: part,
        send: part,
        hasDestination: part,
        page: part,
        mail: null,
        stoppedLogs: () => new Map(),
        coverage: part,
        goneSeal: part,
        checkpointKeys: [TEST_CHECKPOINT_KEY],
        hasOtherKey: () => false,
      }),
      reportsModule({
        ...parts,
        ask: part,
        checkpointKeys: [part],
        assertSigns: part,
        hasOtherKey: () => false,
        deliverers: { sendMessage: part, sendFile: part, mail: null, publicUrl: null },
        hasDestination: part,
        config: { reportDays: 7 },
        note: part,
        tell: part,
        signal,
      }),
    ];
    const task = modules.flatMap(({ tasks = [] }) => tasks).find((one) => one.name === name);
    const before = used.times;
    await task?.run();
    expect(used.times - before >= least).toBe(true);
    expect(used.times === before).toBe(isHeld);
  });
});

describe('an epoch', () => {
  const bridged = { ...TEST_EPOCH, isBridged: true };

  it('sorts after the earlier ones, also if the clock was set back', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const [first, second] = [newEpoch(now, []), newEpoch(now, [])];
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(first).not.toBe(second);
    expect(newEpoch(now - 86_400_000, [first]) > first).toBe(true);
    expect(newEpoch(now, ['', first]) > first).toBe(true);
  });

  it('knows itself, the earlier ones, and what has none if a release without epochs has used the database', () => {
    const later = { ...TEST_EPOCH, epoch: 'f'.repeat(16), former: formerOfNext(bridged, ['unknown', '']) };
    expect([isCurrent(bridged, ''), isCurrent(TEST_EPOCH, ''), isCurrent(later, '')]).toEqual([
      true,
      false,
      false,
    ]);
    for (const known of ['', 'unknown', TEST_EPOCH.epoch, later.epoch])
      expect(isKnown(later, known)).toBe(true);
    expect([isKnown(later, 'other'), isKnown(TEST_EPOCH, '')]).toEqual([false, false]);
  });

  it('that is kept is the one before, with what it had', () => {
    for (const state of [bridged, TEST_EPOCH, { ...TEST_EPOCH, former: ['a', ''] }]) {
      const next = { epoch: 'next', former: formerOfNext(state, []) };
      const { epoch, former, isBridged } = state;
      expect(epochBefore(next)).toEqual({ epoch, former, isBridged });
    }
    expect(epochBefore({ epoch: 'first', former: [''] })).toEqual({
      epoch: 'first',
      former: [],
      isBridged: true,
    });
  });
});
