import { Holdings } from '../../src/caller/rate-limit/holdings';

describe('what callers hold at the same time', () => {
  it('is bounded for each holder and for all together, and returned places can be taken again', () => {
    const places = new Holdings({ each: 3, all: 4 });
    expect([places.take('a', 2), places.take('a', 2), places.take('a', 1)]).toEqual([true, false, true]);
    expect([places.take('b', 2), places.take('b', 1), places.take('c', 1)]).toEqual([false, true, false]);
    expect(places.all).toBe(4);
    places.give('a', 2);
    expect([places.take('a', 2), places.take('c', 1), places.all]).toEqual([true, false, 4]);
  });
});
