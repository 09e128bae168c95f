import { type Browser, chromium } from 'playwright-core';

const EXECUTABLE = process.env.TEST_BROWSER ?? '/usr/bin/chromium-headless-shell';
/** The longest time that a page needs to show something, on a busy machine too. */
export const PATIENCE_MS = 40_000;

/** Chromium has no sandbox as root. The browser of a test needs none, as it visits only our own pages. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox'] });
