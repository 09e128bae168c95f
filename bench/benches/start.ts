import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';
import type { Bench } from '../context';
import { END_MS } from '../data/calendar';
import { type Figure, reported } from '../figure';
import type { Datasets } from '../load/dataset';
import { createReadKey, startService } from '../processes/service';
import { short } from '../report';

const DAY_MS = 86_400_000;
const VIEWPORT = { width: 1440, height: 900 };
/** Tasks of the page's later work count too. */
const WATCHED_MS = 3_000;
const LOOPS = 2;

type State = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>;

/** What a browser that has nothing of the page in its cache needs to start Explore, on this machine as it is and beside two busy loops. */
export async function start(bench: Bench, datasets: Datasets): Promise<Figure[]> {
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
  const origin = service.server.url;
  const state = await signIn(browser, origin, key);
  const range = {
    startTime: new Date(END_MS - 90 * DAY_MS).toISOString(),
    endTime: new Date(END_MS).toISOString(),
  };
  const url = `${origin}/dashboard/explore?${new URLSearchParams(range)}`;
  const figures: Figure[] = [];
  for (const where of ['', ', beside two busy loops']) {
    const loops = Array.from({ length: where ? LOOPS : 0 }, () =>
      spawn(process.execPath, ['-e', 'for (;;);']),
    );
    try {
      figures.push(...(await measure(bench, browser, { state, url, where })));
    } finally {
      await Promise.all(loops.map(end));
    }
  }
  await bench.untrack(browser);
  await bench.untrack(service.server);
  return figures;
}

async function signIn(browser: Browser, origin: string, key: string): Promise<State> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  await page.goto(`${origin}/dashboard`);
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'attached' });
  const state = await context.storageState();
  await context.close();
  return state;
}

async function measure(
  bench: Bench,
  browser: Browser,
  { state, url, where }: { readonly state: State; readonly url: string; readonly where: string },
): Promise<Figure[]> {
  const visits: Visit[] = [];
  for (let round = 0; round < bench.options.rounds; round++) visits.push(await visit(browser, state, url));
  bench.say(`  rows${where}: ${visits.map(({ rowsMs }) => short(rowsMs)).join(', ')} ms`);
  const of = (name: string, unit: string, value: (visit: Visit) => number, medianAtMost: number) =>
    reported('start', `${name}${where}`, unit, visits.map(value), { target: { medianAtMost } });
  return [
    of('rows', 'ms', ({ rowsMs }) => rowsMs, 1_200),
    of('everything', 'ms', ({ allMs }) => allMs, 2_500),
    of('longest task', 'ms', ({ longestMs }) => longestMs, 100),
    of('scripts and styles', 'kB', ({ bytes }) => bytes / 1_000, 350),
    of('layout shift', '', ({ shift }) => shift, 0.02),
  ];
}

interface Visit {
  /** By the page's own clock, which begins with its navigation. */
  readonly rowsMs: number;
  /** Until rows, histogram and counts are there. */
  readonly allMs: number;
  /** Of the tasks of the main thread of 50 ms and more, which the browser tells. */
  readonly longestMs: number;
  readonly shift: number;
  /** Of scripts and styles until everything was there, as they were sent. */
  readonly bytes: number;
}

/** Looks in each frame. It is run in the page before anything else is. */
const WATCH = `(() => {
  const seen = { longestMs: 0, shift: 0 };
  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe('longtask', ({ duration }) => { seen.longestMs = Math.max(seen.longestMs, duration); });
  observe('layout-shift', ({ value }) => { seen.shift += value; });
  const has = (what) => document.querySelector(what) !== null;
  window.started = new Promise((resolve) => {
    const look = () => {
      if (has('tr[data-event]')) seen.rowsMs ??= performance.now();
      if (seen.rowsMs && has('[data-testid=histogram] .u-over') && has('section fieldset')) {
        seen.allMs = performance.now();
        seen.bytes = performance.getEntriesByType('resource').reduce(
          (sum, { name, encodedBodySize }) => sum + (/\\.(js|css)$/.test(name) ? encodedBodySize : 0), 0);
        resolve(seen);
      } else requestAnimationFrame(look);
    };
    look();
  });
})()`;

async function visit(browser: Browser, storageState: State, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: VIEWPORT, storageState });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await page.goto(url, { waitUntil: 'commit' });
  // By the protocol itself: Playwright's own way to evaluate runs a script of 100 ms in the page first.
  const protocol = await context.newCDPSession(page);
  const evaluate = async () => {
    const { result } = await protocol.send('Runtime.evaluate', {
      expression: 'started',
      awaitPromise: true,
      returnByValue: true,
    });
    return result.value as Visit;
  };
  await evaluate();
  await sleep(WATCHED_MS);
  const seen = await evaluate();
  await context.close();
  return seen;
}

async function end(loop: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => loop.once('exit', resolve));
  loop.kill();
  await gone;
}
