import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { clockNotAhead, databaseTime, type Leased, Leases } from '../../src/database/lease';
import { ENGINES } from '../support/engines';
import { SEED } from '../support/share';
import { useDatabase } from '../support/use-database';

const MS = 7_000;
const ROWS_THAT_EXIST: Leased = {
  table: 'backtest',
  key: { tenant_id: 'int', backtest_id: 'uuid' },
  holder: 'holder',
  until: 'held_until',
  ms: MS,
};
const ROWS_MADE_BY_A_LEASE: Leased = {
  table: 'export_lease',
  key: { holder: 'text' },
  holder: 'lease_id',
  until: 'expires_at',
  ms: MS,
  made: {},
  isOnlyLease: true,
};

const step = fc.oneof(
  fc.record({
    does: fc.constantFrom('take', 'take', 'take', 'renew', 'release'),
    who: fc.constantFrom(0, 1),
  }),
  fc.record({
    does: fc.constant('wait'),
    // The last one sets the database's clock back: a lease of before then lies too far ahead.
    ms: fc.constantFrom(1, 3_000, MS - 1, MS, MS + 1, -3_000, -2 * MS),
  }),
);

describe.each(ENGINES)('leases on %s', (engine) => {
  const open = useDatabase(engine);

  it.each([
    ['of rows that exist', ROWS_THAT_EXIST],
    ['of rows that a lease makes', ROWS_MADE_BY_A_LEASE],
  ] as const)('%s are held by one holder at a time, until it releases them or they end', async (_, of) => {
    const owner = open.db.owner.models;
    let refused = 0;
    const run = async (steps: readonly { does: string; who?: number; ms?: number }[]) => {
      const key = of === ROWS_THAT_EXIST ? [7, randomUUID()] : [randomUUID()];
      if (of === ROWS_THAT_EXIST)
        await owner.backtest.create({
          data: {
            tenantId: 7,
            backtestId: String(key[1]),
            rule: '',
            state: 'running',
            since: new Date(0),
            answer: '',
            tries: 0,
            createdAt: new Date(0),
          },
        });
      let nowMs = Date.parse('2026-02-03T08:00:00Z');
      const holders = [randomUUID(), randomUUID()];
      const leases = holders.map(() => new Leases(owner, of, async () => new Date(nowMs)));
      let held: { by: number; untilMs: number } | null = null;
      for (const { does, who = 0, ms = 0 } of steps) {
        const [own, id] = [leases[who], holders[who] ?? ''];
        const isMine: boolean = held?.by === who;
        if (does === 'wait') nowMs += ms;
        if (does === 'take') {
          const isFree: boolean = !held || held.untilMs <= nowMs || held.untilMs > nowMs + 2 * MS;
          expect((await own?.take(key, id)) !== null).toBe(isFree || isMine);
          if (isFree || isMine) held = { by: who, untilMs: nowMs + MS };
          else refused++;
        }
        if (does === 'renew') {
          expect((await own?.renew(key, id)) !== null).toBe(isMine);
          if (isMine) held = { by: who, untilMs: nowMs + MS };
        }
        if (does === 'release') {
          await own?.release(key, id);
          if (isMine) held = null;
        }
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), run), {
      numRuns: 40,
      seed: SEED,
    });
    expect(refused).toBeGreaterThan(20);
  });

  it('a holder that is late renews nothing, changes nothing and releases nothing that another has', async () => {
    const owner = open.db.owner.models;
    let nowMs = Date.parse('2026-02-03T08:00:00Z');
    const leases = new Leases(owner, ROWS_MADE_BY_A_LEASE, async () => new Date(nowMs));
    const key = [randomUUID()];
    const [late, next] = [randomUUID(), randomUUID()];
    await leases.take(key, late);
    nowMs += MS;
    expect(await leases.take(key, next)).not.toBeNull();
    expect(await leases.renew(key, late, { set: (add) => `holder = ${add('x')}` })).toBeNull();
    await leases.release(key, late);
    expect(await leases.renew(key, next)).not.toBeNull();
    expect(await leases.take(key, late, { former: [next] })).not.toBeNull();
  });

  // The embedded engine is a part of the instance, and has its clock.
  if (engine === 'embedded') return;
  it('go by the time of the database, and not by that of the instance', async () => {
    const [row] = await open.db.owner.models.$queryRaw<{ now: Date }[]>`SELECT now() AS now`;
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2001-01-01'));
    try {
      const read = await databaseTime(open.db.owner.models);
      expect(Math.abs(read.getTime() - (row?.now.getTime() ?? 0))).toBeLessThan(60_000);
    } finally {
      jest.restoreAllMocks();
    }
  });
});

it.each([
  [37_000, 0],
  [0, 0],
  [-37_000, -37_000],
])('a clock that is %d ms ahead of the database is %d ms ahead where it removes', async (aheadMs, left) => {
  const databaseMs = Date.parse('2026-01-05T08:00:00Z');
  const client = { $queryRawUnsafe: async () => [{ now: new Date(databaseMs) }] } as never;
  let elapsedMs = 0;
  const clock = await clockNotAhead(client, () => databaseMs + aheadMs + elapsedMs);
  elapsedMs = 5_000;
  expect(clock() - databaseMs).toBe(left + elapsedMs);
});
