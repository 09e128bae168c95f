import fc from 'fast-check';
import { type AccessEntry, AccessLog, DROPPED, entryOf, ownAttempt } from '../../src/caller/access-log';
import { LIMITS } from '../../src/limits';

const NOW = new Date('2026-01-05T08:00:00Z');
const READ = entryOf(ownAttempt('read', NOW), { outcome: 'ok', rows: 1 });
let entries = 0;
const anEntry = (at = NOW): AccessEntry => ({ ...READ, entryId: `entry ${++entries}`, at });

/** Stores entries in memory, each exactly once, as the port promises. */
class FakeStore {
  readonly entries = new Map<string, AccessEntry>();
  readonly batches: number[] = [];
  /** What the next calls do: store and answer, fail, or store and lose the answer on its way. */
  fate: ('ok' | 'lost' | 'answer lost')[] = [];

  async append(entries: readonly AccessEntry[]): Promise<void> {
    const fate = this.fate.shift() ?? 'ok';
    if (fate === 'lost') throw new Error('database lost');
    this.batches.push(entries.length);
    for (const entry of entries) this.entries.set(entry.entryId, entry);
    if (fate === 'answer lost') throw new Error('answer lost');
  }
}

function setUp() {
  const store = new FakeStore();
  return { store, log: new AccessLog(store, () => NOW) };
}
const note = (log: AccessLog, count: number) => {
  const entries = Array.from({ length: count }, () => anEntry());
  for (const entry of entries) log.note(entry);
  return entries;
};

it('the access log counts lost entries for good, and is unhealthy for a while after a loss', async () => {
  let now = NOW;
  const store = new FakeStore();
  const log = new AccessLog(store, () => now);
  note(log, LIMITS.accessLogWaitingMax);
  expect([log.healthy, log.lost]).toEqual([true, 0]);
  note(log, 2);
  await log.close();
  expect([log.healthy, log.lost]).toEqual([false, 2]);
  now = new Date(NOW.getTime() + LIMITS.accessLogLossShownMs);
  expect(log.healthy).toBe(false);
  now = new Date(now.getTime() + 1);
  expect([log.healthy, log.lost]).toEqual([true, 2]);
});

describe('the access log on its way to the store', () => {
  it('writes in batches, in the order in which entries were noted', async () => {
    const { store, log } = setUp();
    const entries = note(log, LIMITS.accessLogBatchEntries + 1);
    expect(await log.flush()).toBe(1);
    expect(await log.flush()).toBe(0);
    expect(store.batches).toEqual([LIMITS.accessLogBatchEntries, 1]);
    expect([...store.entries.values()]).toEqual(entries);
  });

  it('does not call the store when there is nothing to write', async () => {
    const { store, log } = setUp();
    expect(await log.flush()).toBe(0);
    expect(store.batches).toEqual([]);
  });

  it('keeps entries that could not be written, and writes them later', async () => {
    const { store, log } = setUp();
    const entries = note(log, 3);
    store.fate = ['lost', 'lost'];
    await expect(log.flush()).rejects.toThrow('database lost');
    await expect(log.close()).rejects.toThrow('database lost');
    expect(log.unwritten).toBe(3);
    await log.close();
    expect([...store.entries.values()]).toEqual(entries);
    expect(log.unwritten).toBe(0);
  });

  it('writes one batch at a time, even if several callers flush at once', async () => {
    const { store, log } = setUp();
    note(log, 5);
    await Promise.all([log.flush(), log.flush(), log.flush()]);
    expect(store.batches).toEqual([5]);
  });

  it('stores how many entries found no room, since when and until when', async () => {
    const { store, log } = setUp();
    const kept = note(log, LIMITS.accessLogWaitingMax);
    const first = anEntry(new Date('2026-01-05T09:00:00Z'));
    log.note(first);
    note(log, 3);
    const last = anEntry(new Date('2026-01-05T10:00:00Z'));
    log.note(last);
    store.fate = ['lost', 'lost'];
    for (let i = 0; i < 2; i++) await expect(log.flush()).rejects.toThrow();
    expect(log.unwritten).toBe(LIMITS.accessLogWaitingMax + 5);
    await log.close();
    const written = [...store.entries.values()];
    const missing = written.filter(({ operation }) => operation === DROPPED);
    expect(written).toHaveLength(kept.length + 1);
    expect(missing).toMatchObject([
      { principalKind: 'service', rows: 5, outcome: 'ok', keyId: null, tenantIds: [] },
    ]);
    expect(JSON.parse(missing[0]?.parameters ?? '')).toEqual({
      count: 5,
      first: first.at.toISOString(),
      last: last.at.toISOString(),
    });
  });

  it('stores every entry once or counts it as missing, whatever happens to the writes', async () => {
    const step = fc.oneof(
      fc.record({ notes: fc.integer({ min: 1, max: 9_000 }) }),
      fc.constantFrom('ok' as const, 'lost' as const, 'answer lost' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const { store, log } = setUp();
        let noted = 0;
        for (const next of steps) {
          if (typeof next === 'object') noted += note(log, next.notes).length;
          else {
            store.fate = [next];
            await log.flush().catch(() => {});
          }
        }
        store.fate = [];
        await log.close();
        const written = [...store.entries.values()];
        const missing = written.filter(({ operation }) => operation === DROPPED);
        const counted = missing.reduce((sum, { rows }) => sum + (rows ?? 0), 0);
        expect(written.length - missing.length + counted).toBe(noted);
      }),
      { numRuns: 20 },
    );
  });
});
