const POLL_MS = 20;

/**
 * Asks again and again until the answer is wanted; throws with the last answer when time is over. The time is long, so
 * that a busy machine fails nothing: who waits it out waits for what never comes.
 */
export async function until<T>(
  ask: () => Promise<T> | T,
  wanted: (answer: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
