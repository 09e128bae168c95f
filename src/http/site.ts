import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type RequestHandler, Router } from 'express';
import { DomainError, ERRORS } from '../errors';
import { staticFiles } from './static-files';

export const SITE_PATH = '/docs';

/** The folder to which `npm run site` writes the documents' pages, found from `src/` and from `dist/src/`. */
export function builtSite(): string {
  const root = path.resolve(__dirname, '../..');
  return path.basename(root) === 'dist' ? path.join(root, 'site') : path.join(root, 'dist/site');
}

/** The style that keeps colours from fading when a reader switches between light and dark. */
const NO_FADING = "'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='";

/** Everything comes from this origin, and every script is a file. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${NO_FADING}`,
  // Elements of the pages have styles. Under the other directives such a style cannot run or fetch anything.
  "style-src-attr 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Audit Activity: documents</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><h1>The documents are not built here</h1>
<p>A release has them. In a checkout of the sources, <code>npm run site</code> builds them: then load this page again. The
folder <code>docs</code> has the same texts as Markdown.</p></body></html>
`;

const DAY_MS = 86_400_000;

/**
 * Serves the documents as pages, to everybody.
 * @param folder the output of `npm run site`, which may be absent, and may come or change while the service runs
 */
export function documentsSite(folder: string): Router {
  const router = Router();
  router.use(onlyReads, (request, response, next) => {
    response.set('Content-Security-Policy', POLICY);
    // Links in the pages are relative to the folder, so its own address ends in a slash.
    if (request.originalUrl.split('?', 1)[0] === SITE_PATH) response.redirect(308, `${SITE_PATH}/`);
    else next();
  });
  // These names contain a hash of the content.
  const assets = path.join(folder, 'assets');
  router.use(
    '/assets',
    staticFiles(assets, { index: false, redirect: false, immutable: true, maxAge: 365 * DAY_MS }),
  );
  router.use(staticFiles(folder, { extensions: ['html'], redirect: false, setHeaders: revalidate }));
  router.use((_request, response) => {
    const page = path.join(folder, '404.html');
    response.status(ERRORS.not_found.status).set('Cache-Control', 'no-store').type('html');
    response.send(existsSync(page) ? readFileSync(page, 'utf8') : NOT_BUILT);
  });
  return router;
}

const revalidate = (response: { setHeader(name: string, value: string): unknown }) =>
  response.setHeader('Cache-Control', 'no-cache');

const onlyReads: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') return next();
  response.set('Allow', 'GET, HEAD');
  throw new DomainError('method_not_allowed', { public: 'Only GET is allowed here.' });
};
