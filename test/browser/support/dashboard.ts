import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import type { Config } from '../../../src/config';
import { ENGINES } from '../../support/engines';
import { type TestTenant, World } from '../../support/world';
import { launchBrowser, PATIENCE_MS } from './browser';
import { publishSamples } from './samples';

const ROOT = path.resolve(__dirname, '../../..');
const SCREENSHOTS = path.join(ROOT, 'dist/screenshots');
const DESKTOP = { width: 1280, height: 900 };

/** A service with two tenants that have the events of the sample files, and a browser to view it. */
export class Dashboard {
  /** Errors of pages, such as failed requests; it must stay empty. */
  readonly complaints: string[] = [];
  /** Cookies by key. */
  private readonly sessions = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>();

  private constructor(
    readonly world: World,
    private readonly browser: Browser,
    /** 150 events of 2025-04-15, 08:53 to 09:00 UTC. */
    readonly contoso: TestTenant,
    /** 80 events of 2025-04-10. */
    readonly fabrikam: TestTenant,
  ) {}

  static async open(settings: Partial<Config> = {}): Promise<Dashboard> {
    // PostgreSQL where there is one.
    const world = await World.open(ENGINES.at(-1), settings);
    const [contoso, fabrikam] = [await world.tenant('Contoso'), await world.tenant('Fabrikam')];
    await publishSamples([
      [contoso, 'schema-2022'],
      [fabrikam, 'schema-2017'],
    ]);
    const browser = await launchBrowser();
    return new Dashboard(world, browser, contoso, fabrikam);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.world.close();
  }

  get origin(): string {
    return this.world.service.url;
  }

  /** A page in a browser context of its own, at the sign-in or at a link. */
  async visit(where = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: DESKTOP,
      timezoneId: 'America/New_York',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => this.complaints.push(`${error}`));
    page.on('console', (message) => {
      // The browser logs a refused sign-in as a failed request; any other complaint is a defect of ours.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== this.origin && !['data:', 'blob:'].includes(protocol))
        this.complaints.push(`a request left the origin: ${request.url()}`);
    });
    await page.goto(`${this.origin}/dashboard${where}`);
    return page;
  }

  /** A page that is signed in with the key: the first time by the form, later with that session's cookie. */
  async signedIn(key: string, where = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const storageState = this.sessions.get(key);
    const page = await this.visit(where, { ...options, ...(storageState ? { storageState } : {}) });
    if (!storageState) {
      await signIn(page, key);
      this.sessions.set(key, await page.context().storageState());
    }
    await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'attached' });
    return page;
  }
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'attached' });
}

/** Runs a statement as the owner of the tables. */
export async function inDatabase({ database }: World, statement: string): Promise<void> {
  const connectionString = database.migrationDatabaseUrl ?? database.databaseUrl;
  if (!connectionString) throw new Error('the dashboard is tested on PostgreSQL');
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Saves a screenshot as an artefact of the build. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), animations: 'disabled' });
}

/** A dashboard for the tests of one `describe`. A test fails if a page had an error. */
export function useDashboard(settings: Partial<Config> = {}): { readonly dashboard: Dashboard } {
  let open: Dashboard | undefined;
  beforeAll(async () => {
    open = await Dashboard.open(settings);
  });
  afterEach(() => expect(open?.complaints).toEqual([]));
  afterAll(() => open?.close());
  return {
    get dashboard() {
      if (!open) throw new Error('the dashboard opens before the first test');
      return open;
    },
  };
}
