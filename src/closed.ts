/** Resolves when an answer has left, or its caller has. */
export function whenClosed(answer: {
  readonly closed: boolean;
  once(event: 'close', then: () => void): unknown;
}): Promise<void> {
  return new Promise((resolve) => {
    if (answer.closed) resolve();
    else answer.once('close', resolve);
  });
}
