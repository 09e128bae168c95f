import { ReadingTurns } from '../../src/delivery/reading-turns';

describe('turns to read', () => {
  it('are bounded in number, given in the order of the requests, and returned after a failure', async () => {
    const turns = new ReadingTurns(2);
    const begun: number[] = [];
    const ends: ((failure?: Error) => void)[] = [];
    const works = Array.from({ length: 5 }, (_, n) =>
      turns
        .run(
          () =>
            new Promise<void>((resolve, reject) => {
              begun.push(n);
              ends[n] = (failure) => (failure ? reject(failure) : resolve());
            }),
        )
        .catch((error: Error) => error.message),
    );
    expect(begun).toEqual([0, 1]);
    ends[1]?.(new Error('lost'));
    expect(await works[1]).toBe('lost');
    expect(begun).toEqual([0, 1, 2]);
    // The turn has gone to the next one, so a newcomer waits.
    const late = turns.run(async () => void begun.push(9));
    expect(begun).toEqual([0, 1, 2]);
    ends[0]?.();
    await works[0];
    ends[2]?.();
    await works[2];
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    ends[3]?.();
    ends[4]?.();
    await Promise.all([...works, late]);
    expect(begun).toEqual([0, 1, 2, 3, 4, 9]);
    expect(await turns.run(async () => 'free')).toBe('free');
  });
});
