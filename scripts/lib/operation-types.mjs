import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Where the set-up writes them. */
export const OPERATION_TYPES = 'src/generated/operations.ts';

/**
 * The operations of the GraphQL schema as TypeScript: what the command line may ask, with which arguments, and what it
 * is answered.
 * @param out the folder of the compiled sources
 */
export function operationTypes(out) {
  const require = createRequire(join(out, 'src/schema.js'));
  const { describeSchema } = require('./schema.js');
  return new Writer(require('graphql'), describeSchema()).text();
}

const SCALARS = {
  Boolean: 'boolean',
  Float: 'number',
  Int: 'number',
  JSON: 'unknown',
  SafeInt: 'number',
  String: 'string',
};

class Writer {
  #graphql;
  #schema;

  constructor(graphql, schema) {
    this.#graphql = graphql;
    this.#schema = schema;
  }

  text() {
    const { isInputObjectType, isObjectType } = this.#graphql;
    const [query, mutation] = [this.#schema.getQueryType(), this.#schema.getMutationType()];
    const roots = [query, mutation].flatMap((type) =>
      valuesOf(type.getFields()).map((field) => ({ field, kind: type === query ? 'query' : 'mutation' })),
    );
    const types = valuesOf(this.#schema.getTypeMap()).filter(
      (type) => !type.name.startsWith('__') && type !== query && type !== mutation,
    );
    const answers = types.filter(isObjectType);
    return [
      '// Made from the schema by scripts/lib/operation-types.mjs, do not edit.',
      ...answers.map((type) =>
        this.#interface(type, (field) => `readonly ${field.name}: ${this.#type(field.type)};`),
      ),
      ...types
        .filter(isInputObjectType)
        .map((type) => this.#interface(type, (field) => this.#given(field, 'mutation'))),
      block(
        'interface Types',
        answers.map(({ name }) => `readonly ${name}: ${name};`),
      ),
      '/** Arguments by root field. Those of a change are all named: one that is `undefined` is not sent. */',
      block(
        'interface Arguments',
        roots.map(({ field, kind }) => `readonly ${field.name}: ${this.#arguments(field, kind)};`),
      ),
      block(
        'interface Answers',
        roots.map(({ field }) => `readonly ${field.name}: ${this.#type(field.type)};`),
      ),
      '/** By root field: its kind, the GraphQL types of its arguments, and the type of its answer. */',
      constant(
        'OPERATIONS: Readonly<Record<keyof Arguments, {\n  readonly kind: string;\n  readonly args: Readonly<Record<string, string>>;\n  readonly of: string;\n}>>',
        Object.fromEntries(roots.map((root) => [root.field.name, this.#operation(root)])),
      ),
      '/** The fields of each type, each with what is selected within it. */',
      constant(
        'SELECTIONS: { readonly [T in keyof Types]: { readonly [F in keyof Types[T]]: string } }',
        Object.fromEntries(answers.map((type) => [type.name, this.#selections(type)])),
      ),
    ].join('\n');
  }

  #interface(type, line) {
    return block(`interface ${type.name}`, valuesOf(type.getFields()).map(line));
  }

  #arguments({ args }, kind) {
    return args.length === 0
      ? 'Readonly<Record<string, never>>'
      : `{ ${args.map((arg) => this.#given(arg, kind)).join(' ')} }`;
  }

  /** What a caller gives. Of a query, what may be absent need not be named. */
  #given(arg, kind) {
    const isOptional = arg.defaultValue !== undefined || !this.#graphql.isNonNullType(arg.type);
    const mark = isOptional && kind === 'query' ? '?' : '';
    return `readonly ${arg.name}${mark}: ${this.#type(arg.type)}${isOptional ? ' | undefined' : ''};`;
  }

  #operation({ field, kind }) {
    const args = Object.fromEntries(field.args.map(({ name, type }) => [name, String(type)]));
    return { kind, args, of: this.#graphql.getNamedType(field.type).name };
  }

  /** Fields with arguments of their own are asked for without them. */
  #selections(type) {
    return Object.fromEntries(
      valuesOf(type.getFields()).map(({ name, type: of }) => [name, this.#within(of)]),
    );
  }

  #within(type) {
    const named = this.#graphql.getNamedType(type);
    if (!this.#graphql.isObjectType(named)) return '';
    return ` { ${valuesOf(named.getFields())
      .map((field) => field.name + this.#within(field.type))
      .join(' ')} }`;
  }

  #type(type) {
    return this.#graphql.isNonNullType(type) ? this.#some(type.ofType) : `${this.#some(type)} | null`;
  }

  #some(type) {
    if (this.#graphql.isListType(type)) return `readonly (${this.#type(type.ofType)})[]`;
    if (this.#graphql.isEnumType(type))
      return type
        .getValues()
        .map(({ name }) => `'${name}'`)
        .join(' | ');
    return this.#graphql.isScalarType(type) ? (SCALARS[type.name] ?? 'unknown') : type.name;
  }
}

const valuesOf = (fields) => Object.values(fields);
const block = (head, lines) => `export ${head} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
const constant = (declared, value) => `export const ${declared} = ${JSON.stringify(value, null, 2)};\n`;
