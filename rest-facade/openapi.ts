import type { GraphQLSchema } from 'graphql';
import swaggerJsdoc from 'swagger-jsdoc';
import { ERRORS, type ErrorCode } from '../src/errors';
import type { QuerySpec } from '../src/event/parameter-specs';
import { API_BASE_PATH, API_VERSION } from '../src/version';
import { EXPORT_PATH } from './export';
import { EXPORT } from './openapi-export';
import { PACKAGE } from './openapi-package';
import { PROSE_FILE } from './openapi-prose';
import { REPORT_FILES } from './openapi-reports';
import { SCHEMAS } from './openapi-schemas';
import { TAIL } from './openapi-tail';
import { PACKAGE_PATH } from './package';
import { prepareOperation, type Route } from './route';
import { ROUTES } from './routes';
import { TAIL_PATH } from './tail';

type Json = { readonly [key: string]: unknown };

/** Codes that a public route may answer with. */
const ROUTE_ERRORS = [
  'invalid_parameter',
  'unauthorized',
  'forbidden',
  'method_not_allowed',
  'request_timeout',
  'uri_too_long',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
] as const satisfies readonly ErrorCode[];

/** The OpenAPI 3.1 document, computed from routes, field table, access rules and error table. */
export function openApiDocument(schema: GraphQLSchema): Json {
  const prose = swaggerJsdoc({
    failOnErrors: true,
    definition: { openapi: '3.1.0', info: { title: 'Audit Activity', version: API_VERSION } },
    apis: [PROSE_FILE],
  }) as { tags: { name: string; description: string }[] };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Audit Activity Public API',
      version: API_VERSION,
      description: 'Read-only access to SQL Server audit events, per tenant.',
      contact: { name: 'The operator of this service' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: prose.tags,
    security: [{ apiKey: [] }],
    paths: {
      ...Object.fromEntries(
        ROUTES.map((route) => [API_BASE_PATH + route.path, { get: operation(route, schema) }]),
      ),
      [EXPORT_PATH]: { get: exportOperation() },
      [PACKAGE_PATH]: { get: packageOperation() },
      [TAIL_PATH]: { get: tailOperation() },
      ...Object.fromEntries(
        REPORT_FILES.map((file) => [API_BASE_PATH + file.path, { get: reportOperation(file) }]),
      ),
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Api-Key',
          description: 'An API key with scopes and tenants.',
        },
      },
      schemas: SCHEMAS,
      headers: HEADERS,
      responses: Object.fromEntries(
        (Object.keys(ERRORS) as ErrorCode[]).map((code) => [code, errorResponse(code)]),
      ),
    },
  };
}

function operation(route: Route, schema: GraphQLSchema): Json {
  const { rule } = prepareOperation(schema, route);
  const scope = rule.principal === 'public' ? rule.scope : '';
  const errors: ErrorCode[] = [
    ...ROUTE_ERRORS,
    ...(hasPathParameters(route) || route.mayMiss ? (['not_found'] as const) : []),
  ];
  return {
    operationId: route.operationId,
    ...(route.deprecation && { deprecated: true }),
    ...prosed(route, '', scope),
    parameters: [
      ...Object.entries(route.pathParameters).map(([name, spec]) => parameter(name, spec, 'path')),
      ...Object.entries(route.query).map(([name, spec]) => parameter(name, spec, 'query')),
    ],
    responses: {
      200: {
        ...answered(contentOf(route), route.deprecation && NOTICE_HEADERS),
      },
      ...refused(errors),
    },
  };
}

/** Generators look types up without parameters such as the charset. */
function contentOf(route: Route): Json {
  const page = { $ref: `#/components/schemas/${responseSchemaOf(route)}` };
  const types = Object.values(route.documents ?? {}).map((type) => type.replace(/;.*/, ''));
  const others = types.filter((type) => type !== JSON_TYPE);
  const schema = types.includes(JSON_TYPE) ? { anyOf: [page, { $ref: OSCAL_SCHEMA }] } : page;
  return {
    [JSON_TYPE]: { schema },
    ...Object.fromEntries(others.map((type) => [type, { schema: { type: 'string' } }])),
  };
}
const JSON_TYPE = 'application/json';
const OSCAL_SCHEMA = '#/components/schemas/OscalAssessmentResults';

function exportOperation(): Json {
  const { header: total } = EXPORT;
  return {
    operationId: EXPORT.operationId,
    ...prosed(EXPORT, `\n\n${EXPORT.description}`, EXPORT.scope),
    parameters: Object.entries(EXPORT.query).map(([name, spec]) => parameter(name, spec, 'query')),
    responses: {
      200: { ...answered(EXPORT.content, { [total.name]: header(total.description, 'integer') }) },
      ...refused([...ROUTE_ERRORS, 'upgrade_required']),
    },
  };
}

function packageOperation(): Json {
  return {
    operationId: PACKAGE.operationId,
    ...prosed(PACKAGE, `\n\n${PACKAGE.description}`, PACKAGE.scope),
    parameters: Object.entries(PACKAGE.query).map(([name, spec]) => parameter(name, spec, 'query')),
    responses: { 200: { ...answered(PACKAGE.content) }, ...refused([...ROUTE_ERRORS, 'not_found']) },
  };
}

