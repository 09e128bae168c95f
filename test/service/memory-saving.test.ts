import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type MemorySaving, startMemorySaving } from '../../src/memory-saving';

let saving: MemorySaving | undefined;
afterEach(() => saving?.stop());

it('begins above the bound and ends below seven eighths of it', () => {
  let taken = 800;
  saving = startMemorySaving('', () => taken, 800);
  const seen = [800, 801, 799, 701, 700, 699, 750, 801].map((bytes) => {
    taken = bytes;
    saving?.look();
    return saving?.isOn;
  });

  expect(seen).toEqual([false, true, true, true, true, false, false, true]);
});

it('goes on as it was where the system does not tell, because too many files are open', () => {
  let taken: number | null = 801;
  const read = () => {
    if (taken === null) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return taken;
  };
  saving = startMemorySaving('', read, 800);
  const seen = [801, null, 699].map((bytes) => {
    taken = bytes;
    saving?.look();
    return saving?.isOn;
  });
  expect(seen).toEqual([true, true, false]);
});

it('gives half-empty pages of the heap back', () => {
  let taken = 1;
  saving = startMemorySaving('', () => taken, 2);
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const kept = everySecond(300_000);
  collect();
  collect();
  const before = oldSpaceMb();
  taken = 3;
  saving.look();
  for (let i = 0; i < 10; i++) collect();

  expect(before - oldSpaceMb()).toBeGreaterThan(10);
  expect(kept).toHaveLength(150_000);
});

/** Makes objects of about 100 bytes that survive, and then keeps one of two. */
function everySecond(count: number): unknown[] {
  const all = Array.from({ length: count }, (_, i) => ({ i, text: `${i}`, list: [i, i, i] }));
  (runInNewContext('gc') as () => void)();
  return all.filter((_, i) => i % 2 === 0);
}

const oldSpaceMb = () =>
  (getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_size ?? 0) / 1048576;
