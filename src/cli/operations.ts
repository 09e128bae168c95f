import { type Answers, type Arguments, OPERATIONS, SELECTIONS, type Types } from '../generated/operations';

/** A root field of the service's GraphQL. */
export type Operation = keyof Arguments;

type NameIn<A> =
  NonNullable<A> extends readonly (infer Item)[]
    ? keyof Item & string
    : NonNullable<A> extends object
      ? keyof NonNullable<A> & string
      : never;
type Selected<A, N extends string> = A extends readonly (infer Item)[]
  ? readonly Selected<Item, N>[]
  : A extends object
    ? Pick<A, N & keyof A>
    : A;

/**
 * Asks the service for one root field.
 * @param args those that are `undefined` are not sent
 * @param names the fields of the answer, in the order in which it has them (default: all)
 * @throws CommandError with the service's message
 */
export type Run = <F extends Operation, N extends NameIn<Answers[F]> = NameIn<Answers[F]>>(
  field: F,
  args: Arguments[F],
  names?: readonly N[],
) => Promise<Selected<Answers[F], N>>;

/** Sends a document. @returns the data of the answer */
type Send = (query: string, variables: Values) => Promise<Values>;
type Values = Readonly<Record<string, unknown>>;

/** Makes the documents of operations, and sends them. */
export const runBy =
  (send: Send): Run =>
  async (field, args, names) => {
    const given: Values = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
    const data = await send(documentOf(field, Object.keys(given), names), given);
    return data[field] as never;
  };

function documentOf(field: Operation, given: readonly string[], names?: readonly string[]): string {
  const { kind, args, of } = OPERATIONS[field];
  const inBrackets = (parts: readonly string[]) => (parts.length > 0 ? `(${parts.join(', ')})` : '');
  const declared = inBrackets(given.map((name) => `$${name}: ${args[name]}`));
  const handed = inBrackets(given.map((name) => `${name}: $${name}`));
  const within: Readonly<Record<string, string>> | undefined = SELECTIONS[of as keyof Types];
  const selected = (names ?? Object.keys(within ?? {})).map((name) => name + (within?.[name] ?? ''));
  return `${kind}${declared} { ${field}${handed}${within ? ` { ${selected.join(' ')} }` : ''} }`;
}

/** All fields of a type as columns: the named ones first, then the others. */
export function columnsOf<T extends keyof Types>(type: T, ...first: (keyof Types[T] & string)[]) {
  const all = Object.keys(SELECTIONS[type]) as (keyof Types[T] & string)[];
  return [...new Set([...first, ...all])];
}
