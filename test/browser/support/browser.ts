import { type Browser, chromium } from 'playwright-core';

const EXECUTABLE = process.env.TEST_BROWSER ?? '/usr/bin/chromium';
/** Within this a page shows what it is going to show, on a busy machine too. */
export const PATIENCE_MS = 40_000;

/** Root has no sandbox; a browser of a test needs none, as it visits our own pages alone. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox'] });
