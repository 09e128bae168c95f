import type { Page } from 'playwright-core';
import { type Dashboard, useDashboard } from './dashboard';
import { ExplorePage } from './explore-page';

/** A dashboard with Explore open, on all 150 events of a tenant. */
export interface Exploring {
  readonly dashboard: Dashboard;
  readonly page: Page;
  readonly explore: ExplorePage;
  /** The key that the page is signed in with. */
  readonly key: string;
}

/** Opens one dashboard for the tests of a `describe`, and for each test a page of its own. */
export function useExplore(): Exploring {
  const opened = useDashboard();
  // All sessions of one key share a rate limit, which one key would reach here.
  const keys: string[] = [];
  let key = '';
  let turn = 0;
  let page: Page;
  let explore: ExplorePage;
  beforeAll(async () => {
    const { world, contoso } = opened.dashboard;
    keys.push(contoso.key);
    for (const name of ['second', 'third'])
      keys.push((await world.key({ name, tenantIds: [contoso.tenantId] })).key);
  });
  beforeEach(async () => {
    key = keys[turn++ % keys.length] as string;
    page = await opened.dashboard.signedIn(key, '/explore?range=all');
    explore = new ExplorePage(page);
    await explore.count(150);
  });
  afterEach(() => page.context().close());
  return {
    get dashboard() {
      return opened.dashboard;
    },
    get page() {
      return page;
    },
    get explore() {
      return explore;
    },
    get key() {
      return key;
    },
  };
}
