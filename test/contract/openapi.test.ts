import { Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { pino } from 'pino';
import { createFacade } from '../../rest-facade/app';
import { ERRORS } from '../../src/errors';
import { describeSchema } from '../../src/schema';
import { API_BASE_PATH } from '../../src/version';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly $ref?: string;
        readonly content?: Readonly<Record<string, { readonly schema: { type?: string } }>>;
      }
    >
  >;
}

/** The filters that the service has beyond the specification. */
const FURTHER = [
  ...[
    'serverInstanceName',
    'schemaName',
    'objectName',
    'databasePrincipalName',
    'applicationName',
    'hostName',
  ],
  ...['clientIp', 'sourceType', 'succeeded'],
];
const PAGED = ['page', 'pageSize', 'sortBy', 'sortDirection'];
const OF_FINDINGS = [
  ...['severity', 'ruleId', 'principalName', 'serverInstanceName', 'startTime', 'endTime'],
];
const PATHS = {
  '/audit-activity': [
    'page',
    'pageSize',
    'search',
    'sortBy',
    'sortDirection',
    'filter',
    'actionId',
    'databaseName',
    'principalName',
    ...FURTHER,
    'startTime',
    'endTime',
  ],
  '/audit-activity/summary': ['filter', 'startTime', 'endTime'],
  '/audit-activity/export': [
    ...['format', 'schema', 'search', 'filter', 'actionId', 'databaseName', 'principalName', ...FURTHER],
    ...['startTime', 'endTime', 'cursor', 'end'],
  ],
  '/audit-activity/package': [
    ...['tenantId', 'reason', 'search', 'filter', 'actionId', 'databaseName', 'principalName', ...FURTHER],
    ...['startTime', 'endTime'],
  ],
  '/audit-activity/tail': [
    ...['cursor', 'from', 'limit', 'wait', 'format', 'include'],
    ...['search', 'filter', 'actionId', 'databaseName', 'principalName', ...FURTHER, 'startTime', 'endTime'],
  ],
  '/audit-activity/{recordId}': ['recordId'],
  '/audit-activity/{recordId}/proof': ['recordId'],
  '/incidents': [...PAGED, 'status', 'severity', 'startTime', 'endTime'],
  '/incidents/{incidentId}': ['incidentId'],
  '/alerts': [...PAGED, 'status', ...OF_FINDINGS],
  '/alerts/{alertId}': ['alertId'],
  '/findings': [...PAGED, 'alertId', ...OF_FINDINGS],
  '/findings/{findingId}': ['findingId'],
  '/compliance/frameworks': ['page', 'pageSize', 'asOf', 'format'],
  '/compliance/controls': ['page', 'pageSize', 'framework', 'status', 'serverInstanceName', 'asOf', 'format'],
  '/compliance/controls/{controlId}': ['controlId', 'asOf'],
  '/compliance/summary': ['asOf', 'startTime'],
  '/reports': ['page', 'pageSize'],
  '/reports/runs/{runId}': ['runId'],
  '/reports/runs/{runId}/content': ['runId', 'format'],
  '/reports/{reportId}/content': [
    ...['reportId', 'format', 'tenantId', 'startTime', 'endTime', 'timeZone', 'framework'],
    ...['search', 'filter', 'actionId', 'databaseName', 'principalName', ...FURTHER],
  ],
  '/audit-sources': ['page', 'pageSize'],
  '/audit-log': ['tenantId'],
  '/audit-log/checkpoints': ['tenantId', 'after'],
  '/audit-log/entries': ['tenantId', 'start'],
  '/audit-log/consistency': ['tenantId', 'from', 'to'],
  '/audit-log/removals': ['tenantId'],
} as const;

