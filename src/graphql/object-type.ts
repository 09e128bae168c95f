import { GraphQLBoolean, GraphQLFloat, GraphQLInt, type GraphQLScalarType, GraphQLString } from 'graphql';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import type { Choices, Shape, ShapeField } from '../event/shape';

/** The class by which type-graphql identifies a type. */
export type Class = new () => object;

const SCALARS: Readonly<Record<Exclude<ShapeField['kind'], 'choice' | 'object'>, GraphQLScalarType>> = {
  id: GraphQLString,
  text: GraphQLString,
  time: GraphQLString,
  boolean: GraphQLBoolean,
  integer: GraphQLInt,
  count: GraphQLSafeInt,
  decimal: GraphQLFloat,
  values: GraphQLJSON,
};

const objectTypes = new Map<Shape, Class>();
const enumTypes = new Map<Choices, object>();

/** The GraphQL type of a shape, made once. Call this before the schema is built, not during it. */
export function objectType(shape: Shape): Class {
  const made = objectTypes.get(shape);
  if (made) return made;
  const type = class {};
  objectTypes.set(shape, type);
  ObjectType(shape.name, describedBy(shape.doc))(type);
  for (const [name, field] of Object.entries(shape.fields)) declare(type, name, typeOf(field), field);
  return type;
}

/** The GraphQL type of a choice, made once. Each name equals its value. */
export function enumType<C extends Choices>(choices: C): { readonly [name in keyof C['values']]: name } {
  const names = Object.keys(choices.values);
  const type = enumTypes.get(choices) ?? Object.fromEntries(names.map((name) => [name, name]));
  if (!enumTypes.has(choices)) {
    enumTypes.set(choices, type);
    const { name, doc, values } = choices;
    const valuesConfig = Object.fromEntries(names.map((of) => [of, { description: values[of] ?? '' }]));
    registerEnumType(type, { name, description: doc, valuesConfig });
  }
  return type as { readonly [name in keyof C['values']]: name };
}

function typeOf({ kind, of, choices, isList = false }: ShapeField) {
  const one = of ? objectType(of) : choices ? enumType(choices) : SCALARS[kind as keyof typeof SCALARS];
  return isList ? [one] : one;
}

/**
 * Declares a field as `@Field` would. The types are given, so nothing depends on emitted metadata. With `simple`, a
 * field is read as a property. A resolver would make half of all the objects of a page.
 */
export function declare(
  type: Class,
  name: string,
  typed: ReturnType<typeof typeOf>,
  {
    nullable = false,
    doc,
    deprecated,
    defaultValue,
  }: {
    readonly nullable?: boolean;
    readonly doc?: string | undefined;
    readonly deprecated?: string;
    readonly defaultValue?: unknown;
  },
): void {
  const options = {
    nullable,
    simple: true,
    ...describedBy(doc),
    ...(deprecated !== undefined && { deprecationReason: deprecated }),
    ...(defaultValue !== undefined && { defaultValue }),
  };
  Field(() => typed as GraphQLScalarType, options)(type.prototype, name);
}

export const describedBy = (doc: string | undefined) => (doc === undefined ? {} : { description: doc });
