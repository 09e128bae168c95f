import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { RequestHandler } from 'express';

/** Encodings the build leaves beside each asset, and how their files' names end; the smaller first. */
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;
const ENCODINGS = Object.keys(SUFFIXES) as (keyof typeof SUFFIXES)[];

/** Turns a request for an asset into one for its compressed form, where there is one that the caller takes. */
export function preferCompressed(folder: string): RequestHandler {
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
