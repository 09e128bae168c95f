import { connect } from 'node:net';
import { LIMITS } from '../../src/limits';
import { describeOnPostgres } from '../support/engines';
import { useScene } from '../support/hostile/under-attack';

const CONNECTIONS = 80;
const REQUESTS = 1_500;

/** @returns how many requests of one connection were answered before the connection closed */
function sendAtOnce(url: string, count: number): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  const request = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
  const last = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  socket.write(request.repeat(count - 1) + last);
  return new Promise((resolve) => {
    socket.once('close', () => resolve(text.split('HTTP/1.1 200 ').length - 1));
  });
}

describeOnPostgres('requests that come before those ahead of them are answered', () => {
  const at = useScene();

  it('are answered if they are few', async () => {
    expect(await sendAtOnce(at.scene.url, LIMITS.requestsAheadMax)).toBe(LIMITS.requestsAheadMax);
  });

  it('close the connection if they are many, delay nobody else, and take no memory', () =>
    at.underAttack(
      async ({ url }) => {
        const sent = Array.from({ length: CONNECTIONS }, () => sendAtOnce(url, REQUESTS));
        for (const answered of await Promise.all(sent)) expect(answered).toBeLessThan(REQUESTS);
      },
      { seconds: 4 },
    ));
});