function reportOperation(file: (typeof REPORT_FILES)[number]): Json {
  return {
    operationId: file.operationId,
    ...prosed(file, `\n\n${file.description}`, file.scope),
    parameters: [
      ...Object.entries(file.pathParameters).map(([name, spec]) => parameter(name, spec, 'path')),
      ...Object.entries(file.query).map(([name, spec]) => parameter(name, spec, 'query')),
    ],
    responses: {
      200: { ...answered(file.content, { [file.header.name]: header(file.header.description) }) },
      ...refused([...ROUTE_ERRORS, 'not_found']),
    },
  };
}

function tailOperation(): Json {
  const headers = Object.entries(TAIL.headers).map(([name, doc]) => [name, header(doc)] as const);
  return {
    operationId: TAIL.operationId,
    ...prosed(TAIL, `\n\n${TAIL.description}`, TAIL.scope),
    parameters: Object.entries(TAIL.query).map(([name, spec]) => parameter(name, spec, 'query')),
    responses: {
      200: { ...answered(TAIL.content, Object.fromEntries(headers)) },
      ...refused([...ROUTE_ERRORS, 'cursor_of_earlier_log']),
    },
  };
}

const prosed = ({ summary, tag }: Pick<Route, 'summary' | 'tag'>, further: string, scope: string): Json => ({
  summary,
  description: `${summary} Needs the scope \`${scope}\`.${further}`,
  tags: [tag],
  'x-required-scope': scope,
});

const answered = (content: Json, headers: Json = {}): Json => ({
  description: 'The answer.',
  headers: { ...COMMON_HEADERS, ...RATE_HEADERS, ...headers },
  content,
});

const refused = (codes: readonly ErrorCode[]): Json =>
  Object.fromEntries(
    codes
      .map((code) => [ERRORS[code].status, { $ref: `#/components/responses/${code}` }] as const)
      .sort(([a], [b]) => a - b),
  );

const hasPathParameters = (route: Route) => Object.keys(route.pathParameters).length > 0;
const responseSchemaOf = (route: Route) =>
  `${route.schema}${route.envelope === 'list' ? 'Page' : 'Envelope'}`;

function parameter(name: string, spec: QuerySpec, place: 'path' | 'query'): Json {
  return {
    name,
    in: place,
    required: place === 'path',
    description: spec.doc,
    schema: parameterSchema(spec),
  };
}

/** The JSON schema of a parameter. */
export function parameterSchema(spec: QuerySpec): Json {
  switch (spec.kind) {
    case 'integer':
      return { type: 'integer', minimum: spec.min, maximum: spec.max, default: spec.default };
    case 'choice':
      return { type: 'string', enum: spec.values, ...(spec.default ? { default: spec.default } : {}) };
    case 'choices':
      return { type: 'array', items: { type: 'string', enum: spec.values } };
    case 'boolean':
      return { type: 'boolean' };
    case 'time':
      return { type: 'string', examples: ['2026-11-19T00:00:00Z', ...(spec.words ?? [])] };
    case 'id':
      return { type: 'string', format: 'uuid' };
    case 'text':
    case 'search':
    case 'filter':
      return { type: 'string', minLength: 1, maxLength: spec.charsMax };
  }
}

const header = (description: string, type = 'string') => ({ description, schema: { type } });
const HEADERS = {
  'X-Request-Id': header("The caller's own request id, or one made by the service."),
  RateLimit: header('Calls left (r) and seconds until more are (t).'),
  'RateLimit-Policy': header('Calls (q) per window of w seconds.'),
  'Retry-After': header('Seconds after which the call can succeed.', 'integer'),
  Allow: header('Methods the path takes.'),
  Upgrade: header('The version of HTTP to use.'),
};
/** Headers of deprecated routes. They are no shared components, which nothing would use while no route is deprecated. */
const NOTICE_HEADERS = {
  Deprecation: header('Since when the operation is said to go: @ and seconds since 1970.'),
  Sunset: header('From when on it may be gone, as HTTP has dates.'),
  Link: header('Where its callers read what to use instead.'),
};
const ref = (name: keyof typeof HEADERS) => ({ [name]: { $ref: `#/components/headers/${name}` } });
const COMMON_HEADERS = ref('X-Request-Id');
const RATE_HEADERS = { ...ref('RateLimit'), ...ref('RateLimit-Policy') };
const ERROR_HEADERS: Partial<Record<ErrorCode, Json>> = {
  rate_limited: { ...ref('Retry-After'), ...RATE_HEADERS },
  service_unavailable: ref('Retry-After'),
  method_not_allowed: ref('Allow'),
  upgrade_required: ref('Upgrade'),
};

function errorResponse(code: ErrorCode): Json {
  return {
    description: ERRORS[code].doc,
    headers: { ...COMMON_HEADERS, ...ERROR_HEADERS[code] },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}
