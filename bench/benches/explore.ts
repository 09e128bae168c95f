import { type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import type { Bench } from '../context';
import { END_MS, START_MS } from '../data/calendar';
import { type Figure, reported } from '../figure';
import type { Datasets } from '../load/dataset';
import { createReadKey, startService } from '../processes/service';
import { short } from '../report';

const PATIENCE_MS = 60_000;
const TARGET = { medianAtMost: 1_000 } as const;
const OPERATIONS = { Histogram: 'auditHistogram', Facets: 'auditFacets', Events: 'auditEvents' } as const;
type Operation = keyof typeof OPERATIONS;

const DAY_MS = 86_400_000;
/** An afternoon in the last week, a Friday; ranges seldom begin or end at a whole hour. */
const FRIDAY_MS = END_MS - 3 * DAY_MS + 55_210_123;
/** The whole time of the data, and what the page shows when nothing is chosen: 24 hours. */
const RANGES = {
  '90 days': { from: START_MS + 1_043_456, to: END_MS - 2_284_321 },
  '24 hours': { from: FRIDAY_MS - DAY_MS, to: FRIDAY_MS },
} as const;

/** From the navigation to the page Explore until its histogram, its facets and its first rows are there. */
export async function explore(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const executablePath = bench.machine.findBrowser();
  if (executablePath === undefined) {
    bench.say('  no Chromium was found: nothing is measured');
    return [];
  }
  const dataset = await datasets.of(bench.options.rows);
  const service = await startService(bench, dataset.url);
  const key = await createReadKey(service, [String(dataset.tenantIds[0])]);
  // Its own sandbox is not for root; it visits our own page alone.
  const browser = bench.track(await chromium.launch({ executablePath, args: ['--no-sandbox'] }));
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await signIn(context, service.server.url, key);
  const figures: Figure[] = [];
  for (const [name, range] of Object.entries(RANGES))
    figures.push(...(await measure(bench, context, { name, url: addressOf(service.server.url, range) })));
  await bench.untrack(browser);
  await bench.untrack(service.server);
  return figures;
}

const addressOf = (origin: string, { from, to }: { readonly from: number; readonly to: number }) =>
  `${origin}/dashboard/explore?${new URLSearchParams({
    startTime: new Date(from).toISOString(),
    endTime: new Date(to).toISOString(),
  })}`;

async function signIn(context: BrowserContext, origin: string, key: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${origin}/dashboard`);
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'attached' });
  await page.close();
}

async function measure(
  bench: Bench,
  context: BrowserContext,
  view: { readonly name: string; readonly url: string },
): Promise<Figure[]> {
  const visits: Visit[] = [];
  await visit(context, view.url); // the page's files, from then on in the browser's cache
  for (let round = 0; round < bench.options.rounds; round++) visits.push(await visit(context, view.url));
  const shown = visits.map(({ shownMs }) => shownMs);
  bench.say(`  ${view.name}: ${shown.map(short).join(', ')} ms`);
  const note = `${visits[0]?.status ?? ''}; the page's files in the browser's cache`;
  return [
    reported('explore', `page, ${view.name}`, 'ms', shown, { target: TARGET, note }),
    ...(Object.keys(OPERATIONS) as Operation[]).map((operation) =>
      reported(
        'explore',
        `${OPERATIONS[operation]}, ${view.name}`,
        'ms',
        visits.map(({ answerMs }) => answerMs[operation] ?? Number.NaN),
      ),
    ),
  ];
}

interface Visit {
  /** By the page's own clock, which begins with its navigation. */
  readonly shownMs: number;
  /** From the request until the last byte of the answer; all three are asked at once. */
  readonly answerMs: Partial<Record<Operation, number>>;
  /** How many events the page says there are. */
  readonly status: string | null;
}

async function visit(context: BrowserContext, url: string): Promise<Visit> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const answerMs: Visit['answerMs'] = {};
  page.on('requestfinished', (request) => {
    const operation = operationOf(request);
    const { requestStart, responseEnd } = request.timing();
    if (operation) answerMs[operation] = responseEnd - requestStart;
  });
  await page.goto(url, { waitUntil: 'commit' });
  await Promise.all(partsOf(page).map((part) => part.first().waitFor()));
  const shownMs = Number(await page.evaluate('performance.now()'));
  const status = await page.getByText(/^[\d,. ]+ events$/).textContent();
  await page.close();
  return { shownMs, answerMs, status };
}

const partsOf = (page: Page) => [
  page.getByTestId('histogram').locator('.u-over'),
  page.getByRole('region', { name: 'Counts by field' }).getByRole('button'),
  page.locator('tr[data-event]'),
];

function operationOf(request: Request): Operation | null {
  if (new URL(request.url()).pathname !== '/graphql') return null;
  const { operationName } = request.postDataJSON() as { readonly operationName: string };
  return Object.hasOwn(OPERATIONS, operationName) ? (operationName as Operation) : null;
}
