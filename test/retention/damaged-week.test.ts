import { pino } from 'pino';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import type { RetentionStore } from '../../src/modules/tenants/retention/retention-store';

const TENANT = { tenantId: 1, retentionDays: 30 };

/** @param isDamaged of a week in a file */
async function removed(weeks: readonly number[], isDamaged: (week: number) => boolean) {
  const done: string[] = [];
  const store: Partial<RetentionStore> = {
    tenantsWithRetention: () => Promise.resolve([TENANT]),
    weeks: () => Promise.resolve([]),
    expiredWeeks: () => Promise.resolve(weeks),
    removeSealedWeek: (_, week) => {
      done.push(`week ${week}`);
      return isDamaged(week) ? Promise.reject(new Error('the file is damaged')) : Promise.resolve(1);
    },
    removeStep: (_, { from }) => {
      if (from.startsWith('00000000-0000-0000')) done.push('rows');
      return Promise.resolve({ removed: 0, next: null });
    },
    removeMarkedStep: () => {
      done.push('marked');
      return Promise.resolve(0);
    },
    forgetValues: () => {
      done.push('values');
      return Promise.resolve();
    },
  };
  await applyRetention({
    store: store as RetentionStore,
    nowMs: () => Date.parse('2026-03-01T00:00:00Z'),
    log: pino({ enabled: false }),
  });
  return done;
}

describe('a week whose file cannot be read', () => {
  it('keeps neither later weeks nor rows of its tenant from being removed', async () => {
    expect(await removed([2_900, 2_901], (week) => week === 2_900)).toEqual([
      ...['week 2900', 'week 2901', 'rows', 'marked', 'values'],
    ]);
  });

  it('is one of a few that are tried while all of them fail, as where the bucket is away', async () => {
    const weeks = Array.from({ length: 50 }, (_, i) => 2_900 + i);
    expect(await removed(weeks, () => true)).toEqual([
      ...['week 2900', 'week 2901', 'week 2902', 'rows', 'marked'],
    ]);
  });
});
