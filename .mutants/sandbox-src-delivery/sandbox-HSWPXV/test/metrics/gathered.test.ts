import { Gathered } from '../../src/observe/gathered';

describe('a gathered value', () => {
  it('is read once in its time, however often it is wanted', async () => {
    let [now, asked] = [0, 0];
    const gathered = new Gathered(
      async () => ++asked,
      10,
      () => now,
    );
    expect(gathered.value).toBeNull();
    await Promise.all([gathered.refresh(), gathered.refresh()]);
    now = 9;
    await gathered.refresh();
    expect([asked, gathered.value]).toEqual([1, 1]);
    now = 10;
    await gathered.refresh();
    expect([asked, gathered.value]).toEqual([2, 2]);
  });

  it('is unknown after a read that failed, until the next read', async () => {
    let now = 0;
    let ask: () => Promise<number> = async () => 1;
    const gathered = new Gathered(
      () => ask(),
      10,
      () => now,
    );
    await gathered.refresh();
    [now, ask] = [10, () => Promise.reject(new Error('lost'))];
    await gathered.refresh();
    expect(gathered.value).toBeNull();
    [now, ask] = [20, async () => 3];
    await gathered.refresh();
    expect(gathered.value).toBe(3);
  });
});
