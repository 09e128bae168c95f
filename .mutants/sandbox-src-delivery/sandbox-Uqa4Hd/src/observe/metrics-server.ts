import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { ERRORS } from '../errors';
import { LIMITS } from '../limits';

export interface MetricsServer {
  /** `http://HOST:PORT/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

const PATH = '/metrics';

/**
 * Serves a registry on a separate port that is not public, because the metrics name tenants and databases.
 * @param refresh updates the gathered values; must not fail
 */
export async function serveMetrics(
  place: { readonly host: string; readonly port: number },
  registry: Registry,
  refresh: () => Promise<void>,
): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (request.url?.split('?')[0] !== PATH || request.method !== 'GET') {
      response.writeHead(ERRORS.not_found.status).end();
      return;
    }
    try {
      await refresh();
      const text = await registry.metrics();
      response.setHeader('Content-Type', registry.contentType);
      response.end(text);
    } catch {
      response.writeHead(ERRORS.internal_error.status).end();
    }
  });
  server.headersTimeout = LIMITS.requestHeadersMs;
  server.requestTimeout = LIMITS.requestMs;
  server.timeout = LIMITS.connectionIdleMs;
  server.maxConnections = LIMITS.metricsConnectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place.port, place.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = place.host.includes(':') ? `[${place.host}]` : place.host;
  return { url: `http://${host}:${port}${PATH}`, close: () => closeNow(server) };
}

const closeNow = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