describe('the OpenAPI document', () => {
  const at = useWorld(ANY_ENGINE);
  // biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
  let document: any;
  beforeAll(async () => {
    document = (await at.world.fetch('/swagger')).body;
  });
  const operation = (path: string): Operation => document.paths[API_BASE_PATH + path].get;

  it("has no error by Spectral's rules for OpenAPI, except components that no path names", async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [oas as never] });
    const problems = (await spectral.run(document)).filter(({ code }) => code !== 'oas3-unused-component');
    expect(problems.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
  });

  it('describes exactly the public calls, each with its parameters', () => {
    expect(Object.keys(document.paths).sort()).toEqual(
      Object.keys(PATHS)
        .map((path) => API_BASE_PATH + path)
        .sort(),
    );
    for (const [path, names] of Object.entries(PATHS)) {
      expect(Object.keys(document.paths[API_BASE_PATH + path])).toEqual(['get']);
      expect(operation(path).parameters.map(({ name }) => name)).toEqual(names);
    }
  });

  it('has a tag for each concept, and describes each', () => {
    const tagOf = (path: string) => operation(path).tags.join();
    expect(Object.fromEntries(Object.keys(PATHS).map((path) => [path, tagOf(path)]))).toMatchObject({
      '/audit-activity': 'Audit activity',
      '/audit-activity/{recordId}': 'Audit activity',
      '/audit-activity/summary': 'Audit activity',
      '/audit-activity/export': 'Export',
      '/audit-activity/package': 'Evidence log',
      '/audit-activity/tail': 'Tail',
      '/audit-activity/{recordId}/proof': 'Evidence log',
      '/audit-log/entries': 'Evidence log',
      '/audit-sources': 'Sources',
      '/incidents': 'Incidents',
      '/incidents/{incidentId}': 'Incidents',
      '/alerts/{alertId}': 'Alerts',
      '/findings': 'Findings',
      '/compliance/summary': 'Compliance',
      '/reports/{reportId}/content': 'Reports',
    });
    const described = document.tags.map(({ name }: { name: string }) => name);
    expect(described.toSorted()).toEqual([...new Set(Object.keys(PATHS).map(tagOf))].toSorted());
    expect(document.tags.filter(({ description }: { description: string }) => !description)).toEqual([]);
  });

  it('states types of bodies that generators know: without parameters, and lines of JSON as text', () => {
    for (const path of Object.keys(PATHS)) {
      const { content = {} } = operation(path).responses['200'] ?? {};
      expect(Object.keys(content).filter((type) => !/^[a-z]+\/[a-z-]+$/.test(type))).toEqual([]);
      for (const [type, { schema }] of Object.entries(content))
        if (type !== 'application/json') expect([type, schema.type]).toEqual([type, 'string']);
    }
    const { content = {} } = operation('/audit-activity/export').responses['200'] ?? {};
    expect(Object.keys(content)).toEqual(['application/x-ndjson', 'text/csv']);
    expect(content['application/x-ndjson']).toMatchObject({
      'x-line-schema': {
        anyOf: ['AuditActivityExportLine', 'OtherFormat'].map((name) => ({
          $ref: `#/components/schemas/${name}`,
        })),
      },
    });
  });

  it('describes only paths that are served', async () => {
    for (const path of Object.keys(PATHS)) {
      const real = API_BASE_PATH + path.replace('{recordId}', '019a8f00-0000-8000-8000-000000000000');
      expect((await at.world.fetch(real)).status).toBe(401);
      expect((await at.world.fetch(real, { method: 'POST' })).status).toBe(405);
    }
  });

  it('describes every path that is served, except /health', () => {
    const { stack } = createFacade({
      schema: describeSchema(),
      acceptCall: () => Promise.reject(new Error('not called')),
      beginExport: () => Promise.reject(new Error('not called')),
      tail: {} as never,
      packages: {} as never,
      reports: {} as never,
      large: {} as never,
      checkHealth: async () => 'Healthy',
      log: pino({ level: 'silent' }),
    });
    const served = stack.flatMap(({ route }) => (route ? [route.path.replace(/:(\w+)/g, '{$1}')] : []));
    const others = served.filter((path) => !path.startsWith(API_BASE_PATH));
    expect(new Set(served)).toEqual(new Set([...Object.keys(document.paths), ...others]));
    expect(new Set(others)).toEqual(new Set(['/health']));
  });

  it('describes every error code under its status', () => {
    const { schemas, responses } = document.components;
    expect(schemas.Error.properties.error.properties.code.enum).toEqual(Object.keys(ERRORS));
    expect(Object.keys(responses).sort()).toEqual(Object.keys(ERRORS).sort());
    for (const path of Object.keys(PATHS)) {
      for (const [status, response] of Object.entries(operation(path).responses)) {
        if (status === '200') continue;
        const code = response.$ref?.split('/').at(-1) as keyof typeof ERRORS;
        expect(ERRORS[code].status).toBe(Number(status));
      }
    }
  });

  it('describes every status that a call can answer', () => {
    const common = ['200', '400', '401', '403', '405', '408', '414', '429', '431', '500', '503'];
    expect(Object.keys(operation('/audit-activity').responses)).toEqual(common);
    expect(Object.keys(operation('/audit-activity/summary').responses)).toEqual(common);
    expect(Object.keys(operation('/audit-activity/{recordId}').responses)).toEqual([...common, '404'].sort());
  });

  it('requires the key in the header X-Api-Key', () => {
    const [name = ''] = Object.keys(document.security[0]);
    expect(document.components.securitySchemes[name]).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'X-Api-Key',
    });
  });

  it('allows no undeclared field in any object, and requires every declared one', () => {
    const open: string[] = [];
    const walk = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return;
      const { type, properties, required, additionalProperties } = value as Record<string, unknown>;
      const names = JSON.stringify(Object.keys(properties ?? {}));
      const isMap = typeof additionalProperties === 'object' && properties === undefined;
      if (
        type === 'object' &&
        !isMap &&
        (additionalProperties !== false || JSON.stringify(required) !== names)
      )
        open.push(path);
      for (const [name, child] of Object.entries(value)) walk(child, `${path}/${name}`);
    };
    walk(document.components.schemas, '');
    expect(open).toEqual([]);
  });
});
