// Makes the pictures of docs/dashboard.md again, from the dashboard of `npm run demo` in Chromium.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findBrowser } from './lib/find-browser.mjs';
import { ROOT, setup } from './setup.mjs';

const PICTURES = join(ROOT, 'docs/pictures');
const SCREEN = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

const executablePath = findBrowser();
if (executablePath === undefined)
  throw new Error('No Chromium was found: apt-get install chromium-headless-shell.');
await setup();
const { chromium } = await import('playwright-core');
await mkdir(PICTURES, { recursive: true });
const demo = spawn(process.execPath, [join(ROOT, 'scripts/demo.mjs')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const { url, analyst, operator } = await signInsOf(demo);
  await takeAnalystPictures(url, analyst);
  await takeOperatorPictures(url, operator);
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  await once(demo, 'exit');
}

/** The sign-ins that the demo prints at its end. */
async function signInsOf(child) {
  const found = {};
  for await (const line of createInterface({ input: child.stdout })) {
    found.url ??= /The dashboard is at (\S+)\. /.exec(line)?.[1];
    found.analyst ??= /^ +(aak_\S+) {2}to explore/.exec(line)?.[1];
    found.operator ??= /^ +(aao_\S+) {2}to see/.exec(line)?.[1];
    if (found.operator) return found;
  }
  throw new Error('the demo ended without its sign-ins');
}

async function signedIn(url, key, options) {
  const page = await browser.newPage({ viewport: SCREEN, ...options });
  await page.goto(url);
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'attached' });
  return page;
}

function take(page, name) {
  return page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
}

async function openExplore(page, url, query) {
  await page.goto(`${url}/explore?${query}`);
  await page.getByTestId('histogram').locator('canvas').waitFor();
  await page.getByRole('region', { name: 'Events', exact: true }).locator('tbody a').first().waitFor();
  await page.waitForLoadState('networkidle');
}

async function takeAnalystPictures(url, key) {
  const range = 'startTime=2025-04-15T08:52:00Z&endTime=2025-04-15T09:01:00Z';
  const page = await signedIn(url, key);
  await openExplore(page, url, range);
  await take(page, 'explore');
  await page
    .getByRole('region', { name: 'Events', exact: true })
    .locator('tbody tr')
    .nth(2)
    .locator('a')
    .first()
    .click();
  await page.getByTestId('statement').waitFor();
  await page.waitForLoadState('networkidle');
  await take(page, 'event');
  const dark = await signedIn(url, key, { viewport: PHONE, colorScheme: 'dark' });
  await openExplore(dark, url, range);
  await take(dark, 'explore-phone');
}

async function takeOperatorPictures(url, key) {
  const page = await signedIn(url, key, { viewport: { ...SCREEN, height: 520 } });
  for (const view of ['sources', 'keys', 'access-log']) {
    await page.goto(`${url}/${view}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await take(page, view);
  }
}
