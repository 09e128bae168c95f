/** The measured subjects by name; each call gives one number. */
export type Subjects<N extends string> = Readonly<Record<N, (round: number) => Promise<number>>>;

/**
 * Measures the subjects in alternation, in turn forwards and backwards, so that drift affects all of them alike.
 * @returns the numbers of each subject, round by round
 */
export async function alternate<N extends string>(
  rounds: number,
  subjects: Subjects<N>,
  onRound: (round: number, values: Readonly<Record<N, number>>) => void = () => {},
): Promise<Record<N, number[]>> {
  const names = Object.keys(subjects) as N[];
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<N, number[]>;
  for (let round = 0; round < rounds; round++) {
    const values = {} as Record<N, number>;
    for (const name of round % 2 === 0 ? names : names.toReversed())
      values[name] = await subjects[name](round);
    for (const name of names) results[name].push(values[name]);
    onRound(round, values);
  }
  return results;
}
