import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first takes about half of the second's processor time to open a page. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** Path of a Chromium of this machine, or undefined. `TEST_BROWSER` names one in another place. */
export function findBrowser() {
  if (process.env.TEST_BROWSER) return process.env.TEST_BROWSER;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}
