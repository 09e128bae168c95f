import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page, Route } from 'playwright-core';
import { partsIn } from '../../dashboard/src/lib/part-files';
import { until } from '../support/until';
import { useDashboard } from './support/dashboard';

const HTML = readFileSync(path.resolve(__dirname, '../../dist/dashboard/index.html'), 'utf8');
/** The files of the parts that the page loads later. */
const PARTS = partsIn(/<meta name="parts" content="([^"]+)"/.exec(HTML)?.[1] ?? '');
const NAMED = new Set([...PARTS.values()].flat());
const isPart = (url: URL) => NAMED.has(url.pathname);

describe('a part of the page', () => {
  const opened = useDashboard();

  /** A page that shows none of its parts, and gets their files as stated. */
  const visit = async (answer: (route: Route) => Promise<void>) => {
    const page = await opened.dashboard.signedIn(opened.dashboard.world.operatorKey, '/nothing-here');
    await page.route(isPart, answer);
    await page.reload();
    return page;
  };
  const open = (page: Page, view: string) =>
    page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const close = async (page: Page) => {
    await page.context().close();
    // The page tells the browser's console of a part that is missing.
    const { complaints } = opened.dashboard;
    expect(complaints.filter((text) => !text.startsWith('PartMissing: '))).toEqual([]);
    complaints.length = 0;
  };

  it('opens although the first request of each file is lost', async () => {
    const asked = new Set<string>();
    const page = await visit(async (route) => {
      const url = route.request().url();
      if (asked.has(url)) return route.continue();
      asked.add(url);
      await route.abort();
    });
    await open(page, 'Rules');
    await heading(page, 'Rules');
    // Once it is there, the page fetches the files of others.
    const own = PARTS.get('rules') ?? [];
    const first = [...asked].slice(0, own.length).map((url) => new URL(url).pathname);
    expect(first.sort()).toEqual([...own].sort());
    expect(own.length).toBeLessThan(NAMED.size / 2);
    await close(page);
  });

  it('that cannot be fetched leaves the rest of the page in use, and opens as soon as it can', async () => {
    const page = await visit((route) => route.abort());
    const alert = page.getByRole('alert');
    for (const view of ['Rules', 'Tenants']) {
      await open(page, view);
      await alert.getByText('A part of this page could not be fetched.').waitFor();
    }
    await page.unroute(isPart);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Tenants');
    await open(page, 'Rules');
    await heading(page, 'Rules');
    await close(page);
  });

  it('of a release that is gone leads to the newer page', async () => {
    const page = await visit((route) => route.fulfill({ status: 404 }));
    await page.route(`${opened.dashboard.origin}/dashboard/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: HTML.replace(/index-[^"]*\.js/, 'index-newer.js') }),
    );
    await open(page, 'Rules');
    const alert = page.getByRole('alert');
    await alert.getByText('A newer version of this page is there.').waitFor();
    await page.unroute(isPart);
    await alert.getByRole('button', { name: 'Reload' }).click();
    await heading(page, 'Rules');
    await close(page);
  });

  it('is loaded before it is opened, so that a page works on when the service has other files', async () => {
    const page = await opened.dashboard.signedIn(opened.dashboard.world.operatorKey, '/nothing-here');
    const loaded = `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`;
    await until(
      () => page.evaluate<string[]>(loaded),
      (paths) => NAMED.size > 5 && [...NAMED].every((file) => paths.filter((one) => one === file).length > 1),
    );
    await page.route(isPart, (route) => route.fulfill({ status: 404 }));
    await open(page, 'Rules');
    await heading(page, 'Rules');
    await close(page);
  });
});
