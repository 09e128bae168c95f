import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  // The service puts a fresh nonce in its place, in the page and in the policy.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // Browsers that know light-dark(), so that it stays as written.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // React's directives for servers mean nothing here; libraries have one in every file.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  // `npx vite dashboard` beside a running service, for work on the page itself.
  server: { proxy: { '/graphql': 'http://127.0.0.1:8080', '/dashboard/api': 'http://127.0.0.1:8080' } },
});
