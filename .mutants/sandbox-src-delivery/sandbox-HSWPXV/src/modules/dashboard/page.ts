import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import express, { type RequestHandler, Router } from 'express';
import { DomainError } from '../../errors';

/** The folder to which the build writes the page, found from `src/` and from `dist/src/`. */
export function builtPage(): string {
  const root = path.resolve(__dirname, '../../..');
  return path.basename(root) === 'dist' ? path.join(root, 'dashboard') : path.join(root, 'dist/dashboard');
}

const NONCE_BYTES = 16;
/** The built page has this text in each place of the answer's nonce. */
const NONCE_MARK = '__CSP_NONCE__';

/**
 * Everything comes from this origin, and scripts are files. The page's library adds style tags, which the nonce
 * permits.
 */
const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // The library sets styles of elements. Under the other directives such a style cannot run or fetch anything.
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Serves the files of the built page. Any other path is a view of the page and gets `index.html`.
 * @param folder the build's output, which may be absent
 */
export function dashboardPage(folder: string): Router {
  const router = Router();
  const assets = path.join(folder, 'assets');
  // These names contain a hash of the content.
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
    // A path with an extension is a missing file and not a view.
    if (html === null || path.extname(request.path) !== '')
      throw new DomainError('not_found', {
        public: html === null ? 'The dashboard is not built: npm run build.' : 'There is no such file.',
      });
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policyWith(nonce) });
    response.type('html').send(html.replaceAll(NONCE_MARK, nonce));
  };
}

/** The encodings that the build writes beside each asset, with the suffixes of their files, smallest first. */
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;
const ENCODINGS = Object.keys(SUFFIXES) as (keyof typeof SUFFIXES)[];

/** Rewrites a request for an asset to its compressed file, if there is one that the caller accepts. */
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
