import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { stampedBytes } from '../../src/package-check/time-stamp';
import { unpacked } from '../evidence/packages';
import { events, signed } from '../evidence/signed-tenant';
import { TestAuthority } from '../evidence/time-stamps/authority';
import { temporaryFolder } from '../support/engines';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import type { TestTenant } from '../support/world';
import { zipOf } from '../support/zip';
import { violations } from './support/axe';
import { launchBrowser, PATIENCE_MS } from './support/browser';
import { countClicks } from './support/clicks';
import { useDashboard } from './support/dashboard';

const EVENTS = 1_000;
/** Everything that a browser could do itself instead of the page. */
const WITHOUT_WEB_CRYPTO = `Object.defineProperty(globalThis, 'crypto', { value: undefined });
  globalThis.DecompressionStream = undefined;`;

describe('an evidence package', () => {
  useLimits({ ...QUICK_LOG, checkpointMs: 1, packageAskMs: 20 });
  const opened = useDashboard();
  let browser: Browser;
  let folder: string;
  let tenant: TestTenant;
  beforeAll(async () => {
    folder = await temporaryFolder();
    browser = await launchBrowser();
    const { world } = opened.dashboard;
    tenant = await world.tenant('Prover');
    await tenant.ingest(events(EVENTS));
    await signed(tenant, EVENTS);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });

  /** The page of a package from disk, without a network. */
  async function pageOf(html: Buffer): Promise<{ page: Page; requests: string[] }> {
    const file = path.join(folder, 'verify.html');
    await writeFile(file, html);
    const context = await browser.newContext({ offline: true });
    await context.addInitScript(WITHOUT_WEB_CRYPTO);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const requests: string[] = [];
    page.on('request', (request) => void requests.push(request.url()));
    page.on('pageerror', (error) => void requests.push(String(error)));
    await page.goto(pathToFileURL(file).href);
    return { page, requests };
  }

  async function verdictOn(page: Page, zip: Buffer): Promise<string> {
    const file = path.join(folder, 'package.zip');
    await writeFile(file, zip);
    await page.evaluate("document.getElementById('verdict').className = ''");
    await page.locator('#zip').setInputFiles(file);
    await page.locator('#verdict.good, #verdict.bad').waitFor();
    return (await page.locator('#verdict').textContent()) ?? '';
  }

  it('is made in Explore, and its page verifies 1,000 events from disk without a network', async () => {
    const page = await opened.dashboard.signedIn(tenant.key, '/explore?range=all');
    await page.getByText('1,000 events', { exact: true }).waitFor();
    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'Prove this view' }).click();
    const dialog = page.getByRole('dialog', { name: 'Prove this view' });
    await dialog.getByLabel('What for').fill('case 7');
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Make the package' }).click();
    const file = await download;
    expect(await clicks()).toBeLessThanOrEqual(2);
    expect(file.suggestedFilename()).toMatch(/^audit-activity-evidence-.*\.zip$/);
    const zip = await readFile(await file.path());
    const files = await unpacked(zip);
    const offline = await pageOf(files.get('verify.html') as Buffer);
    expect(await verdictOn(offline.page, zip)).toBe(
      `All ${EVENTS} events are as they were accepted, and every file is as it was signed.`,
    );
    expect(await offline.page.locator('#facts').textContent()).toContain('case 7');
    expect(await offline.page.locator('tr[data-verdict="good"]').count()).toBe(100);
    expect(await violations(offline.page)).toEqual([]);

    const content = Buffer.from(files.get('events.ndjson') as Buffer);
    const line = String(content).split('\n')[700] ?? '';
    const at = content.indexOf(line) + line.indexOf('"actionId":"') + 12;
    content.writeUInt8(content.readUInt8(at) ^ 1, at);
    const changed = await zipOf(new Map([...files, ['events.ndjson', content]]));
    expect(await verdictOn(offline.page, changed)).toContain(`1 of ${EVENTS} events have no proof`);
    const rows = offline.page.locator('#rows tr');
    expect(await rows.count()).toBe(1);
    expect(await rows.first().getAttribute('data-record')).toBe(JSON.parse(line).recordId);
    expect(await rows.first().textContent()).toContain('altered: it is not what was accepted');
    expect(await offline.page.locator('#problems').textContent()).toContain('events.ndjson');

    // A byte of the zip file itself, and the files of the folder.
    const torn = Buffer.from(zip);
    const middle = Math.floor(zip.length / 2);
    torn.writeUInt8(torn.readUInt8(middle) ^ 0x55, middle);
    expect(await verdictOn(offline.page, torn)).toMatch(/^NOT as signed/);
    const names = [...files.keys()].map((name) => path.join(folder, name));
    for (const [name, text] of files) await writeFile(path.join(folder, name), text);
    await offline.page.evaluate("document.getElementById('verdict').className = ''");
    await offline.page.locator('#folder').setInputFiles(names);
    await offline.page.locator('#verdict.good').waitFor();
    await offline.page.locator('#key').fill('audit-activity+00000000+AAAA');
    expect(await verdictOn(offline.page, zip)).toContain('Not verified');
    expect(offline.requests.filter((request) => !request.startsWith('file:'))).toEqual([]);
  }, 120_000);

  it('shows the time of a token, checks its imprint and signature, and names the command for what it does not check', async () => {
    const answer = await fetch(`${tenant.world.service.url}/api/v1/public/audit-activity/package`, {
      headers: { 'X-Api-Key': tenant.key },
    });
    const files = await unpacked(Buffer.from(await answer.arrayBuffer()));
    const checkpoint = String(files.get('checkpoints.txt'));
    const stampedBy = async (kind: 'rsa' | 'ec', change = 0) => {
      const authority = await TestAuthority.make(path.join(folder, kind), kind);
      const token = await authority.tokenOf(stampedBytes(checkpoint));
      token.writeUInt8(token.readUInt8(token.length - 5) ^ change, token.length - 5);
      const stamp = { checkpoint, token: token.toString('base64'), consistency: [] };
      return zipOf(new Map([...files, ['time-stamp.json', Buffer.from(`${JSON.stringify(stamp)}\n`)]]));
    };
    const { page } = await pageOf(files.get('verify.html') as Buffer);
    expect(await verdictOn(page, await stampedBy('rsa'))).toMatch(/^All/);
    const facts = async () => (await page.locator('#facts').textContent()) ?? '';
    expect(await facts()).toMatch(
      /Time stamp\d{4}-\S+Z: the token is of checkpoint \d+ \(1000 entries\).* did not check who the authority is: audit-activity verify --package/,
    );
    expect(await verdictOn(page, await stampedBy('ec'))).toMatch(/^All/);
    expect(await facts()).toContain('did not check the signature of the token, nor who the authority is');
    expect(await verdictOn(page, await stampedBy('rsa', 1))).toMatch(/^NOT as signed/);
    expect(await page.locator('#problems').textContent()).toContain('its signature does not fit');
  }, 120_000);
});
