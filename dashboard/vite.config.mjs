import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { licensesOf } from '../scripts/lib/licenses.mjs';

/** Has the browser fetch and compile the application beside the file that begins the page and imports it. */
const fetchApp = {
  name: 'fetch-app',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const app = Object.values(bundle).find((chunk) => chunk.moduleIds?.includes(`${SOURCE}/app.tsx`));
      if (!app) return [];
      return withImports(app, bundle)
        .filter((fileName) => !html.includes(fileName))
        .map((fileName) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/dashboard/${fileName}` },
          injectTo: 'head',
        }));
    },
  },
};

/** The file of a chunk and those that it needs before it runs. */
function withImports(chunk, bundle, found = new Set()) {
  if (!chunk || found.has(chunk.fileName)) return [];
  found.add(chunk.fileName);
  for (const name of chunk.imports) withImports(bundle[name], bundle, found);
  return [...found];
}

/** Names in the page the files of each part that it loads later, which it fetches before it imports them. */
const nameParts = {
  name: 'name-parts',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const parts = Object.values(bundle)
        .filter(({ isDynamicEntry, fileName }) => isDynamicEntry && !html.includes(fileName))
        .map((chunk) => {
          const later = withImports(chunk, bundle).filter((fileName) => !html.includes(fileName));
          return `${chunk.name}=${later.map((fileName) => `/dashboard/${fileName}`).join()}`;
        });
      const attrs = { name: 'parts', content: parts.sort().join(' ') };
      return [{ tag: 'meta', attrs, injectTo: 'head' }];
    },
  },
};

/** Has the browser fetch the typeface beside the styles, and not only after them. */
const fetchTypeface = {
  name: 'fetch-typeface',
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle = {} }) {
      return Object.keys(bundle)
        .filter((name) => name.endsWith('.woff2'))
        .map((name) => ({
          tag: 'link',
          attrs: {
            rel: 'preload',
            as: 'font',
            type: 'font/woff2',
            crossorigin: true,
            href: `/dashboard/${name}`,
          },
          injectTo: 'head',
        }));
    },
  },
};

/** Writes the licences of the packages that the page is made of, in a file beside it. */
const nameLicenses = {
  name: 'name-licenses',
  generateBundle(_, bundle) {
    const files = Object.values(bundle).flatMap(({ type, moduleIds }) => (type === 'chunk' ? moduleIds : []));
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: licensesOf(files) });
  },
};

const SOURCE = fileURLToPath(new URL('src', import.meta.url));
const reached = new Map();

/** Whether a module runs before one of ours does. */
function isOf(name, id, modules) {
  if (!reached.has(name)) reached.set(name, reachedFrom(`${SOURCE}/${name}`, modules));
  return id !== `${SOURCE}/main.tsx` && reached.get(name).has(id);
}

/** The modules that run before a module does, and itself. */
function reachedFrom(id, modules, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) reachedFrom(imported, modules, found);
  return found;
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  // The service puts a fresh nonce in its place, in the page and in the policy.
  plugins: [fetchApp, nameParts, fetchTypeface, nameLicenses],
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // Browsers that know light-dark(), so that it stays as written.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file of styles, which comes with the page: a part without its styles would look broken.
    cssCodeSplit: false,
    // React's directives for servers mean nothing here; libraries have one in every file.
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
      // One file each of what begins the page and of the application: every file takes a browser 10 ms or more.
      output: {
        codeSplitting: {
          groups: [
            { name: (id, modules) => (isOf('main.tsx', id, modules) ? 'begin' : null), priority: 2 },
            { name: (id, modules) => (isOf('app.tsx', id, modules) ? 'app' : null), priority: 1 },
          ],
        },
      },
    },
  },
  // `npx vite dashboard` beside a running service, for work on the page itself.
  server: { proxy: { '/graphql': 'http://127.0.0.1:8080', '/dashboard/api': 'http://127.0.0.1:8080' } },
});
