import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { NetworkGuard } from '../../src/delivery/network-guard';
import { SyslogTls } from '../../src/delivery/syslog-tls';
import { makeCertificate } from '../detection/support/mail-server';
import { until } from '../support/until';

const SIGNAL = new AbortController().signal;

describe('syslog over TLS', () => {
  const certificate = makeCertificate();
  const sockets: TLSSocket[] = [];
  let server: Server;
  let received: string;
  const open: SyslogTls[] = [];
  beforeEach(async () => {
    received = '';
    server = createServer(certificate, (socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        received += bytes.toString('utf8');
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    for (const one of open.splice(0)) one.close();
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });
  const syslog = (ca?: string, networks = ['127.0.0.1']) => {
    const { port } = server.address() as AddressInfo;
    const made = new SyslogTls(new NetworkGuard(networks), { host: '127.0.0.1', port, tls: { ca } });
    open.push(made);
    return made;
  };
  const untilReceived = (text: string) =>
    until(
      () => received,
      (all) => all === text,
    );

  it('has the length of each message in bytes before it, and one connection for several batches', async () => {
    const sender = syslog(certificate.cert);
    expect(await sender.send([Buffer.from('é漢'), Buffer.from('two')], SIGNAL)).toEqual({ kind: 'accepted' });
    expect(await sender.send([Buffer.from('three')], SIGNAL)).toEqual({ kind: 'accepted' });
    await untilReceived('5 é漢3 two5 three');
    expect(sockets).toHaveLength(1);
  });

  it('opens another connection when the receiver has ended the first one', async () => {
    const sender = syslog(certificate.cert);
    await sender.send([Buffer.from('one')], SIGNAL);
    await untilReceived('3 one');
    sockets[0]?.end();
    await once(sockets[0] as TLSSocket, 'close');
    expect(await sender.send([Buffer.from('two')], SIGNAL)).toEqual({ kind: 'accepted' });
    await untilReceived('3 one3 two');
    expect(sockets).toHaveLength(2);
  });

  it('sends nothing to a receiver whose certificate is not trusted, or whose network is not allowed', async () => {
    expect(await syslog().send([Buffer.from('one')], SIGNAL)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/self-signed/),
    });
    expect(await syslog(certificate.cert, []).send([Buffer.from('one')], SIGNAL)).toMatchObject({
      kind: 'failed',
      isOfInstance: true,
    });
    expect(received).toBe('');
  });
});
