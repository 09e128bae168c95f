import { agreedVersion, ProtocolError, RPC, readMessage, VERSIONS } from '../../src/assistants/protocol';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HEADERS = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } };
const CALL = { ...LIST, method: 'tools/call', params: { _meta: META, name: 'timeline' } };
const CALLED = { ...HEADERS, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'timeline' };

function read(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  try {
    const message = readMessage(body, (name) => headers[name]);
    return message && (message.isModern ? 'modern' : 'legacy');
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.code, error.id, error.status];
  }
}

describe('a message of an assistant', () => {
  it.each([
    ['a request that stands alone', LIST, HEADERS, 'modern'],
    ['a call of a tool', CALL, CALLED, 'modern'],
    ['an encoded name', CALL, { ...CALLED, 'Mcp-Name': '=?base64?dGltZWxpbmU=?=' }, 'modern'],
    [
      'a handshake',
      { ...LIST, method: 'initialize', params: { protocolVersion: '2025-06-18' } },
      {},
      'legacy',
    ],
    [
      'a request after a handshake',
      { ...LIST, params: {} },
      { 'MCP-Protocol-Version': '2025-06-18' },
      'legacy',
    ],
    ['one of the first clients', { jsonrpc: '2.0', id: 'a', method: 'tools/list' }, {}, 'legacy'],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, {}, null],
  ] as const)('%s is read', (_, body, headers, expected) => {
    expect(read(body, headers)).toBe(expected);
  });

  const mismatch = [RPC.headerMismatch, 1, 400];
  it.each([
    ['a batch', [LIST], HEADERS, [RPC.invalidRequest, null, 400]],
    ['an answer', { jsonrpc: '2.0', id: 1, result: {} }, {}, [RPC.invalidRequest, null, 400]],
    ['another JSON-RPC', { ...LIST, jsonrpc: '1.0' }, HEADERS, [RPC.invalidRequest, null, 400]],
    ['an id that is null', { ...LIST, id: null }, HEADERS, [RPC.invalidRequest, null, 400]],
    ['params in a list', { ...LIST, params: [] }, HEADERS, [RPC.invalidParams, 1, 400]],
    ['no version in the header', LIST, { 'Mcp-Method': 'tools/list' }, mismatch],
    ['two versions', LIST, { ...HEADERS, 'MCP-Protocol-Version': '2025-06-18' }, mismatch],
    ['another method in the header', LIST, { ...HEADERS, 'Mcp-Method': 'tools/call' }, mismatch],
    ['no tool in the header', CALL, { ...CALLED, 'Mcp-Name': '' }, mismatch],
    [
      'an unknown version',
      { ...LIST, params: { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' } } },
      { ...HEADERS, 'MCP-Protocol-Version': '1900-01-01' },
      [RPC.unsupportedVersion, 1, 400],
    ],
    [
      'an unknown version in the header alone',
      { ...LIST, params: {} },
      { 'MCP-Protocol-Version': '1900-01-01' },
      [RPC.unsupportedVersion, 1, 400],
    ],
    ['a new version without _meta', { ...LIST, params: {} }, HEADERS, [RPC.invalidParams, 1, 400]],
    [
      'discovery without _meta',
      { ...LIST, method: 'server/discover', params: {} },
      {},
      [RPC.invalidParams, 1, 400],
    ],
    [
      'no capabilities',
      { ...LIST, params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } },
      HEADERS,
      [RPC.invalidParams, 1, 400],
    ],
  ])('%s is refused', (_, body, headers, expected) => {
    expect(read(body, headers)).toEqual(expected);
  });

  it('agrees on the version that was asked for, or else on the newest with a handshake', () => {
    expect(['2025-06-18', '1900-01-01', undefined, '2026-07-28'].map(agreedVersion)).toEqual([
      ...['2025-06-18', '2025-11-25', '2025-11-25', '2025-11-25'],
    ]);
    expect(VERSIONS[0]).toBe('2026-07-28');
  });
});
