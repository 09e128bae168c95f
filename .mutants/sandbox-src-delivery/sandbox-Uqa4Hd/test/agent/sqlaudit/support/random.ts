/** A whole number below `below`. */
export type Random = (below: number) => number;

/** mulberry32: the same numbers for the same seed. */
export function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export function pick<T>(from: readonly T[], random: Random): T {
  const picked = from[random(from.length)];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}
