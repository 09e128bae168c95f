import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { SCOPE_NAMES } from '../../src/caller/scopes';
import { expectAsIn, WRITES_EXPECTED } from '../support/expected-file';
import { ROOT } from '../support/imports';
import { askedBy, MADE_UP_NOW, madeUpAnswer } from '../support/made-up-answers';
import { until } from '../support/until';
import EXPECTED from './shown.json';
import { launchBrowser, PATIENCE_MS } from './support/browser';
import { type Form, sendForm } from './support/forms';

const PAGE = path.join(ROOT, 'dist/dashboard');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const LATE_MS = 30_000;
/** What is kept of a view. */
type Expected = Readonly<Record<string, unknown>> & {
  readonly forms?: readonly { readonly begins?: readonly string[] }[];
};
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
  'ExceptionChoice.field': 'clientIp',
  'ReportSchedule.parameters': { succeeded: true },
  'Alert.group': { serverPrincipalName: 'sa', hostName: null },
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
let isBare = false;
let asked: string[] = [];
/** What was changed. */
let changes: string[] = [];
let kind: 'public' | 'operator' = 'public';

function send(response: ServerResponse, body: string | Buffer, type = 'application/json'): void {
  response.writeHead(200, { 'Content-Type': type, Date: new Date(MADE_UP_NOW).toUTCString() }).end(body);
}

const serve = (): Server =>
  createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/graphql') {
      const question = await askedBy(request);
      const [, kindOf, name] = /(query|mutation) (\w+)/.exec(question.query) ?? [];
      const said = `${name} ${JSON.stringify(question.variables ?? {})}`;
      (kindOf === 'mutation' ? changes : asked).push(said);
      return send(response, await madeUpAnswer(question, { isBare, known: KNOWN }));
    }
    if (pathname.startsWith('/dashboard/api/reports/')) {
      changes.push(`${pathname}${search}`);
      response.setHeader('X-Report-Run', 'r2');
      return send(response, '{}');
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
    ...['/compliance', '/compliance/scope', '/reports', '/rules', '/rules?rule=a%20ruleId'],
  ],
} as const;

