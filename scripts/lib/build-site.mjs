import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gatherPages } from './gather-site.mjs';
import { licensesOf } from './licenses.mjs';
import { versionOf } from './version.mjs';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const PAGES = join(ROOT, '.setup/site-pages');
const OUT = join(ROOT, 'dist/site');

// `npm run site` runs this in a process of its own, from the folder of the site's packages.
mkdirSync(join(ROOT, '.setup'), { recursive: true });
rmSync(OUT, { recursive: true, force: true });
const sidebar = gatherPages(ROOT, PAGES);
writeFileSync(join(ROOT, '.setup/site-sidebar.json'), JSON.stringify(sidebar));
Object.assign(process.env, { SITE_ROOT: ROOT, SITE_OUT: OUT, SITE_VERSION: versionOf(ROOT) });
const { build } = await import(
  pathToFileURL(join(ROOT, 'site/node_modules/vitepress/dist/node/index.js')).href
);
await build(join(ROOT, 'site'));
const files = JSON.parse(readFileSync(join(ROOT, '.setup/site-modules.json'), 'utf8'));
writeFileSync(join(OUT, 'licenses.txt'), licensesOf(files));
