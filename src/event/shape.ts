/**
 * The fields of an answer: one table for each kind of object. The type of its values in code, the GraphQL type, the
 * OpenAPI schema, what a route selects and the columns of the command line are derived from it.
 */
export interface Shape {
  /** The name of the GraphQL type. */
  readonly name: string;
  readonly doc?: string;
  readonly fields: ShapeFields;
}
export type ShapeFields = Readonly<Record<string, ShapeField>>;

export interface ShapeField {
  /**
   * `id` is a UUID, `time` ISO 8601 in UTC, `integer` a whole number of 32 bits, `count` a whole number from 0 that may
   * be larger, `values` an object of names and scalars.
   */
  readonly kind:
    | 'id'
    | 'text'
    | 'time'
    | 'boolean'
    | 'integer'
    | 'count'
    | 'decimal'
    | 'values'
    | 'choice'
    | 'object';
  /** Absent values are `null`. */
  readonly nullable?: boolean;
  readonly isList?: boolean;
  /** The shape of an `object`. */
  readonly of?: Shape;
  /** The values of a `choice`. */
  readonly choices?: Choices;
  readonly doc?: string;
  /** The field to use in its place. */
  readonly deprecated?: string;
}

/** The values of a choice, each with what it means. */
export interface Choices {
  readonly name: string;
  readonly doc: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The shape of a page of a list. */
export const pageOf = <S extends Shape>(name: string, of: S) =>
  ({
    name,
    doc: 'A page of a list, with its total.',
    fields: {
      items: { kind: 'object', isList: true, of },
      totalCount: { kind: 'count' },
      page: { kind: 'integer' },
      pageSize: { kind: 'integer' },
    },
  }) as const satisfies Shape;

type Scalars = { boolean: boolean; integer: number; count: number; decimal: number; values: object };
type One<F extends ShapeField> = F extends { of: infer S extends Shape }
  ? Answer<S>
  : F extends { choices: { values: infer V } }
    ? keyof V
    : F['kind'] extends keyof Scalars
      ? Scalars[F['kind']]
      : string;

/** The value of a field. */
export type ValueOf<F extends ShapeField> =
  | (F extends { isList: true } ? readonly One<F>[] : One<F>)
  | (F extends { nullable: true } ? null : never);

/** An object of a shape. */
export type Answer<S extends Pick<Shape, 'fields'>> = {
  readonly [N in keyof S['fields']]: ValueOf<S['fields'][N]>;
};

/** Some fields of a table, in the order asked for. */
export const pick = <T extends ShapeFields, N extends keyof T>(fields: T, names: readonly N[]): Pick<T, N> =>
  Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<T, N>;

/** The selection of a whole shape in a GraphQL document, with the objects within it. */
export const selectionOf = ({ fields }: Pick<Shape, 'fields'>): string[] =>
  Object.entries(fields).map(([name, { of }]) => (of ? `${name} { ${selectionOf(of).join(' ')} }` : name));
