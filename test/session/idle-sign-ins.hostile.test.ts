import { connect, type Socket } from 'node:net';
import { describeOnPostgres } from '../support/engines';
import { useScene } from '../support/hostile/under-attack';
import { until } from '../support/until';

const COUNT = 1_000;
const BEGUN =
  'POST /dashboard/api/sign-in HTTP/1.1\r\nHost: x\r\nX-Dashboard: 1\r\nContent-Type: application/json\r\n' +
  'Content-Length: 4000\r\n\r\n{';

function begin(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  socket.write(BEGUN);
  return socket;
}

describeOnPostgres('1,000 sign-ins that never end, without any key', () => {
  const at = useScene();

  it('take the service from nobody, and are ended within seconds', () =>
    at.underAttack(async ({ url, rounds }) => {
      const sockets = Array.from({ length: COUNT }, () => begin(url));
      await rounds(3);
      await until(
        () => sockets.filter(({ closed }) => !closed).length,
        (open) => open === 0,
      );
    }));

  it('leave sign-ins from another address alone', () =>
    at.underAttack(async ({ url, operatorKey, rounds }) => {
      const sockets = Array.from({ length: COUNT }, () => begin(url));
      await rounds(1);
      expect(await signInFrom('127.0.0.2', url, operatorKey)).toMatch(/^HTTP\/1\.1 200 /);
      for (const socket of sockets) socket.destroy();
    }));
});

/** @returns the answer as text, with its status line */
function signInFrom(localAddress: string, url: string, key: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  const body = JSON.stringify({ key });
  socket.write(
    'POST /dashboard/api/sign-in HTTP/1.1\r\nHost: x\r\nX-Dashboard: 1\r\nContent-Type: application/json\r\n' +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
}
