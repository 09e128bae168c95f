import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import { within } from '../../deadline';
import { DomainError } from '../../errors';
import { staticFiles } from '../../http/static-files';
import { LIMITS } from '../../limits';
import type { PageAssets } from './page-assets';

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

/** The part of the page's assets that its routes use. */
type SharedAssets = Pick<PageAssets, 'keep' | 'find'>;

/**
 * Serves the files of the built page, and those of other releases. Any other path is a view of the page and gets
 * `index.html`.
 * @param folder the build's output, which may be absent
 */
export function dashboardPage(folder: string, shared: SharedAssets, log: Pick<Logger, 'warn'>): Router {
  const router = Router();
  const assets = path.join(folder, 'assets');
  // These names contain a hash of the content.
  router.use('/assets', preferCompressed(assets));
  router.get('/assets/:name', assetOfOthers(shared));
  router.use(staticFiles(folder, { index: false, redirect: false }));
  router.get('/{*view}', page(path.join(folder, 'index.html'), beforeFirst(shared, log)));
  return router;
}

/** Serves a file of another release. */
function assetOfOthers(shared: SharedAssets): RequestHandler<{ name: string }> {
  return async (request, response, next) => {
    const { name } = request.params;
    const content = await shared.find(name);
    if (!content) return next();
    response.vary('Accept-Encoding').set('Cache-Control', 'public, max-age=31536000, immutable');
    response.type(path.extname(name));
    if (!request.acceptsEncodings('br')) response.send(await promisify(brotliDecompress)(content));
    else response.set('Content-Encoding', 'br').send(content);
  };
}

/**
 * Stores the files of a page before it is first sent, so that the browser gets them from any instance. The page is sent
 * without that where it takes too long: a task repeats it.
 */
function beforeFirst(shared: SharedAssets, log: Pick<Logger, 'warn'>): () => Promise<void> {
  let stored: Promise<void> | null = null;
  return () => {
    stored ??= within(
      LIMITS.pageAssetsWaitMs,
      () => new Error('it took too long'),
      () => shared.keep(),
    ).catch((err) =>
      log.warn({ err }, 'the files of the page are not stored yet: other instances do not have them'),
    );
    return stored;
  };
}

function page(file: string, isStored: () => Promise<void>): RequestHandler {
  const html = existsSync(file) ? readFileSync(file, 'utf8') : null;
  return async (request, response) => {
    // A path with an extension is a missing file and not a view.
    if (html === null || path.extname(request.path) !== '')
      throw new DomainError('not_found', {
        public: html === null ? 'The dashboard is not built: npm run build.' : 'There is no such file.',
      });
    await isStored();
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policyWith(nonce) });
    response.type('html').send(html.replaceAll(NONCE_MARK, nonce));
  };
}

/** The encodings that the build writes beside each asset, with the suffixes of their files, smallest first. */
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;
const ENCODINGS = Object.keys(SUFFIXES) as (keyof typeof SUFFIXES)[];

/** Serves an asset by its compressed file, if there is one that the caller accepts. */
function preferCompressed(folder: string): RequestHandler {
  const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
  const files = staticFiles(folder, { index: false, redirect: false, immutable: true, maxAge: '1y' });
  return (request, response, next) => {
    const { url } = request;
    const name = request.path.slice(1);
    response.vary('Accept-Encoding');
    const encoding = ENCODINGS.find(
      (each) => names.has(name + SUFFIXES[each]) && request.acceptsEncodings(each),
    );
    if (!encoding) return files(request, response, next);
    request.url = `/${name}${SUFFIXES[encoding]}`;
    response.set('Content-Encoding', encoding).type(path.extname(name));
    files(request, response, (error) => {
      // The file is gone since the start, or the method is another one: the answer of the next step is not compressed.
      request.url = url;
      for (const header of ['Content-Encoding', 'Content-Type']) response.removeHeader(header);
      next(error);
    });
  };
}
