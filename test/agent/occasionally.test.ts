import { Occasionally } from '../../agent/occasionally';

const EVERY_MS = 1_000;

describe('standing problems', () => {
  let nowMs = 0;
  let said: Occasionally;
  beforeEach(() => {
    nowMs = 5_000;
    said = new Occasionally({ now: () => 0, elapsed: () => nowMs, wait: () => Promise.resolve() }, EVERY_MS);
  });
  const due = (...texts: string[]) => texts.map((text) => said.isDue(text));

  it('are logged again only after a while, even if several alternate', () => {
    expect(due('busy', 'full', 'busy', 'full')).toEqual([true, true, false, false]);
    nowMs += EVERY_MS - 1;
    expect(due('busy', 'full', 'other')).toEqual([false, false, true]);
    nowMs += 1;
    expect(due('full', 'busy', 'other', 'busy')).toEqual([true, true, false, false]);
  });

  it('are logged at once if they ended and return', () => {
    expect(said.reset()).toBe(false);
    expect(due('busy')).toEqual([true]);
    expect([said.reset(), said.reset()]).toEqual([true, false]);
    expect(due('busy')).toEqual([true]);
  });

  it('use bounded memory, however many there are', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `request ${n}`);
    expect(due('busy', ...many).every(Boolean)).toBe(true);
    expect(due('request 999', 'busy')).toEqual([false, true]);
  });
});
