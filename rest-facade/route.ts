import type { Request, Response } from 'express';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Call } from '../src/caller/call';
import type { AccessRule } from '../src/caller/principal';
import type { RateDecision } from '../src/caller/rate-limit/limiter';
import { DomainError, toDomainError } from '../src/errors';
import type { QuerySpec, QuerySpecs } from '../src/event/parameter-specs';
import { type Parsed, parseParameters } from '../src/event/parse-parameters';
import type { Page } from '../src/event/query';
import { accessRuleOf } from '../src/graphql/access';
import { admit } from '../src/graphql/guard';
import { LIMITS } from '../src/limits';
import { API_VERSION } from '../src/version';
import type { Deprecation } from './deprecation';

/** The concepts of the public API, by which its description groups the calls; `openapi-prose.ts` describes each. */
export type Tag =
  | 'Audit activity'
  | 'Export'
  | 'Tail'
  | 'Sources'
  | 'Evidence log'
  | 'Incidents'
  | 'Alerts'
  | 'Findings'
  | 'Compliance'
  | 'Reports';

/** A route of the public API as data. One function answers all routes, and OpenAPI is made of them. */
export interface Route {
  readonly operationId: string;
  readonly tag: Tag;
  /** Below the base path, with `{name}` for path parameters. */
  readonly path: string;
  readonly summary: string;
  readonly query: QuerySpecs;
  readonly pathParameters: QuerySpecs;
  /** Name of the OpenAPI schema of `data`, or of the items of `data`. */
  readonly schema: string;
  readonly rootField: string;
  readonly fields: readonly string[];
  readonly envelope: 'list' | 'item';
  /**
   * Media types of the values of the parameter `format` for which the whole list is sent as a document, and not in an
   * envelope. The root field has it as `document`.
   */
  readonly documents?: Readonly<Record<string, string>>;
  /** The answer may be 404, although the path has no parameters. */
  readonly mayMiss?: boolean;
  /** If set, the route will be removed, and each of its answers says so. */
  readonly deprecation?: Deprecation;
}

/** What an entrance asks of the schema: a route, or a question of an assistant. */
export type Operation = Pick<
  Route,
  'operationId' | 'query' | 'pathParameters' | 'rootField' | 'fields' | 'envelope' | 'documents'
>;

/** The GraphQL document of an operation. */
function documentOf({
  operationId,
  query,
  pathParameters,
  rootField,
  fields,
  envelope,
  documents,
}: Operation): string {
  const specs = Object.entries(specsOf({ query, pathParameters }));
  const typeOf = ({ kind, isRequired }: QuerySpec) =>
    (GRAPHQL_TYPES[kind] ?? 'String') + (isRequired ? '!' : '');
  const variables = specs.map(([name, spec]) => `$${name}: ${typeOf(spec)}`).join(', ');
  const args = specs.map(([name]) => `${name}: $${name}`).join(', ');
  const selection =
    envelope === 'list'
      ? `items { ${fields.join(' ')} } totalCount page pageSize${documents ? ' document' : ''}`
      : fields.join(' ');
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  return `query ${name}(${variables}) { ${rootField}(${args}) { ${selection} } }`;
}

const GRAPHQL_TYPES: Partial<Record<QuerySpec['kind'], string>> = {
  integer: 'Int',
  boolean: 'Boolean',
  choices: '[String!]',
};

/** A fixed operation with one root field: parsed, validated and compiled at boot. */
export interface PreparedOperation {
  readonly rule: AccessRule;
  /** The value of the root field. @throws DomainError */
  run(variables: Readonly<Record<string, unknown>>, context: Call): Promise<unknown>;
  /**
   * Makes the access check of `run` before any other check. A refusal is noted with the parameters as they were given.
   * @throws DomainError `forbidden`
   */
  authorize(context: Call, given: object): void;
}

