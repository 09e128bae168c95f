import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { licensesOf } from '../scripts/lib/licenses.mjs';

/** Names the files that the page loads later in the page itself, which fetches them before it imports them. */
const nameParts = {
  name: 'name-parts',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const files = Object.values(bundle)
        .filter(({ type, fileName }) => type === 'chunk' && !html.includes(fileName))
        .map(({ fileName }) => `/dashboard/${fileName}`);
      const attrs = { name: 'parts', content: files.sort().join(' ') };
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

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  // The service puts a fresh nonce in its place, in the page and in the policy.
  plugins: [nameParts, fetchTypeface, nameLicenses],
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
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  // `npx vite dashboard` beside a running service, for work on the page itself.
  server: { proxy: { '/graphql': 'http://127.0.0.1:8080', '/dashboard/api': 'http://127.0.0.1:8080' } },
});
