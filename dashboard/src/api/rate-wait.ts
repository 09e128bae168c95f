import { useSyncExternalStore } from 'react';
import { noteServiceTime, serviceNowMs } from '../lib/service-clock';
import { MINUTE_MS } from '../lib/time';

/** A window of the rate limit is a minute. Where a question has waited for three, the reader decides. */
const WAITED_MS_MAX = 3 * MINUTE_MS;
const TOO_MANY_REQUESTS = 429;

/** When each waiting question is asked again, by the service's clock. */
const waiting = new Set<{ readonly atMs: number }>();
const listeners = new Set<() => void>();

/**
 * Sends a question, notes the service's time, and sends it again after the time that the rate limit names. The service
 * does not count what it refuses, and only refused questions are asked again, so all pages of a person get their answers.
 */
export const fetchInTime: typeof fetch = async (input, init) => {
  const untilMs = Date.now() + WAITED_MS_MAX;
  for (;;) {
    const sentMs = Date.now();
    const response = await fetch(input, init);
    noteServiceTime(response, sentMs);
    const ms = response.status === TOO_MANY_REQUESTS ? waitOf(response) : null;
    if (ms === null || Date.now() + ms > untilMs) return response;
    void response.body?.cancel();
    await rest(ms, init?.signal);
  }
};

/** @returns null: the answer names no time */
function waitOf({ headers }: Response): number | null {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1_000 : null;
}

/** @throws the reason of the signal, if the answer is not wanted any more */
async function rest(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  const one = { atMs: serviceNowMs() + ms };
  waiting.add(one);
  tell();
  try {
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    });
    signal?.throwIfAborted();
  } finally {
    waiting.delete(one);
    tell();
  }
}

const tell = () => {
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** When the last waiting question is asked again, by the service's clock; null: none waits for the rate limit. */
export const askedAgainMs = (): number | null =>
  waiting.size > 0 ? Math.max(...[...waiting].map(({ atMs }) => atMs)) : null;

export const useAskedAgainMs = (): number | null => useSyncExternalStore(subscribe, askedAgainMs);
