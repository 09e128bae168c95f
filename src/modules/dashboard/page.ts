import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import express, { type RequestHandler, Router } from 'express';
import { DomainError } from '../../errors';

/** Where the build puts the page, from `src/` and from `dist/src/` alike. */
export function builtPage(): string {
  const root = path.resolve(__dirname, '../../..');
  return path.basename(root) === 'dist' ? path.join(root, 'dashboard') : path.join(root, 'dist/dashboard');
}

const NONCE_BYTES = 16;
/** Stands in the built page wherever the nonce of the answer is to stand. */
const NONCE_MARK = '__CSP_NONCE__';

/** Everything comes from this origin; scripts are files. The page's library adds style tags, which the nonce lets in. */
const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // Of elements, set by the library as it renders: a style cannot run or fetch anything under the lines around it.
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * The built page below its path: its files as they are. Any other address is a view of the page and gets `index.html`.
 * @param folder what the build wrote; it may be absent
 */
export function dashboardPage(folder: string): Router {
  const router = Router();
  const assets = path.join(folder, 'assets');
  // Their names hold a hash of what is in them.
  router.use(
    '/assets',
    preferCompressed(assets),
    express.static(assets, { index: false, redirect: false, immutable: true, maxAge: '1y' }),
  );
  router.use(express.static(folder, { index: false, redirect: false }));
  router.get('/{*view}', page(path.join(folder, 'index.html')));
  return router;
}

function page(file: string): RequestHandler {
  const html = existsSync(file) ? readFileSync(file, 'utf8') : null;
  return (request, response) => {
    // A file that is not there is no view.
    if (html === null || path.extname(request.path) !== '')
      throw new DomainError('not_found', {
        public: html === null ? 'The dashboard is not built: npm run build.' : 'There is no such file.',
      });
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policyWith(nonce) });
    response.type('html').send(html.replaceAll(NONCE_MARK, nonce));
  };
}

/** Encodings the build leaves beside each asset, and how their files' names end; the smaller first. */
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;
const ENCODINGS = Object.keys(SUFFIXES) as (keyof typeof SUFFIXES)[];

/** Turns a request for an asset into one for its compressed form, where there is one that the caller takes. */
function preferCompressed(folder: string): RequestHandler {
  const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
  return (request, response, next) => {
    const name = request.path.slice(1);
    response.vary('Accept-Encoding');
    const encoding = ENCODINGS.find(
      (each) => names.has(name + SUFFIXES[each]) && request.acceptsEncodings(each),
    );
    if (encoding) {
      request.url = `/${name}${SUFFIXES[encoding]}`;
      response.set('Content-Encoding', encoding).type(path.extname(name));
    }
    next();
  };
}
