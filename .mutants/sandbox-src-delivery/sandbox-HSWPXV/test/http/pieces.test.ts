import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { boundPieces } from '../../src/http/connections';

const BOUNDS = { count: 20, bytesEach: 10 };
const MANY = 10 * BOUNDS.count;

describe('the pieces of a body', () => {
  let server: Server;
  let listener: RequestListener;
  beforeEach(async () => {
    server = createServer((request, response) => listener(request, response));
    boundPieces(server, BOUNDS);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });
  const echo: RequestListener = async (request, response) => {
    let bytes = 0;
    request.on('data', (piece) => {
      bytes += piece.length;
    });
    request.once('end', () => response.end(`${bytes} bytes`));
  };
  /** Sends a chunked body. @returns what came back until the connection closed or said so */
  const send = async (pieces: readonly number[], end = '0\r\n\r\n'): Promise<string> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', () => {});
    const body = pieces.map((size) => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`).join('');
    socket.write(
      `POST / HTTP/1.1\r\nConnection: close\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}${end}`,
    );
    await once(socket, 'close');
    return text;
  };

  it('may be tiny if they are few, and many if they are not tiny', async () => {
    listener = echo;
    expect(await send(Array(BOUNDS.count).fill(1))).toMatch(/20 bytes/);
    expect(await send(Array(MANY).fill(BOUNDS.bytesEach))).toMatch(/2000 bytes/);
    expect(await send([...Array(BOUNDS.count).fill(1), 5_000, 1, 1])).toMatch(/5022 bytes/);
  });

  it('close the connection if they are many and tiny, whether the body is read or not', async () => {
    listener = echo;
    expect(await send(Array(MANY).fill(1))).toBe('');
    listener = () => {};
    expect(await send(Array(MANY).fill(1))).toBe('');
  });

  it('count after the answer too, when nobody reads them', async () => {
    let socketClosed: Promise<unknown> = Promise.resolve();
    listener = (request, response) => {
      socketClosed = once(request.socket, 'close');
      response.end('answered');
    };
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    await once(socket, 'data');
    socket.write('1\r\nx\r\n'.repeat(MANY));
    await socketClosed;
  });
});
