const TIMES = 8;

/** The square of eight is 64, and a busy machine is not three times as slow for the longer work alone. */
export const LINEAR_MAX = 3 * TIMES;

/** What takes less is not measured well. */
const LEAST_US = 5_000;

/** How many times as much processor time work takes on a text that is eight times as long. */
export function growthOf(piece: string, chars: number, work: (text: string) => unknown): number {
  const userUs = (length: number) => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    const times = [1, 2].map(() => {
      const began = process.cpuUsage();
      work(text);
      return process.cpuUsage(began).user;
    });
    return Math.min(...times);
  };
  return userUs(chars) / Math.max(LEAST_US, userUs(chars / TIMES));
}
