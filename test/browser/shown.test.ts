import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  buildSchema,
  type GraphQLOutputType,
  graphql,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  printSchema,
} from 'graphql';
import type { Browser, Page } from 'playwright-core';
import { SCOPE_NAMES } from '../../src/caller/scopes';
import { describeSchema } from '../../src/schema';
import { ROOT } from '../support/imports';
import { until } from '../support/until';
import EXPECTED from './shown.json';
import { launchBrowser, PATIENCE_MS } from './support/browser';

const PAGE = path.join(ROOT, 'dist/dashboard');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const LATE_MS = 10_000;
const NOW = '2026-01-10T12:00:00.000Z';
const schema = buildSchema(printSchema(describeSchema()));

/** Each field has a value of its own, so that one shown in the place of another is noticed. */
const hashOf = (name: string) =>
  [...name].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 9_973, 7);
const DAY_MS = 86_400_000;
/** Values that mean something to the page. */
const KNOWN: Readonly<Record<string, unknown>> = {
  actionId: 'SL',
  classType: 'U',
  field: 'serverPrincipalName',
  formats: 'pdf',
  cron: '15 6 * * 1',
  timeZone: 'UTC',
  'Destination.type': 'webhook',
  'Destination.state': 'active',
  'Destination.format': 'native',
  'Destination.url': 'https://receiver.example/x',
  recordIds: '00000000-0000-7000-8000-000000000001',
  recordId: '00000000-0000-7000-8000-000000000001',
  'ApiKey.state': 'valid',
  isInForce: true,
  totalCount: 41,
  tuning: JSON.stringify({
    threshold: 3,
    timespanMs: 900_000,
    severity: 'low',
    dedupMinutes: 5,
    exceptions: [{ clientIp: '192.0.2.1' }],
  }),
  manifest: JSON.stringify({
    question: {
      tenantId: '7',
      startTime: '2026-01-01T00:00:00.000Z',
      endTime: '2026-01-08T00:00:00.000Z',
      filter: 'actionId:SL',
      parameters: { succeeded: true },
    },
    recordIdsRoot: 'r',
  }),
  startTime: '2026-01-01T00:00:00.000Z',
  recentTime: '2026-01-06T00:00:00.000Z',
  endTime: '2026-01-08T00:00:00.000Z',
};
const IS_NUMBER =
  /rows|^before|events|bytes|count|size|entries|position|sequence|lag|kept|present|seconds|failures|delivered|retention|findings/i;
const IS_TIME =
  /(?:At|Time|Since|From|Until|Seen|Received|Reported|Used|Begins|^from|^to|^at|^week|^until|^day|^since|Through)s?$/;

/** A value of any type of the schema. @param isBare whether it is as empty as the type lets it be */
function answerOf(type: GraphQLOutputType, name: string, parent: string, isBare: boolean): unknown {
  if (isNonNullType(type)) return filledIn(type.ofType, name, parent, isBare);
  return isBare ? null : filledIn(type, name, parent, isBare);
}
function filledIn(type: GraphQLOutputType, name: string, parent: string, isBare: boolean): unknown {
  if (isListType(type)) return [answerOf(type.ofType, name, parent, isBare)];
  if (isEnumType(type)) return type.getValues()[isBare ? 0 : type.getValues().length - 1]?.value;
  if (!isScalarType(type)) return {};
  const known = KNOWN[`${parent}.${name}`] ?? KNOWN[name];
  if (known !== undefined) return known;
  if (type.name === 'Boolean') return !isBare;
  if (type.name === 'Int' || type.name === 'Float') return isBare ? 0 : 2 + (hashOf(name) % 97);
  if (type.name === 'JSON') return {};
  const isText = type.name === 'String' || type.name === 'ID';
  if (!isText || (IS_NUMBER.test(name) && !IS_TIME.test(name)))
    return String(isBare ? 0 : 2 + (hashOf(name) % 97));
  if (IS_TIME.test(name))
    return new Date(Date.parse(NOW) - (hashOf(name) / 9_973) * 20 * DAY_MS).toISOString();
  return `a ${name}`;
}

let isBare = false;
let asked: string[] = [];
let kind: 'public' | 'operator' = 'public';

function send(response: ServerResponse, body: string | Buffer, type = 'application/json'): void {
  response.writeHead(200, { 'Content-Type': type, Date: new Date(NOW).toUTCString() }).end(body);
}

