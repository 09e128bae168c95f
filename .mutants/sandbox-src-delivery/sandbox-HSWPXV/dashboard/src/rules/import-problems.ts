export interface LineProblem {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/** The problems that the service's text names: `Line 3: the field is unknown. Line 7: …`. */
export function problemsOf(text: string): readonly LineProblem[] {
  const found = text.matchAll(/Line (\d+): (.*?)\.?(?= Line \d+: |$)/gs);
  return [...found].map(([, line, reason]) => ({ line: Number(line), reason: reason ?? '' }));
}
