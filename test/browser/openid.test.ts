import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ChildService, compiledService } from '../support/child-service';
import { createTestDatabase, type TestDatabase } from '../support/engines';
import { freePort } from '../support/free-port';
import { launchBrowser, PATIENCE_MS } from './support/browser';

const ROOT = path.resolve(__dirname, '../..');
const PROVIDER = path.join(ROOT, 'test/session/support/openid-provider.mjs');

describe('signing in with an account of the organisation', () => {
  let database: TestDatabase;
  let provider: ChildProcess;
  let service: ChildService;
  let browser: Browser;
  beforeAll(async () => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const redirect = `${publicUrl}/dashboard/api/openid/callback`;
    provider = spawn(process.execPath, [PROVIDER, redirect], { stdio: ['ignore', 'pipe', 'ignore'] });
    if (!provider.stdout) throw new Error('the provider has no output');
    const [issuer] = await once(provider.stdout, 'data');
    // The service runs as a process from a folder that has no built page.
    await symlink(path.join(ROOT, 'dist'), path.join(await compiledService(), 'dist'));
    database = await createTestDatabase('embedded');
    service = await ChildService.start({
      PORT: String(port),
      DATA_DIR: database.dataDir,
      PUBLIC_URL: publicUrl,
      OIDC_ISSUER: String(issuer).trim(),
      OIDC_CLIENT_ID: 'dashboard',
      OIDC_CLIENT_SECRET: 'secret of the dashboard',
    });
    await service.graphql(service.operatorKey, 'mutation { createTenant(name: "Acme") { tenantId } }');
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    provider?.kill();
    await database?.drop();
  });

  /** Opens a view, is redirected to the provider, and chooses an account there. */
  const signInAs = async (name: string, where: string): Promise<Page> => {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`${service.url}/dashboard${where}`);
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
    await page.getByRole('link', { name, exact: true }).click();
    return page;
  };

  it('leads an analyst back to the view of the link', async () => {
    const page = await signInAs('ada', '/explore?range=7d');
    await page.getByText('No events yet').waitFor();
    expect(new URL(page.url()).search).toBe('?range=7d');
    await page.getByRole('button', { name: 'ada' }).click();
    await page.getByText('Reads Acme').waitFor();
  });

  it('leads an operator to the views of operators', async () => {
    const page = await signInAs('grace', '/');
    await page.getByRole('heading', { name: 'Sources' }).waitFor();
  });

  it('says why an account is refused', async () => {
    const page = await signInAs('homeless', '/');
    await page.getByText('Your account may read no tenant yet.').waitFor();
    await page.getByLabel('Key', { exact: true }).waitFor();
  });
});
