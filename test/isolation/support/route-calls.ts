import { EXPORT_PATH } from '../../../rest-facade/export';
import { PACKAGE_PATH } from '../../../rest-facade/package';
import { expressPath, MAKE_ROUTE, RUN_FILE_ROUTE } from '../../../rest-facade/report';
import { ROUTES } from '../../../rest-facade/routes';
import { TAIL_PATH } from '../../../rest-facade/tail';
import { HEALTH_PATH } from '../../../src/http/health';
import { REPORT_FORMAT_NAMES } from '../../../src/modules/reports/files';
import { API_BASE_PATH } from '../../../src/version';
import type { Actor, Call } from './actors';
import { type MarkedTenant, OUTGOING_ACCESS } from './marked-tenant';

/** A route with its path as the router has it, and calls of it that would reach a tenant. */
export interface RouteCase {
  readonly route: string;
  readonly calls: (target: MarkedTenant) => readonly Call[];
  /** Tells which actors see values of their own tenants on this route; absent: nobody. */
  readonly shows?: (actor: Actor) => boolean;
}

const get = (path: string): Call => ({ method: 'GET', path });
const isReader = ({ kind, refusal }: Actor) => kind === 'public' && !refusal;
const isSession = ({ kind }: Actor) => kind === 'session';

/** The value of each query parameter. A parameter without a value here fails the suite. */
const PARAMETERS: Readonly<Record<string, (target: MarkedTenant) => string | undefined>> = {
  tenantId: ({ tenant }) => tenant.tenantId,
  search: ({ marks }) => marks.event,
  databaseName: ({ marks }) => `${marks.event} databaseName`,
  principalName: ({ marks }) => `${marks.event} serverPrincipalName`,
  serverInstanceName: ({ marks }) => `${marks.event} serverInstanceName`,
  schemaName: ({ marks }) => `${marks.event} schemaName`,
  objectName: ({ marks }) => `${marks.event} objectName`,
  databasePrincipalName: ({ marks }) => `${marks.event} databasePrincipalName`,
  applicationName: ({ marks }) => `${marks.event} applicationName`,
  hostName: ({ marks }) => `${marks.event} hostName`,
  clientIp: ({ marks }) => `${marks.event} clientIp`,
  sourceType: ({ marks }) => marks.event,
  filter: ({ marks }) => `databaseName:"${marks.event} databaseName" OR ${marks.event}`,
  succeeded: () => 'true',
  actionId: ({ marks }) => marks.event,
  startTime: () => '2026-01-01T00:00:00Z',
  endTime: () => '2026-02-01T00:00:00Z',
  page: () => '1',
  pageSize: () => '100',
  sortBy: () => 'databaseName',
  sortDirection: () => 'asc',
  after: () => '0',
  start: () => '0',
  status: () => 'new',
  severity: () => 'medium',
  ruleId: () => OUTGOING_ACCESS,
  alertId: ({ alertIds }) => alertIds[0],
  from: () => '1',
  to: ({ events }) => String(events.length),
  framework: () => 'cis',
  format: () => 'oscal',
  asOf: () => '2026-01-06T00:00:00Z',
};

export const unknownParameters = (): string[] =>
  ROUTES.flatMap(({ query }) => Object.keys(query)).filter((name) => !PARAMETERS[name]);

/** The values of a parameter that mean something else elsewhere, by root field. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  incidents: { sortBy: 'createdAt' },
  alerts: { sortBy: 'createdAt' },
  findings: { sortBy: 'detectedAt' },
  complianceControls: { status: 'unknown' },
  complianceFrameworks: { format: 'csv' },
};
/** Answers that have only counts, and so show no marks. */
const COUNTS = ['auditSummary', 'complianceFrameworks'];

const publicRoutes: RouteCase[] = ROUTES.map(({ path, query, rootField }) => ({
  route: API_BASE_PATH + path.replace(/\{(\w+)\}/g, ':$1'),
  shows: (actor) => isReader(actor) && !COUNTS.includes(rootField),
  calls: (target) => {
    const address =
      API_BASE_PATH +
      path
        .replace('{recordId}', target.recordIds[0] ?? '')
        .replace('{alertId}', target.alertIds[0] ?? '')
        .replace('{incidentId}', target.incidentIds[0] ?? '')
        .replace('{findingId}', target.findingIds[0] ?? '')
        .replace('{controlId}', '5.4')
        .replace('{runId}', target.runId);
    const all = Object.keys(query).flatMap((name) => {
      const value = OTHERWISE[rootField]?.[name] ?? PARAMETERS[name]?.(target);
      return value === undefined ? [] : [[name, value] as [string, string]];
    });
    return [get(address), get(`${address}?${new URLSearchParams(all)}`)];
  },
}));

const exportsAt =
  (path: string): RouteCase['calls'] =>
  (target) => [
    get(path),
    get(`${path}?format=csv`),
    get(`${path}?databaseName=${encodeURIComponent(`${target.marks.event} databaseName`)}`),
    get(`${path}?serverInstanceName=${encodeURIComponent(`${target.marks.event} serverInstanceName`)}`),
    get(`${path}?succeeded=true`),
    get(`${path}?filter=${encodeURIComponent(`objectName:* OR ${target.marks.event}`)}`),
    get(`${path}?cursor=${target.recordIds[3]}`),
  ];