const serve = (): Server =>
  createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { pathname } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/graphql') {
      const { query, variables } = JSON.parse(Buffer.concat(parts).toString());
      asked.push(`${/(?:query|mutation) (\w+)/.exec(query)?.[1]} ${JSON.stringify(variables ?? {})}`);
      const answer = await graphql({
        schema,
        source: query,
        variableValues: variables,
        rootValue: {},
        fieldResolver: (_source, _args, _context, { returnType, fieldName, parentType }) =>
          answerOf(returnType, fieldName, parentType.name, isBare),
      });
      return send(response, JSON.stringify(answer));
    }
    if (pathname === '/dashboard/api/session')
      return send(
        response,
        JSON.stringify({
          kind,
          name: 'Ada',
          tenants: kind === 'public' ? [{ tenantId: '7', name: 'Contoso' }] : [],
          scopes: kind === 'public' ? SCOPE_NAMES : [],
          timeZone: 'UTC',
          expiresAt: '2026-01-11T12:00:00.000Z',
        }),
      );
    if (pathname.startsWith('/dashboard/assets/') || pathname.endsWith('.svg'))
      return send(
        response,
        readFileSync(path.join(PAGE, pathname.replace('/dashboard', ''))),
        TYPES[path.extname(pathname)],
      );
    if (pathname.startsWith('/dashboard/api/')) return void response.writeHead(404).end();
    send(
      response,
      readFileSync(path.join(PAGE, 'index.html'), 'utf8').replaceAll('__CSP_NONCE__', 'n'),
      'text/html',
    );
  });

const SHOWN = `(() => {
  const lines = [...document.querySelectorAll('main, [role=dialog]')].map((one) => one.innerText).join('\\n').split('\\n').map((line) => line.trim()).filter((line) => line !== '');
  const links = [...document.querySelectorAll('main a[href], [role=dialog] a[href]')].map((one) => one.innerText.trim().replaceAll(/\\s+/g, ' ') + ' -> ' + one.getAttribute('href'));
  const names = [...document.querySelectorAll('main [aria-label], main [title]')].map((one) => one.getAttribute('aria-label') ?? one.title);
  return { lines, links, names };
})()`;

const EVENT = '00000000-0000-7000-8000-000000000001';
const VIEWS = {
  public: [
    ...['/', '/explore?range=all', `/explore?range=all&event=${EVENT}`],
    '/explore?range=all&groupBy=serverPrincipalName,hostName&filter=succeeded%3Afalse',
    ...['/alerts', '/alerts?status=new&severity=high', '/alerts/a1', '/incidents', '/incidents/i1'],
    ...['/compliance', '/compliance?control=c1', '/compliance/scope', '/reports', '/reports?run=r1'],
    ...['/rules', '/rules?rule=a%20ruleId', '/entity/login?value=sa'],
  ],
  operator: [
    ...['/sources', '/tenants', '/keys?state=all', '/destinations', '/archive', '/access-log'],
    ...['/compliance', '/reports', '/rules', '/rules?rule=a%20ruleId'],
  ],
} as const;

describe('each view shows of answers', () => {
  let server: Server;
  let browser: Browser;
  beforeAll(async () => {
    server = serve();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });

  /** What a view shows once it is as expected, or what it shows in the end. */
  const shownOn = async (page: Page, view: string, expected: unknown) => {
    // Ends what the view before still asks.
    await page.goto('about:blank');
    asked = [];
    let shown: unknown;
    const read = async () => {
      shown = { ...(await page.evaluate<object>(SHOWN)), asked: [...new Set(asked)].sort() };
      return shown;
    };
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/dashboard${view}`);
    // The comparison below says what is missing.
    await until(read, (one) => isDeepStrictEqual(one, expected), LATE_MS).catch(() => {});
    return shown;
  };

  // A failure names what is shown in place of what. Where the change is wanted, it belongs into shown.json.
  it.each([
    ['an analyst', 'public', 'every value', false],
    ['an analyst', 'public', 'no value', true],
    ['an operator', 'operator', 'every value', false],
    ['an operator', 'operator', 'no value', true],
  ] as const)('to %s (%s) with %s what shown.json has', async (_, who, having, bare) => {
    [kind, isBare] = [who, bare];
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.clock.setFixedTime(NOW);
    const expected: Readonly<Record<string, unknown>> = EXPECTED[`${who}, ${having}`];
    const shown: Record<string, unknown> = {};
    // A group without events has no share.
    for (const view of VIEWS[who].filter((one) => !bare || !one.includes('groupBy')))
      shown[view] = await shownOn(page, view, expected[view]);
    await context.close();
    expect(shown).toEqual(expected);
  });
});
