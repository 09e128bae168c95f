/**
 * The part of MCP that tools need, by its specification: JSON-RPC over POST, one message in a body, answered by one JSON
 * object. The newest version has no sessions: each request states its version in `_meta` and in headers. Assistants of
 * earlier versions begin with `initialize`, and are served the same tools.
 *
 * It is written here, because the libraries bring more than it needs. `@modelcontextprotocol/sdk` has 17 dependencies,
 * among them a second web framework, a second rate limit and OAuth. `@modelcontextprotocol/server` has its own table of
 * arguments (zod) and its own errors, beside those of the service.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

import { ERRORS } from '../errors';

/** Versions whose requests stand alone. */
const MODERN = ['2026-07-28'] as const;
/** Versions that begin with `initialize`, the newest first. */
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const VERSIONS: readonly string[] = [...MODERN, ...LEGACY];
/** Clients before 2025-06-18 send no header with a version. */
const WITHOUT_HEADER = '2025-03-26';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

type Id = string | number;
type Members = Readonly<Record<string, unknown>>;

/** A refusal by the protocol, before any tool runs. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  /** @param status of HTTP @param id of the request; null: it has none that can be read */
  constructor(
    readonly code: number,
    message: string,
    readonly id: Id | null = null,
    readonly status: number = ERRORS.invalid_parameter.status,
    readonly data?: object,
  ) {
    super(message);
  }
}

interface RpcRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: Members;
  /** Whether it stands alone, and its results say what they are. */
  readonly isModern: boolean;
}

/** @returns null: a notification, which has no answer @throws ProtocolError */
export function readMessage(body: unknown, header: (name: string) => string | undefined): RpcRequest | null {
  if (!isObject(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string')
    throw new ProtocolError(RPC.invalidRequest, 'The body must be one JSON-RPC request or notification.');
  if (!('id' in body)) return null;
  const { id, method, params = {} } = body;
  if (typeof id !== 'string' && !Number.isSafeInteger(id))
    throw new ProtocolError(RPC.invalidRequest, 'id must be text or a whole number.');
  if (!isObject(params)) throw new ProtocolError(RPC.invalidParams, 'params must be an object.', id as Id);
  const request = { id: id as Id, method, params };
  return { ...request, isModern: isModernRequest(request, header) };
}

function isModernRequest(
  { id, method, params }: Omit<RpcRequest, 'isModern'>,
  header: (name: string) => string | undefined,
): boolean {
  const meta = isObject(params._meta) ? params._meta : {};
  const inHeader = header('MCP-Protocol-Version');
  const inMeta = meta[VERSION_KEY];
  if (inMeta === undefined) {
    if (method === 'initialize') return false;
    if (isOneOf(LEGACY, inHeader ?? WITHOUT_HEADER) && method !== 'server/discover') return false;
    if (inHeader !== undefined && !VERSIONS.includes(inHeader)) throw unsupported(id, inHeader);
    throw new ProtocolError(RPC.invalidParams, `params._meta must have ${VERSION_KEY}.`, id);
  }
  if (typeof inMeta !== 'string' || !isObject(meta[CAPABILITIES_KEY]))
    throw new ProtocolError(
      RPC.invalidParams,
      `params._meta must have ${VERSION_KEY} (text) and ${CAPABILITIES_KEY} (an object).`,
      id,
    );
  assertSame(id, 'MCP-Protocol-Version', inHeader, inMeta);
  if (!isOneOf(MODERN, inMeta)) throw unsupported(id, inMeta);
  assertSame(id, 'Mcp-Method', header('Mcp-Method'), method);
  if (method === 'tools/call') assertSame(id, 'Mcp-Name', decoded(header('Mcp-Name')), params.name);
  return true;
}

const unsupported = (id: Id, requested: string) =>
  new ProtocolError(
    RPC.unsupportedVersion,
    'Unsupported protocol version',
    id,
    ERRORS.invalid_parameter.status,
    { supported: VERSIONS, requested: requested.slice(0, VERSION_CHARS) },
  );
const VERSION_CHARS = 40;

/** The version of an answer to `initialize`: the one that was asked for, or else the newest that has sessions. */
export const agreedVersion = (asked: unknown): string =>
  typeof asked === 'string' && isOneOf(LEGACY, asked) ? asked : LEGACY[0];

function assertSame(id: Id, name: string, inHeader: string | undefined, inBody: unknown): void {
  if (inHeader === inBody) return;
  const problem = inHeader === undefined ? `${name} is missing` : `${name} differs from the body`;
  throw new ProtocolError(RPC.headerMismatch, `Header mismatch: ${problem}.`, id);
}

const ENCODED = /^=\?base64\?(.*)\?=$/;
const decoded = (value: string | undefined): string | undefined => {
  const [, base64] = ENCODED.exec(value ?? '') ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString();
};

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isOneOf = (values: readonly string[], value: string) => values.includes(value);

export const resultOf = ({ id, isModern }: Pick<RpcRequest, 'id' | 'isModern'>, result: object) => ({
  jsonrpc: '2.0',
  id,
  result: isModern ? { resultType: 'complete', ...result } : result,
});

export const errorOf = ({ code, message, id, data }: ProtocolError) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data && { data }) },
});
