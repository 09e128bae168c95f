import { useCallback, useEffect, useRef, useState } from 'react';
import { useStable } from './use-stable';

/** The last answer or failure. While `isBusy`, it belongs to an earlier question. */
interface Answered<Q, A> {
  /** Null: nothing was answered yet. */
  readonly question: Q | null;
  readonly answer: A | null;
  readonly error: Error | null;
}

interface Asked<Q, A> extends Answered<Q, A> {
  readonly isBusy: boolean;
  /** Changes the shown answer, for example after work on a part of it. */
  readonly change: (of: (answer: A) => A) => void;
}

/**
 * Asks when the question changes, and takes no answer to an earlier question.
 * @param question JSON; an equal one is the same question. Null: nothing is asked
 * @param ask gets a signal that says when the answer is not wanted any more
 */
export function useAnswer<Q, A>(
  question: Q | null,
  ask: (question: Q, signal: AbortSignal) => Promise<A>,
): Asked<Q, A> {
  const wanted = useStable(question);
  const latest = useRef(ask);
  latest.current = ask;
  const [answered, setAnswered] = useState<Answered<Q, A>>({ question: null, answer: null, error: null });
  useEffect(() => {
    if (wanted === null) return;
    const stop = new AbortController();
    const take = (result: { answer: A | null; error: Error | null }) => {
      if (!stop.signal.aborted) setAnswered({ question: wanted, ...result });
    };
    latest.current(wanted, stop.signal).then(
      (answer) => take({ answer, error: null }),
      (error: Error) => take({ answer: null, error }),
    );
    return () => stop.abort();
  }, [wanted]);
  const change = useCallback(
    (of: (answer: A) => A) =>
      setAnswered((before) => (before.answer === null ? before : { ...before, answer: of(before.answer) })),
    [],
  );
  return { ...answered, isBusy: wanted !== null && answered.question !== wanted, change };
}
