import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { systemClock } from '../../../agent/clock';
import { type Gap, toGap } from '../../../agent/gaps/gap';
import { GapStore } from '../../../agent/gaps/gap-store';
import { OpenGaps } from '../../../agent/gaps/open-gaps';
import { LineLog } from '../../../agent/log';
import { timeOf } from './support';

const gapOf = (n: number, over: Partial<Parameters<typeof toGap>[0]> = {}): Gap =>
  toGap({
    database: 'X',
    fileName: 'x.sqlaudit',
    fileGuid: '5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e11',
    reason: 'BLOCKS_MISSING',
    range: `blocks ${n}-${n}`,
    detail: `event blocks ${n} to ${n} are missing`,
    afterTime: null,
    beforeTime: null,
    detectedAtMs: 0,
    ...over,
  });

describe('a gap', () => {
  it('has an id that depends on what is missing, and on nothing else', () => {
    const same = gapOf(1, {
      detectedAtMs: 9,
      afterTime: 'x',
      beforeTime: 'y',
      detail: 'z',
      fileName: 'renamed',
    });
    expect(same.gapId).toBe(gapOf(1).gapId);
    expect(gapOf(1).gapId).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const others = [
      gapOf(1),
      gapOf(2),
      gapOf(1, { database: 'Y' }),
      gapOf(1, { fileGuid: '5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e12' }),
      gapOf(1, { fileGuid: null }),
      gapOf(1, { fileGuid: null, fileName: 'y' }),
      gapOf(1, { reason: 'UNREADABLE' }),
    ];
    expect(new Set(others.map(({ gapId }) => gapId)).size).toBe(others.length);
  });
});

