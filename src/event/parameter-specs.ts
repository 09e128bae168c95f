import type { Problem } from '../problem';
import type { Choices } from './shape';

/**
 * The parameters of an operation: one table for each. The GraphQL arguments, the parameters of a route, the OpenAPI
 * document, the check of what a caller gives and the types of the checked values are derived from it.
 */
export type ParameterSpecs = Readonly<Record<string, ParameterSpec>>;

/** A parameter that a query string can bring. */
export type QuerySpec = Common & { readonly doc: string } & (
    | IntegerSpec
    | ChoiceSpec
    | (TextSpec & { readonly charsMax: number })
    | { readonly kind: 'search' | 'filter'; readonly charsMax: number }
    | { readonly kind: 'choices'; readonly values: readonly string[] }
    | { readonly kind: 'boolean' }
    | TimeSpec
    | { readonly kind: 'id' }
  );
export type QuerySpecs = Readonly<Record<string, QuerySpec>>;

export type ParameterSpec =
  | QuerySpec
  | (Common & { readonly doc?: string } & (
        | (Omit<IntegerSpec, 'max'> & { readonly max?: number })
        | ChoiceSpec
        | TextSpec
        | { readonly kind: 'search' | 'filter'; readonly charsMax: number; readonly default?: '' }
        | { readonly kind: 'choices'; readonly values: readonly string[] }
        | { readonly kind: 'boolean'; readonly default?: boolean }
        | TimeSpec
        | { readonly kind: 'id' }
        /** A whole number from 0 that may need more than 32 bits. */
        | { readonly kind: 'count' }
        /** Names something stored. What is not there is not found, in whatever form the name is. */
        | { readonly kind: 'reference' }
        | { readonly kind: 'enum'; readonly choices: Choices }
        | {
            readonly kind: 'texts';
            readonly itemsMax?: number;
            readonly default?: readonly [];
            readonly check?: Check<readonly string[]>;
          }
        | {
            readonly kind: 'object';
            readonly of: InputShape;
            readonly isList?: true;
            readonly itemsMax?: number;
          }
        /** Any JSON. The operation checks it. */
        | { readonly kind: 'json' }
        /** What a GraphQL scalar of its own has read and checked. */
        | { readonly kind: 'scalar' }
      ));

interface Common {
  /** Null is refused; so is a call without it, unless it has a default. */
  readonly isRequired?: true;
}
interface IntegerSpec {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
}
interface ChoiceSpec {
  readonly kind: 'choice';
  readonly values: readonly string[];
  readonly default?: string;
}
interface TextSpec {
  readonly kind: 'text';
  readonly charsMax?: number;
  readonly isEmptyAllowed?: true;
  readonly default?: string;
  readonly check?: Check<string>;
}

interface TimeSpec {
  readonly kind: 'time';
  readonly words?: readonly string[];
  readonly default?: string;
  /** It is kept, so its year must be one of 1 to 9999 in UTC too, and not only with its offset. */
  readonly isStored?: true;
}

/** What a value of the right kind must also satisfy. @param field the name of the parameter */
type Check<T> = (value: T, field: string) => readonly Problem[];

/** An object that is given as one parameter. */
export interface InputShape {
  /** The name of the GraphQL type. */
  readonly name: string;
  readonly doc?: string;
  readonly fields: ParameterSpecs;
}

type OneOf<S extends ParameterSpec> = S extends { kind: 'integer' | 'count' }
  ? number
  : S extends { kind: 'boolean' }
    ? boolean
    : S extends { kind: 'choice'; values: readonly (infer V)[] }
      ? V
      : S extends { kind: 'choices'; values: readonly (infer V)[] }
        ? readonly V[]
        : S extends { kind: 'texts' }
          ? readonly string[]
          : S extends { kind: 'enum'; choices: { values: infer V } }
            ? keyof V
            : S extends { kind: 'object'; of: { fields: infer F extends ParameterSpecs } }
              ? S extends { isList: true }
                ? readonly ParameterValues<F>[]
                : ParameterValues<F>
              : S extends { kind: 'json' | 'scalar' }
                ? unknown
                : string;

/** The checked values of parameters. Undefined: it is not given, and has no default. */
export type ParameterValues<S extends ParameterSpecs> = {
  [N in keyof S]:
    | OneOf<S[N]>
    | (S[N] extends { isRequired: true } | { default: unknown } ? never : undefined);
};

/** Parameters as a caller that the compiler checks gives them. Their values are not checked. */
export type GivenValues<S extends ParameterSpecs> = {
  readonly [N in Needed<S>]: RawOf<S[N]>;
} & {
  readonly [N in Exclude<keyof S, Needed<S>>]?: RawOf<S[N]> | null | undefined;
};
type Needed<S extends ParameterSpecs> = {
  [N in keyof S]: S[N] extends { default: unknown } ? never : S[N] extends { isRequired: true } ? N : never;
}[keyof S];
type RawOf<S extends ParameterSpec> = S extends { kind: 'choice' }
  ? string
  : S extends { kind: 'object'; of: { fields: infer F extends ParameterSpecs } }
    ? S extends { isList: true }
      ? readonly GivenValues<F>[]
      : GivenValues<F>
    : OneOf<S>;