const button = (name: string) => `button:visible:has-text("${name}")`;
const dialog = (name: string, how: Omit<Form, 'click'> = {}): Form => ({ click: [button(name)], ...how });
const inRow = (name: string, how: Omit<Form, 'click'> = {}): Form => ({
  click: [`tbody ${button('a name')}`, `tbody ${button(name)}`],
  ...how,
});
/** The forms and actions of views. */
const FORMS: Readonly<Record<string, Readonly<Record<string, readonly Form[]>>>> = {
  'public, every value': {
    '/explore?range=all': [{ click: [button('Saved'), '[role=menuitem]:has-text("Save")'] }],
    [`/explore?range=all&event=${EVENT}`]: [
      { click: [], form: 'section[aria-label="Notes"] form' },
      dialog('Add to incident'),
    ],
    '/alerts/a1': [
      dialog('Suppress'),
      dialog('Suppress', { choose: ['for 8 hours'] }),
      ...['Assign', 'Comment', 'Not an attack', 'Resolve'].map((name) => dialog(name)),
    ],
    '/incidents': ['Acknowledge', 'Resolve', 'Assign'].map((name) => ({
      click: ['tbody input[type=checkbox]', `[role=group] ${button(name)}`],
    })),
    '/incidents/i1': [dialog('Assign'), dialog('Comment')],
    '/reports': [dialog('Make a run')],
    '/rules': [dialog('Import rules')],
    '/rules?rule=a%20ruleId': [
      { click: [], form: 'section[aria-label="Tuning"] form', type: { Exceptions: 'hostName:A' } },
      { click: [button('As in the file')], form: null },
    ],
  },
  'operator, every value': {
    '/tenants': [
      dialog('New tenant'),
      dialog('Change retention', { type: { Name: 'a name' } }),
      dialog('Change retention', { choose: ['for ever'] }),
    ],
    '/keys?state=all': [
      ...['API', 'Agent', 'Operator'].map((name) => dialog('New key', { choose: [name] })),
      dialog('Revoke'),
    ],
    '/destinations': [
      dialog('New destination'),
      // What is as it was is not sent.
      inRow('Change', { type: { Filter: 'a filter' } }),
      ...['a time of arrival', 'a position of the log', 'now'].map((name) =>
        inRow('Replay', { choose: [name] }),
      ),
      inRow('Remove'),
      inRow('Pause', { form: null }),
      dialog('New alert route', { choose: ['By mail'] }),
      dialog('New alert route'),
      { click: [`article ${button('Remove')}`] },
    ],
    '/compliance/scope': [
      ...['Sensitive data', 'Allowed auditor', 'Allowed application'].map((name) =>
        dialog('Declare', { choose: [name] }),
      ),
    ],
    '/reports': [
      dialog('New schedule', { choose: ['By mail'] }),
      dialog('New schedule'),
      dialog('Change', { choose: ['what goes with its times'] }),
      dialog('Remove'),
      ...['Send now', 'Resume'].map((name) => ({ click: [button(name)], form: null })),
    ],
  },
  'operator, no value': { '/keys?state=all': [dialog('Rotate')], '/compliance/scope': [dialog('End')] },
};

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

  /** What a view shows once it is as expected, or what it shows in the end; and what its forms send. */
  const shownOn = async (page: Page, view: string, forms: readonly Form[], expected: Expected = {}) => {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dashboard${view}`;
    // Ends what the view before still asks.
    await page.goto('about:blank');
    asked = [];
    const { forms: wantedForms = [], ...wanted } = expected;
    let shown = {};
    const read = async () => {
      shown = { ...(await page.evaluate<object>(SHOWN)), asked: [...new Set(asked)].sort() };
      return shown;
    };
    await page.goto(address);
    if (WRITES_EXPECTED) await page.waitForLoadState('networkidle').then(read);
    // The comparison below says what is missing.
    else await until(read, (one) => isDeepStrictEqual(one, wanted), LATE_MS).catch(() => {});
    const dialogs = () => page.locator('[role=dialog]').count();
    const [place, count] = [page.url(), await dialogs()];
    const done: object[] = [];
    const isShown = (one: object) => isDeepStrictEqual({ ...shown, ...one }, shown);
    for (const [i, form] of forms.entries()) {
      // What the form before has left, such as a key that is shown once or an open row, is not in the way.
      const isAsBefore = page.url() === place && (await dialogs()) === count;
      if (done.length > 0 && (form.click.length > 1 || !isAsBefore)) {
        await page.goto(address);
        // A button of the same name stands in each of its lists: all of them are there before one is pressed.
        await until(() => page.evaluate<object>(SHOWN), isShown, LATE_MS).catch(() => {});
      }
      changes = [];
      done.push(
        await sendForm(page, form, () => changes, WRITES_EXPECTED ? undefined : wantedForms[i]?.begins),
      );
    }
    return forms.length === 0 ? shown : { ...shown, forms: done };
  };

  // A failure names what is shown in place of what.
  it.each([
    ['an analyst', 'public', 'every value', false],
    ['an analyst', 'public', 'no value', true],
    ['an operator', 'operator', 'every value', false],
    ['an operator', 'operator', 'no value', true],
  ] as const)('to %s (%s) with %s what shown.json has', async (_, who, having, bare) => {
    [kind, isBare] = [who, bare];
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      timezoneId: bare ? 'UTC' : 'America/New_York',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.clock.setFixedTime(MADE_UP_NOW);
    // With values, the service, the browser and the reader have zones of their own.
    if (!bare) await page.addInitScript(`localStorage.setItem('time-zone', '"Asia/Kolkata"')`);
    const part = `${who}, ${having}` as const;
    const expected: Readonly<Record<string, Expected>> = EXPECTED[part];
    const shown: Record<string, unknown> = {};
    // A group without events has no share.
    for (const view of VIEWS[who].filter((one) => !bare || !one.includes('groupBy')))
      shown[view] = await shownOn(page, view, FORMS[part]?.[view] ?? [], expected[view]);
    await context.close();
    expectAsIn('test/browser/shown.json', shown, part);
  });
});
