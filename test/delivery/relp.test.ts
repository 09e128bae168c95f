import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { NetworkGuard } from '../../src/delivery/network-guard';
import { Relp } from '../../src/delivery/relp';

const MESSAGES = [Buffer.from('one'), Buffer.from('two')];
const SIGNAL = new AbortController().signal;

describe('RELP', () => {
  let server: Server;
  let relp: Relp;
  const sockets: Socket[] = [];
  /** A receiver that answers each message as `answer` says. */
  async function receiving(answer: (text: string, socket: Socket) => void): Promise<void> {
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', (bytes) => answer(bytes.toString('utf8'), socket));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    relp = new Relp(new NetworkGuard(['127.0.0.1']), { host: '127.0.0.1', port, tls: null });
  }
  afterEach(() => {
    relp.close();
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });
  const isOpen = (text: string) => text.startsWith('1 open ');

  it('counts a batch as delivered when each message is acknowledged, in whatever pieces the answers arrive', async () => {
    await receiving((text, socket) => {
      if (isOpen(text)) socket.write('1 rsp 12 200 OK\nx=y=z\n');
      else for (const byte of '3 rsp 6 200 OK\n2 rsp 6 200 OK\n') socket.write(byte);
    });
    expect(await relp.send(MESSAGES, SIGNAL)).toEqual({ kind: 'accepted' });
  });

  it.each([
    ['a message is refused', '2 rsp 6 200 OK\n3 rsp 9 500 error\n', 'RELP: 500 error'],
    ['only the first message is refused', '2 rsp 9 500 error\n3 rsp 6 200 OK\n', 'RELP: 500 error'],
    [
      'a message is answered with 2000, in another order',
      '3 rsp 6 200 OK\n2 rsp 7 2000 OK\n',
      'RELP: 2000 OK',
    ],
    ['an answer is longer than answers are', '2 rsp 999999 200 OK', 'no RELP'],
    ['one message is acknowledged twice', '2 rsp 6 200 OK\n2 rsp 6 200 OK\n0 serverclose 0\n', 'closed'],
    ['the connection ends', null, 'closed'],
    ['the receiver closes the session', '0 serverclose 0\n', 'closed'],
    [
      'the answer is not RELP',
      'HTTP/1.1 400 Bad Request\r\n\r\nthis is no receiver of RELP at all, you see',
      'no RELP',
    ],
  ])('fails if %s', async (_, reply, said) => {
    await receiving((text, socket) => {
      if (isOpen(text)) socket.write('1 rsp 6 200 OK\n');
      else if (reply === null) socket.destroy();
      else socket.write(reply);
    });
    expect(await relp.send(MESSAGES, SIGNAL)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining(said),
    });
  });

  it('tells the text of a refusal alone, and takes an answer without text, and of a number that it did not send', async () => {
    await receiving((text, socket) => {
      if (isOpen(text)) socket.write('1 rsp 6 200 OK\n');
      else if (sockets.length === 1) socket.write('77 rsp 6 200 OK\n2 rsp 9 500 error\n3 rsp 6 200 OK\n');
      else socket.write('2 rsp 0\n3 rsp 6 200 OK\n');
    });
    expect(await relp.send(MESSAGES, SIGNAL)).toMatchObject({ kind: 'failed', message: 'RELP: 500 error' });
    expect(await relp.send(MESSAGES, SIGNAL)).toMatchObject({ kind: 'failed', message: 'RELP: ' });
  });

  it('waits for the rest of an answer, also where its text is in two pieces', async () => {
    await receiving((text, socket) => {
      if (isOpen(text)) {
        socket.write('1 rsp 6 200 OK\n');
        return;
      }
      socket.write('2 rsp 6 20');
      setImmediate(() => socket.write('0 OK\n3 rsp 6 200 OK\n'));
    });
    expect(await relp.send(MESSAGES, SIGNAL)).toEqual({ kind: 'accepted' });
  });

  it('opens another session after a failure, whose late answers count for nothing', async () => {
    await receiving((text, socket) => {
      if (isOpen(text)) socket.write('1 rsp 6 200 OK\n');
      else if (sockets.length === 1) socket.write('2 rsp 3 500\n3 rsp 6 200 OK\n');
      else socket.write('3 rsp 6 200 OK\n2 rsp 6 200 OK\n');
    });
    expect(await relp.send(MESSAGES, SIGNAL)).toMatchObject({ kind: 'failed' });
    expect(await relp.send(MESSAGES, SIGNAL)).toEqual({ kind: 'accepted' });
    expect(sockets).toHaveLength(2);
  });

  it('fails if the receiver opens no session, or when the attempt ends', async () => {
    await receiving((_, socket) => socket.write('1 rsp 9 500 error\n'));
    expect(await relp.send(MESSAGES, SIGNAL)).toMatchObject({
      message: 'RELP: the receiver does not open a session',
    });
    const stop = new AbortController();
    server.close();
    await receiving((text, socket) => (isOpen(text) ? socket.write('1 rsp 6 200 OK\n') : stop.abort()));
    expect(await relp.send(MESSAGES, stop.signal)).toMatchObject({ message: 'the attempt was ended' });
    // An attempt that has ended already opens no connection.
    expect(await relp.send(MESSAGES, stop.signal)).toMatchObject({ message: 'the attempt was ended' });
  });
});
