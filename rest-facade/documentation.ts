import { type RequestHandler, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import helmet from 'helmet';
// The package's main file is not imported. It would run the page's own scripts, 2 MB, in this process.
import getAbsoluteFSPath from 'swagger-ui-dist/absolute-path';
import { DomainError } from '../src/errors';
import { staticFiles } from '../src/http/static-files';

const INIT = `window.ui = SwaggerUIBundle({ url: '/swagger', dom_id: '#swagger-ui', deepLinking: true,
  requestInterceptor: (request) => { if (request.url.endsWith('/swagger')) request.headers.Accept = 'application/json'; return request; } });`;

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Audit Activity API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/swagger/assets/favicon-32x32.png">
<link rel="stylesheet" href="/swagger/assets/swagger-ui.css"></head>
<body><div id="swagger-ui"></div>
<script src="/swagger/assets/swagger-ui-bundle.js"></script><script src="/swagger/init.js"></script></body></html>
`;

/** `/swagger`: the OpenAPI document. A browser gets a page on which to read it and try the calls. */
export function documentation(schema: GraphQLSchema): Router {
  // Made for the first reader, and its libraries are loaded then: most processes have none.
  let json: string | undefined;
  const router = Router();
  // In a lab the page may use plain HTTP. Then a browser must not fetch its parts by HTTPS.
  router.use(
    helmet({
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
      strictTransportSecurity: false, // every answer has this header already
    }),
  );
  router.get('/', (request, response) => {
    response.vary('Accept');
    if (request.accepts(['json', 'html']) === 'html') response.type('html').send(PAGE);
    else {
      const { openApiDocument } = require('./openapi') as typeof import('./openapi');
      json ??= JSON.stringify(openApiDocument(schema), null, 2);
      response.type('json').send(json);
    }
  });
  router.get('/init.js', (_request, response) => {
    response.type('application/javascript').send(INIT);
  });
  router.all(['/', '/init.js'], refuse);
  router.use('/assets', staticFiles(getAbsoluteFSPath(), { index: false, redirect: false }));
  return router;
}

const refuse: RequestHandler = (_request, response) => {
  response.set('Allow', 'GET, HEAD');
  throw new DomainError('method_not_allowed', { public: 'Only GET is allowed here.' });
};
