import type { Request } from 'express';
import { DomainError } from '../src/errors';
import { type ParameterSpec, type ParameterSpecs, parseParameters } from '../src/event/parameters';
import type { Page } from '../src/event/query';
import type { Deprecation } from './deprecation';
import { itemEnvelope, listEnvelope } from './envelope';

/** A route of the public API as data: one function answers all of them, and OpenAPI is made of them. */
export interface Route {
  readonly operationId: string;
  /** Below the base path, with `{name}` for path parameters. */
  readonly path: string;
  readonly summary: string;
  readonly query: ParameterSpecs;
  readonly pathParameters: ParameterSpecs;
  /** Name of the OpenAPI schema of `data`, or of its items. */
  readonly schema: string;
  readonly rootField: string;
  readonly fields: readonly string[];
  readonly envelope: 'list' | 'item';
  /** What it is asked for may not be there, though its path has no parameters. */
  readonly mayMiss?: boolean;
  /** Set: it is to go, and each of its answers says so. */
  readonly deprecation?: Deprecation;
}

/** The GraphQL operation a route stands for. */
export function documentOf({
  operationId,
  query,
  pathParameters,
  rootField,
  fields,
  envelope,
}: Route): string {
  const specs = Object.entries({ ...pathParameters, ...query });
  const typeOf = (name: string, { kind }: ParameterSpec) =>
    (GRAPHQL_TYPES[kind] ?? 'String') + (name in pathParameters ? '!' : '');
  const variables = specs.map(([name, spec]) => `$${name}: ${typeOf(name, spec)}`).join(', ');
  const args = specs.map(([name]) => `${name}: $${name}`).join(', ');
  const selection =
    envelope === 'list' ? `items { ${fields.join(' ')} } totalCount page pageSize` : fields.join(' ');
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  return `query ${name}(${variables}) { ${rootField}(${args}) { ${selection} } }`;
}

const GRAPHQL_TYPES: Partial<Record<ParameterSpec['kind'], string>> = {
  integer: 'Int',
  boolean: 'Boolean',
};

/** Parameters as a request gives them. Express reads the query anew whenever it is asked for. */
type Given = Pick<Request, 'query' | 'params'>;

/** The variables of a request. @throws DomainError `invalid_parameter` naming every problem */
export function variablesOf(route: Route, { query, params }: Given): Record<string, unknown> {
  const inPath = Object.keys(route.pathParameters);
  const misplaced = inPath.filter((name) => name in query);
  const given: Record<string, unknown> = { ...query, ...params };
  if (misplaced.length > 0) given[`${misplaced[0]} (in the query)`] = '';
  return parseParameters({ ...route.pathParameters, ...route.query }, given);
}

/** The body of the answer. @throws DomainError `not_found` */
export function bodyOf(route: Route, value: unknown, now: Date): unknown {
  if (route.envelope === 'list') return listEnvelope(value as Page<unknown>, now);
  // The same answer for an unknown record and for one of another tenant.
  if (value === null) throw new DomainError('not_found', { public: 'There is no such record.' });
  return itemEnvelope(value, now);
}
