import { readFileSync } from 'node:fs';
import { type RequestOptions as HttpOptions, request as requestHttp } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { Secret } from '../config/secret';
import { errorText } from '../log';

/** How the service is reached: by which proxy, and by whose certificates. */
export interface Way {
  /** With user and password, if the proxy wants them. Null: directly. */
  readonly proxyUrl: Secret | null;
  /** Path of certificates (PEM) that are trusted beside those of the system. */
  readonly caFile: string | null;
}

/** As Node's own agent keeps connections. */
const KEPT = { keepAlive: true, scheduling: 'lifo', timeout: 5_000 } as const;
/** For the answer of the proxy; each request has its own deadline beside it. */
const PROXY_MS = 15_000;

const agents = new WeakMap<Way, Agent>();

/**
 * Where a request is sent, if it is not sent directly.
 * @throws Error if the file of certificates cannot be used
 */
export function optionsOf(way: Way | null, url: string): HttpOptions {
  if (way === null) return {};
  if (url.startsWith('https:')) return { agent: agentOf(way) };
  return way.proxyUrl === null ? {} : { ...addressOf(way.proxyUrl), path: url };
}

/** What the proxy is told beside the request, where that is not encrypted. */
export function headersOf(way: Way | null, url: string): Record<string, string> {
  if (!way?.proxyUrl || url.startsWith('https:')) return {};
  return { host: new URL(url).host, ...authorizationOf(way.proxyUrl) };
}

function agentOf(way: Way): Agent {
  const known = agents.get(way);
  if (known) return known;
  const made = new WayAgent(way);
  agents.set(way, made);
  return made;
}

class WayAgent extends Agent {
  constructor(private readonly way: Way) {
    super({ ...KEPT, ...trustOf(way) });
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const { proxyUrl } = this.way;
    if (proxyUrl === null || callback === undefined) return super.createConnection(options, callback);
    const fail = callback as (error: Error) => void;
    const target = `${options.host?.includes(':') ? `[${options.host}]` : options.host}:${options.port}`;
    const asked = requestHttp({
      ...addressOf(proxyUrl),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...authorizationOf(proxyUrl) },
      agent: false,
    });
    asked.setTimeout(PROXY_MS, () => asked.destroy(new Error('the proxy does not answer')));
    asked.once('error', fail);
    asked.once('connect', ({ statusCode }, socket) => {
      socket.setTimeout(0);
      if (statusCode === 200) {
        const through = super.createConnection({ ...options, socket } as RequestOptions);
        if (through) callback(null, through);
        return;
      }
      socket.destroy();
      fail(new Error(`the proxy refuses the way to ${target} (HTTP ${statusCode})`));
    });
    asked.end();
    return undefined;
  }
}

function trustOf({ caFile }: Way): Pick<AgentOptions, 'secureContext'> {
  if (caFile === null) return {};
  // Node.js 22.15 and newer also knows the certificates that `--use-system-ca` and NODE_EXTRA_CA_CERTS name.
  const { getCACertificates } = tls as { getCACertificates?: (of: 'default') => string[] };
  const trusted = getCACertificates?.('default') ?? [...tls.rootCertificates];
  try {
    const own = readFileSync(caFile, 'utf8');
    if (!/-----BEGIN (TRUSTED )?CERTIFICATE-----/.test(own)) throw new Error('it holds no certificate (PEM)');
    return { secureContext: tls.createSecureContext({ ca: [...trusted, own] }) };
  } catch (error) {
    throw new Error(`CentralApi.CaFile cannot be used: ${errorText(error)}`);
  }
}

function addressOf(proxyUrl: Secret): { readonly hostname: string; readonly port: string } {
  const { hostname, port } = new URL(proxyUrl.reveal());
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: port || '80' };
}

function authorizationOf(proxyUrl: Secret): { 'proxy-authorization'?: string } {
  const { username, password } = new URL(proxyUrl.reveal());
  if (username === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}
