import { GraphQLBoolean, GraphQLFloat, GraphQLInt, type GraphQLScalarType, GraphQLString } from 'graphql';
import { GraphQLJSON } from 'graphql-scalars';
import { Args, ArgsType, Ctx, InputType, Root } from 'type-graphql';
import type { Call } from '../caller/call';
import type {
  GivenValues,
  InputShape,
  ParameterSpec,
  ParameterSpecs,
  ParameterValues,
} from '../event/parameter-specs';
import { withParameters } from '../event/parse-parameters';
import { type Class, declare, describedBy, enumType } from './object-type';

/** GraphQL scalars of the arguments of the kind `scalar`, by their names. */
type Scalars = Readonly<Record<string, GraphQLScalarType>>;

/**
 * Declares the arguments of an operation by their table. The method gets the checked values, the call, and for a field
 * of an object that object. Its types are checked against the table.
 * @throws DomainError `invalid_parameter` that names every problem, before the method runs
 */
export function Takes<S extends ParameterSpecs>(specs: S, scalars: Scalars = {}) {
  return <M extends (values: ParameterValues<S>, call: Call, root: never) => unknown>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    declareArguments(specs, scalars, target, name);
    const method = descriptor.value as unknown as Parameters<typeof withParameters<S, unknown>>[1];
    descriptor.value = withParameters(specs, method) as unknown as M;
  };
}

/**
 * As `Takes`, where the method gets the arguments as they were given. It must check them by the same table
 * (`checkParameters`), and tells their problems together with those that only the stored data show.
 */
export function TakesUnchecked<S extends ParameterSpecs>(specs: S) {
  return <M extends (given: GivenValues<S>, call: Call) => unknown>(
    target: object,
    name: string,
    _: TypedPropertyDescriptor<M>,
  ): void => declareArguments(specs, {}, target, name);
}

function declareArguments(specs: ParameterSpecs, scalars: Scalars, target: object, name: string): void {
  const type = class {};
  ArgsType()(type);
  declareAll(type, specs, scalars);
  Args(() => type)(target, name, 0);
  Ctx()(target, name, 1);
  Root()(target, name, 2);
}

function declareAll(type: Class, specs: ParameterSpecs, scalars: Scalars): void {
  for (const [name, spec] of Object.entries(specs)) {
    const { doc, isRequired = false } = spec;
    // GraphQL shows the default of an argument that cannot be null. Others have theirs where they are parsed.
    const defaultValue = isRequired && 'default' in spec ? spec.default : undefined;
    declare(type, name, scalars[name] ?? typeOf(spec), { nullable: !isRequired, doc, defaultValue });
  }
}

const inputTypes = new Map<InputShape, Class>();

function inputType(shape: InputShape): Class {
  const made = inputTypes.get(shape);
  if (made) return made;
  const type = class {};
  inputTypes.set(shape, type);
  InputType(shape.name, describedBy(shape.doc))(type);
  declareAll(type, shape.fields, {});
  return type;
}

const SCALARS: Partial<Record<ParameterSpec['kind'], GraphQLScalarType | [GraphQLScalarType]>> = {
  integer: GraphQLInt,
  count: GraphQLFloat,
  boolean: GraphQLBoolean,
  choices: [GraphQLString],
  texts: [GraphQLString],
  json: GraphQLJSON,
};

function typeOf(spec: ParameterSpec) {
  if (spec.kind === 'enum') return enumType(spec.choices);
  if (spec.kind !== 'object') return SCALARS[spec.kind] ?? GraphQLString;
  return spec.isList ? [inputType(spec.of)] : inputType(spec.of);
}