const packagesAt =
  (path: string): RouteCase['calls'] =>
  ({ tenant }) => [get(path), get(`${path}?tenantId=${tenant.tenantId}&reason=isolation`)];

// The link to the next call repeats the request, so no call may ask for a mark.
const tails: RouteCase['calls'] = () => [
  get(`${TAIL_PATH}?from=beginning`),
  get(`${TAIL_PATH}?from=2026-01-01&limit=5000`),
  get(`${TAIL_PATH}?from=now&wait=1`),
  get(`${TAIL_PATH}?from=beginning&succeeded=true`),
];

/** Questions of assistants. Answers repeat the question, so none asks for a mark. */
const toolCalls: RouteCase['calls'] = ({ recordIds }) => {
  const filter = 'tenantId:* OR objectName:*';
  const asked: readonly [string, object][] = [
    ['search_events', {}],
    ['search_events', { filter, succeeded: true }],
    ['get_event', { event: recordIds[0] }],
    ['count_by', { fields: ['databaseName', 'tenantId'], filter }],
    ['timeline', { filter }],
    ['explain_filter', { filter }],
    ['coverage', { filter }],
    ['alerts', {}],
  ];
  return [get('/mcp'), ...asked.map(([name, given]) => toolCall(name, given))];
};

const toolCall = (name: string, given: object): Call => ({
  method: 'POST',
  path: '/mcp',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  }),
});

const runFiles =
  (base: string): RouteCase['calls'] =>
  ({ runId }) =>
    REPORT_FORMAT_NAMES.map((format) => get(`${base}/reports/runs/${runId}/content?format=${format}`));

const newRuns =
  (base: string): RouteCase['calls'] =>
  ({ tenant, marks }) =>
    REPORT_FORMAT_NAMES.map((format) => {
      const databaseName = `${marks.event} databaseName`;
      const period = { startTime: '2026-01-01', endTime: '2026-02-01' };
      const query = new URLSearchParams({ format, databaseName, tenantId: tenant.tenantId, ...period });
      return get(`${base}/reports/activity/content?${query}`);
    });

const signIn = (body: object): Call => ({
  method: 'POST',
  path: '/dashboard/api/sign-in',
  headers: { 'Content-Type': 'application/json', 'X-Dashboard': '1' },
  body: JSON.stringify(body),
});

export const ROUTE_CASES: readonly RouteCase[] = [
  ...publicRoutes,
  { route: EXPORT_PATH, calls: exportsAt(EXPORT_PATH), shows: isReader },
  // A zip file shows no text: test/evidence/package.test.ts looks at what is in it.
  { route: PACKAGE_PATH, calls: packagesAt(PACKAGE_PATH) },
  { route: '/dashboard/api/package', calls: packagesAt('/dashboard/api/package') },
  // It begins with what arrives later: test/tail/live.test.ts looks at what it shows.
  {
    route: '/dashboard/api/live',
    calls: () => [get('/dashboard/api/live'), get('/dashboard/api/live?succeeded=true')],
  },
  { route: TAIL_PATH, calls: tails, shows: isReader },
  { route: expressPath(RUN_FILE_ROUTE), calls: runFiles(API_BASE_PATH), shows: isReader },
  { route: expressPath(MAKE_ROUTE), calls: newRuns(API_BASE_PATH), shows: isReader },
  { route: HEALTH_PATH, calls: () => [get(HEALTH_PATH)] },
  { route: '/livez', calls: () => [get('/livez')] },
  { route: '/readyz', calls: () => [get('/readyz')] },
  { route: '/swagger/', calls: () => [get('/swagger')] },
  { route: '/swagger/init.js', calls: () => [get('/swagger/init.js')] },
  { route: '/graphql/', calls: () => [get('/graphql'), { method: 'POST', path: '/graphql', body: '{}' }] },
  { route: '/mcp/', calls: toolCalls, shows: isReader },
  { route: '/dashboard/api/session', calls: () => [get('/dashboard/api/session')], shows: isSession },
  { route: '/dashboard/api/export', calls: exportsAt('/dashboard/api/export'), shows: isSession },
  {
    route: '/dashboard/api/reports/runs/:runId/content',
    calls: runFiles('/dashboard/api'),
    shows: isSession,
  },
  { route: '/dashboard/api/reports/:reportId/content', calls: newRuns('/dashboard/api'), shows: isSession },
  {
    route: '/dashboard/api/sign-in',
    calls: ({ tenant }) => [
      get('/dashboard/api/sign-in'),
      signIn({ key: 'x' }),
      signIn({ keyId: tenant.keyId }),
    ],
  },
  // The request comes from another site, so that it does not end the session.
  {
    route: '/dashboard/api/sign-out',
    calls: () => [
      { method: 'POST', path: '/dashboard/api/sign-out', headers: { Origin: 'https://elsewhere.example' } },
    ],
  },
  // Files of the page of another release, which all instances share.
  {
    route: '/dashboard/assets/:name',
    calls: ({ marks, tenant }) => [
      get(`/dashboard/assets/${marks.admin}`),
      get(`/dashboard/assets/index-${tenant.tenantId}.js`),
    ],
  },
  {
    route: '/dashboard/{*view}',
    calls: ({ marks }) => [get('/dashboard'), get(`/dashboard/${marks.admin}`)],
  },
];