describe('the store of gaps', () => {
  let folder: string;
  let path: string;
  let said = '';
  const load = () => GapStore.load(path, { log: new LineLog((line) => (said += line)) });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-gaps-'));
    path = join(folder, 'below', 'x.ndjson');
    said = '';
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('keeps gaps, oldest first, until they are acknowledged', async () => {
    const store = await load();
    for (const n of [1, 2, 1, 3]) await store.add(gapOf(n));
    const again = await load();
    expect(again.pending(2)).toEqual([gapOf(1), gapOf(2)]);
    await again.acknowledge([gapOf(1), gapOf(3), gapOf(9)]);
    expect((await load()).pending(9)).toEqual([gapOf(2)]);
    expect(again.count).toBe(1);
  });

  it('does not add a gap again that was acknowledged before', async () => {
    const store = await load();
    await store.add(gapOf(1));
    await store.acknowledge([gapOf(1)]);
    await store.add(gapOf(1));
    expect(store.count).toBe(0);
  });

  it('takes over the end of a gap that is found again, and keeps the order of the gaps', async () => {
    const known = (beforeTime: string) => gapOf(1, { beforeTime });
    for (const beforeTime of [timeOf(5), timeOf(6)]) {
      const store = await load();
      await store.add(gapOf(1));
      await store.add(gapOf(2));
      await store.add(known(beforeTime));
    }
    for (const store of [await load(), await load()])
      expect(store.pending(9)).toEqual([known(timeOf(5)), gapOf(2)]);
  });

  it('remembers a gap without an end that the service has, over a restart, and reports it again with its end', async () => {
    const store = await load();
    for (const n of [1, 2]) await store.add(gapOf(n));
    await store.acknowledge([gapOf(1)]);
    expect(store.unended).toEqual([gapOf(1), gapOf(2)]);
    const again = await load();
    expect([again.unended, again.pending(9)]).toEqual([[gapOf(1), gapOf(2)], [gapOf(2)]]);
    expect([1, 2].map((n) => again.isReported(gapOf(n).gapId))).toEqual([true, false]);
    await again.add(gapOf(1));
    expect(again.pending(9)).toEqual([gapOf(2)]);
    const ended = gapOf(1, { beforeTime: timeOf(5) });
    await again.add(ended);
    for (const one of [again, await load()])
      expect([one.pending(9), one.unended]).toEqual([[gapOf(2), ended], [gapOf(2)]]);
    await again.acknowledge([ended]);
    await again.add(ended);
    for (const one of [again, await load()])
      expect([one.pending(9), one.unended]).toEqual([[gapOf(2)], [gapOf(2)]]);
  });

  it('keeps the end of a gap that becomes known while the service is told of the gap', async () => {
    const store = await load();
    await store.add(gapOf(1));
    const told = store.pending(9);
    const ended = gapOf(1, { beforeTime: timeOf(5) });
    await store.add(ended);
    await store.acknowledge(told);
    for (const one of [store, await load()]) expect(one.pending(9)).toEqual([ended]);
  });

  it('ignores a line that a crash cut off, and keeps the lines written after it', async () => {
    await (await load()).add(gapOf(1));
    appendFileSync(path, JSON.stringify(gapOf(2)).slice(0, 40));
    const store = await load();
    expect(store.pending(9)).toEqual([gapOf(1)]);
    expect(said).toContain(`${path}: 1 unreadable lines`);
    await store.add(gapOf(3));
    expect((await load()).pending(9)).toEqual([gapOf(1), gapOf(3)]);
  });

  it('throws if a gap cannot be written, and takes the same gap later', async () => {
    writeFileSync(join(folder, 'below'), 'a file where the folder should be');
    const store = await load().catch(() => null);
    expect(store).toBeNull();
    rmSync(join(folder, 'below'));
    const usable = await load();
    writeFileSync(join(folder, 'below'), '');
    await expect(usable.add(gapOf(1))).rejects.toThrow();
    expect(usable.count).toBe(0);
    rmSync(join(folder, 'below'));
    await usable.add(gapOf(1));
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
  });

  it('holds exactly the gaps that were added and not acknowledged, in any order and any number of times', async () => {
    const step = fc.oneof(
      fc.record({ add: fc.nat(5) }),
      fc.record({ acknowledge: fc.array(fc.nat(5), { maxLength: 3 }) }),
      fc.constant('restart' as const),
    );
    const check = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      rmSync(join(folder, 'below'), { recursive: true, force: true });
      let store = await load();
      const waiting = new Set<number>();
      const acknowledged = new Set<number>();
      // The calls are not awaited one by one: the store must put them in order.
      const writes: Promise<void>[] = [];
      for (const each of steps) {
        if (each === 'restart') {
          await Promise.all(writes);
          store = await load();
        } else if ('add' in each) {
          writes.push(store.add(gapOf(each.add)));
          if (!acknowledged.has(each.add)) waiting.add(each.add);
        } else {
          writes.push(store.acknowledge(each.acknowledge.map((n) => gapOf(n))));
          for (const n of each.acknowledge) if (waiting.delete(n)) acknowledged.add(n);
        }
      }
      await Promise.all(writes);
      const expected = [...waiting].map((n) => gapOf(n));
      expect(store.pending(99)).toEqual(expected);
      expect((await load()).pending(99)).toEqual(expected);
    });
    await fc.assert(check, { numRuns: 60 });
  });
});

it('a gap that could not be put on disk, as on a full one, is put there by the next attempt', async () => {
  const stored: Gap[] = [];
  const add = jest
    .fn(async (gap: Gap) => void stored.push(gap))
    .mockRejectedValueOnce(new Error('no space left'));
  const gaps = new OpenGaps('X', { unended: [], add }, { ...systemClock, now: () => 0 });
  const file = { name: 'x.sqlaudit', fileGuid: null, audit: 'x', created: 0n, lastTime: null };
  const note = { reason: 'FILE_DELETED', detail: 'is missing' } as const;
  gaps.note(file, { ...note, range: 'from 1' });
  gaps.note(file, { ...note, range: 'from 2' });
  await expect(gaps.flush()).rejects.toThrow('no space left');
  await gaps.flush();
  const gapIds = ['from 1', 'from 2'].map((range) => gapOf(0, { ...note, range, fileGuid: null }).gapId);
  expect(stored.map(({ gapId }) => gapId)).toEqual(gapIds);
});
