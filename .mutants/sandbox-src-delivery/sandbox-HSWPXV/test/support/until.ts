const POLL_MS = 20;

/**
 * Asks again until `wanted` accepts the answer; throws with the last answer when the time is over. The time is long,
 * so that a busy machine causes no failure.
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
