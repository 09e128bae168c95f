import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'node:querystring';
import express, { type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { mayHoldKey } from '../caller/key-format';
import { DomainError } from '../errors';
import { ILL_ENCODED } from '../event/parse-parameters';
import { LIMITS } from '../limits';
import type { Tracing } from '../observe/tracing';
import {
  answerBrokenRequests,
  boundArrivingHeads,
  boundEachAddress,
  boundPieces,
  boundRequestsAhead,
} from './connections';
import { DASHBOARD_PATH } from './dashboard-path';
import { HEALTH_PATH } from './health';
import { type InFlight, logAnswered, type OnAnswered, tellWhenAnswered } from './in-flight';
import { errorResponder, GRAPHQL_PATH, MCP_PATH } from './refusal';
import { SITE_PATH } from './site';

const ANSWER_LISTENERS = 20;
const SANE_REQUEST_ID = /^[\w.:+/=-]{1,128}$/;

/** The HTTP server: first the steps that apply to every request, then the entrances. */
export function createHttpServer(parts: {
  readonly graphql: Router;
  readonly facade: Router;
  readonly mcp?: Router;
  readonly dashboard?: Router;
  /** The documents. */
  readonly site?: Router;
  /** Probes that even an overloaded service answers. */
  readonly probes?: Router;
  readonly inFlight: InFlight;
  readonly onAnswered?: readonly OnAnswered[];
  /** Null: the service keeps no traces. */
  readonly tracing?: Tracing | null;
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy?: readonly string[];
  readonly log: Logger;
}): Server {
  const { inFlight, onAnswered = [], tracing = null, log } = parts;
  const app = express();
  app.set('trust proxy', [...(parts.trustProxy ?? [])]);
  app.disable('x-powered-by');
  app.disable('etag'); // every answer has its own timestamp, so no two are equal
  app.set('query parser', parseQuery);
  app.use(boundRequestsAhead(LIMITS.requestsAheadMax));
  app.use(identify, tellWhenAnswered([logAnswered(log), ...onAnswered]), secureHeaders, refuseOddRequests);
  if (tracing) app.use(tracing.request);
  if (parts.probes) app.use(parts.probes);
  app.use((request, response, next) =>
    request.path === HEALTH_PATH ? next() : inFlight.admit(request, response, next),
  );
  app.use(GRAPHQL_PATH, parts.graphql);
  if (parts.mcp) app.use(MCP_PATH, parts.mcp);
  if (parts.dashboard) app.use(DASHBOARD_PATH, parts.dashboard);
  if (parts.dashboard) app.get('/', showDashboard);
  if (parts.site) app.use(SITE_PATH, parts.site);
  app.use(parts.facade);
  app.use(errorResponder(log));
  return limited(createServer(serverOptions(), app), log, app.get('trust proxy fn'));
}

/** Half of a surrogate pair. No valid encoding produces it. */
const ILL_ENCODED_MARK = '\uD800';

const ENCODED_BYTE = /%([0-9a-f]{2})/gi;
/** Visible ASCII without `%`, so there is nothing to decode. */
const PLAIN = /^[!-$&-~]*$/;
/**
 * By default the parser stops after 1000 parameters. It would lose a filter after those, and the search would find too
 * much.
 */
const ALL_KEYS = { maxKeys: 0 };

/**
 * The parameters of a query string by name: a text, an array of texts for a repeated name, or a mark that the text is
 * ill-encoded.
 */
function parseQuery(text: string): Record<string, unknown> {
  if (PLAIN.test(text)) return parse(text, '&', '=', ALL_KEYS);
  let isSound = true;
  const decode = (part: string): string => {
    const raw = part.replace(ENCODED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    const bytes = Buffer.from(raw, 'latin1');
    if (isUtf8(bytes)) return bytes.toString();
    isSound = false;
    return ILL_ENCODED_MARK;
  };
  const query = parse(text, '&', '=', { ...ALL_KEYS, decodeURIComponent: decode });
  if (isSound) return query;
  const sound = Object.entries(query).map(([name, value]) => [
    name,
    value === ILL_ENCODED_MARK ? ILL_ENCODED : value,
  ]);
  return Object.fromEntries(sound);
}

/** Listens. @returns `http://HOST:PORT` */
export async function listenAt(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

const serverOptions = () => ({
  maxHeaderSize: LIMITS.requestHeadBytesMax,
  headersTimeout: LIMITS.requestHeadersMs,
  requestTimeout: LIMITS.requestMs,
  connectionsCheckingInterval: LIMITS.requestCheckMs,
  keepAliveTimeout: LIMITS.keepAliveMs,
  requireHostHeader: false, // see refuseOddRequests
});

function limited(server: Server, log: Logger, isTrusted: (address: string, hop: number) => boolean): Server {
  server.timeout = LIMITS.connectionIdleMs;
  server.maxConnections = LIMITS.connectionsMax;
  // Each part that waits for the end of an answer adds a listener. Node takes more than ten for a leak.
  server.on('request', (_request, response) => response.setMaxListeners(ANSWER_LISTENERS));
  const bounds = { each: LIMITS.connectionsPerAddressMax, all: LIMITS.connectionsMax };
  boundEachAddress(server, bounds, (address) => isTrusted(address, 0));
  boundPieces(server, { count: LIMITS.bodyPiecesMax, bytesEach: LIMITS.bodyPieceBytesMin });
  boundArrivingHeads(server, LIMITS.requestHeadsBytesMax, LIMITS.requestCheckMs);
  answerBrokenRequests(server, log);
  // Node would answer an unknown expectation in its own form. The service may ignore an expectation.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}

const identify: RequestHandler = (request, response, next) => {
  const given = request.get('X-Request-Id');
  // Logs and the access log keep the request id. A key that was sent in place of an id must not get there.
  const isSane = given !== undefined && SANE_REQUEST_ID.test(given) && !mayHoldKey(given);
  const requestId = isSane ? given : randomUUID();
  response.locals.requestId = requestId;
  response.setHeader('X-Request-Id', requestId);
  next();
};

/** Refuses requests that the parser accepts and no entrance should see. @throws DomainError */
const refuseOddRequests: RequestHandler = (request, _response, next) => {
  if (request.originalUrl.length > LIMITS.urlBytesMax) {
    throw new DomainError('uri_too_long', { public: `The URL is longer than ${LIMITS.urlBytesMax} bytes.` });
  }
  // Node's own check would answer in a different form.
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    throw new DomainError('invalid_parameter', { public: 'The header Host is missing.' });
  }
  next();
};

/** Redirects a person who typed the address into a browser. Other callers get the answer that there is nothing here. */
const showDashboard: RequestHandler = (request, response, next) => {
  response.vary('Accept');
  if (request.accepts(['json', 'html']) === 'html') response.redirect(DASHBOARD_PATH);
  else next();
};

/**
 * Headers of answers that are data. A browser may not run, frame or embed anything of them. Pages set their own policy.
 */
const SECURE_HEADERS = headersSetBy(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Other hosts of the domain are not ours to decide for.
    strictTransportSecurity: { includeSubDomains: false },
  }),
);

const secureHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of SECURE_HEADERS) response.setHeader(name, value);
  next();
};

/**
 * Reads the headers that helmet sets, once. They are the same on every answer, and setting them takes helmet a dozen
 * calls.
 */
function headersSetBy(handler: ReturnType<typeof helmet>): readonly (readonly [string, string])[] {
  const headers: [string, string][] = [];
  const answer = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  };
  handler({} as IncomingMessage, answer as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}
