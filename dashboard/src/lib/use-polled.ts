import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type AnyVariables, type CombinedError, useClient } from 'urql';
import { sharedWith } from './shared-with';
import { useStable } from './use-stable';

interface Poll<D, V> {
  readonly query: TypedDocumentNode<D, V>;
  readonly variables: V;
  /** Null: it is asked once. */
  readonly everyMs: number | null;
  readonly isPaused?: boolean;
  /** Whether a page that nobody sees asks too. */
  readonly isAlways?: boolean;
  /** Gets each answer, one that says nothing new, too. */
  readonly onAnswer?: (data: D) => void;
}

interface Answered<D, V> {
  readonly variables: V | null;
  readonly data: D | undefined;
  readonly error: CombinedError | undefined;
}

/**
 * A question that is asked again at an interval. What an answer has in common with the one before stays the same object,
 * and an answer that says the same draws nothing: so a list is changed by difference.
 */
export function usePolled<D, V extends AnyVariables>(poll: Poll<D, V>) {
  const { query, everyMs, isPaused = false, isAlways = false } = poll;
  const client = useClient();
  const variables = useStable(poll.variables);
  const [answered, setAnswered] = useState<Answered<D, V>>({
    variables: null,
    data: undefined,
    error: undefined,
  });
  const onAnswer = useRef(poll.onAnswer);
  onAnswer.current = poll.onAnswer;
  const stop = useRef<() => void>(undefined);
  const ask = useCallback(() => {
    const before = stop.current;
    // The answer is listened to until the next one, since a change of what it shows asks again.
    const { unsubscribe } = client.query(query, variables).subscribe(({ data, error, stale }) => {
      if (stale) return;
      if (data) onAnswer.current?.(data);
      setAnswered((now) => {
        // A failure leaves what was shown, if it answers this question.
        const kept = now.variables === variables ? now.data : undefined;
        const next = { variables, data: data ? sharedWith(now.data, data) : kept, error };
        const isSame = next.variables === now.variables && next.data === now.data && next.error === now.error;
        return isSame ? now : next;
      });
    });
    stop.current = unsubscribe;
    before?.();
  }, [client, query, variables]);
  useEffect(() => {
    if (isPaused) return;
    ask();
    return () => stop.current?.();
  }, [isPaused, ask]);
  useEffect(() => {
    if (isPaused || everyMs === null) return;
    const timer = setInterval(() => (isAlways || !document.hidden) && ask(), everyMs);
    return () => clearInterval(timer);
  }, [isPaused, isAlways, everyMs, ask]);
  return {
    data: answered.data,
    error: answered.error,
    /** Whether what is shown answers an earlier question. */
    isBusy: !isPaused && answered.variables !== variables,
    ask,
  };
}
