const TIMES = 8;
const ROUNDS = 6;

/** What takes less is not measured well. */
const LEAST_US = 5_000;

/** Work that grows with the square of the length costs eight times as much on the long text. */
export const LINEAR_MAX = 3;

/**
 * How many times as much processor time work takes on one long text as on eight texts of an eighth of its length.
 * Both sides make as much garbage. What disturbs one round disturbs another less, and the least ratio counts.
 */
export function growthOf(piece: string, chars: number, work: (text: string) => unknown): number {
  const long = piece.repeat(Math.ceil(chars / piece.length));
  const short = piece.repeat(Math.ceil(chars / TIMES / piece.length));
  const userUs = (text: string, times: number) => {
    const began = process.cpuUsage();
    for (let time = 0; time < times; time++) work(text);
    return process.cpuUsage(began).user;
  };
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && least >= LINEAR_MAX; round++) {
    const shortUs = userUs(short, TIMES);
    least = Math.min(least, userUs(long, 1) / Math.max(LEAST_US, shortUs));
  }
  return least;
}
