import type { RequestHandler } from 'express';
import express from 'express';

type Options = Parameters<typeof express.static>[1];

/** Headers whose conditions a file would be refused for. They may be ignored: the whole file is the answer then. */
const CONDITIONS = ['if-match', 'if-unmodified-since'];

/** Serves the files of a folder, whole or not modified. Where it has none, the next step answers. */
export function staticFiles(folder: string, options: Options): RequestHandler {
  const files = express.static(folder, { ...options, acceptRanges: false });
  return (request, response, next) => {
    for (const name of CONDITIONS) delete request.headers[name];
    files(request, response, next);
  };
}