/** @throws Error when the document does not fit the schema: the service does not start with a broken route */
export function prepareOperation(schema: GraphQLSchema, route: Operation): PreparedOperation {
  const { rootField } = route;
  const source = documentOf(route);
  const document = parse(source);
  const errors = validate(schema, document);
  if (errors.length > 0)
    throw new Error(`operation does not fit the schema: ${errors.join('; ')}\n${source}`);
  // Resolvers return values in the form of their type. Converting them again would take 1.5 kB for each row of a list.
  const compiled = compileQuery(schema, document, undefined, { disableLeafSerialization: true });
  if (!isCompiledQuery(compiled))
    throw new Error(`operation does not compile: ${compiled.errors?.join('; ')}`);
  const field = schema.getQueryType()?.getFields()[rootField];
  const rule = field ? accessRuleOf(field) : null;
  if (!rule) throw new Error(`${rootField} is no query with an access rule`);
  return {
    rule,
    authorize: (call, given) =>
      admit({
        call,
        rule,
        note: (result) => call.note({ ...result, operation: rootField, parameters: given }),
      }),
    run: async (variables, context) => {
      const result = await compiled.query(undefined, context, variables);
      // A failed field fails the whole answer, so that no answer is partial.
      const [error] = result.errors ?? [];
      if (error) throw toDomainError(error.originalError ?? error);
      return result.data?.[rootField];
    },
  };
}

/** All parameters of a route in one table. The resolver finds the parsed parameters by this table. */
export const specsOf = ({ query, pathParameters }: Pick<Route, 'query' | 'pathParameters'>): QuerySpecs => {
  const [inPath] = Object.keys(pathParameters);
  const [inQuery] = Object.keys(query);
  if (inPath === undefined) return query;
  return inQuery === undefined ? pathParameters : { ...pathParameters, ...query };
};

/** Parameters as a request gives them. Express parses the query again at each access. */
type Given = Pick<Request, 'query' | 'params'>;

/** @throws DomainError `invalid_parameter` naming every problem */
export function parseRequest({ pathParameters }: Route, specs: QuerySpecs, { query, params }: Given): Parsed {
  const misplaced = Object.keys(pathParameters).filter((name) => name in query);
  const given: Record<string, unknown> = { ...query, ...params };
  if (misplaced.length > 0) given[`${misplaced[0]} (in the query)`] = '';
  return { specs, values: parseParameters(specs, given) };
}

/** The document that is the whole answer; null: the answer has an envelope. */
export function documentIn(
  { documents }: Route,
  { format }: Readonly<Record<string, unknown>>,
  value: unknown,
): { readonly type: string; readonly text: string } | null {
  const type = documents?.[String(format)];
  return type === undefined ? null : { type, text: (value as { readonly document: string }).document };
}

/** The body of the answer. @throws DomainError `not_found` */
export function bodyOf(route: Route, value: unknown, now: Date): unknown {
  if (route.envelope === 'list') return listEnvelope(value as Page<unknown>, now);
  // An unknown record and a record of another tenant get the same answer.
  if (value === null) throw new DomainError('not_found', { public: 'There is no such record.' });
  return itemEnvelope(value, now);
}

interface ResponseMeta {
  /** Time of the response. */
  readonly timestamp: string;
  readonly apiVersion: string;
}

interface PageMeta extends ResponseMeta {
  readonly totalCount: number;
  readonly page: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

/** The fields that every answer's `meta` has. */
export const metaOf = (now: Date): ResponseMeta => ({
  timestamp: now.toISOString(),
  apiVersion: API_VERSION,
});

const itemEnvelope = <T>(data: T, now: Date) => ({ data, meta: metaOf(now) });

/** A page beyond the end has no items and true totals. */
function listEnvelope<T>({ items, totalCount, page, pageSize }: Page<T>, now: Date) {
  const totalPages = Math.ceil(totalCount / pageSize);
  const meta: PageMeta = {
    totalCount,
    page,
    pageSize,
    totalPages,
    hasPreviousPage: page > 1,
    hasNextPage: page < totalPages,
    ...metaOf(now),
  };
  return { data: items, meta };
}

const WINDOW_SECONDS = LIMITS.rateWindowMs / 1000;

/**
 * Sets `RateLimit-Policy` (quota and window) and `RateLimit` (calls left, seconds until more) on every answer that the
 * limiter has decided about.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function setRateLimitHeaders(response: Response, { limit, remaining, waitMs }: RateDecision): void {
  response.setHeader('RateLimit-Policy', `"key";q=${limit};w=${WINDOW_SECONDS}`);
  response.setHeader('RateLimit', `"key";r=${remaining};t=${Math.ceil((waitMs - 1) / 1000)}`);
}
