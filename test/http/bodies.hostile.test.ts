import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../src/limits';
import { describeOnPostgres } from '../support/engines';
import { type Attacked, useScene } from '../support/hostile/under-attack';

const KEYS = 7;
const CALLS_OF_A_KEY = 60;
const PIECES = 1_000_000;
const SENDERS = 4;

/** Begins a request whose body is sent in chunks. */
function begin({ url }: Pick<Attacked, 'url'>, key: string, further = ''): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n${further}Transfer-Encoding: chunked\r\n\r\n`,
  );
  return socket;
}

describeOnPostgres('bodies', () => {
  const at = useScene();
  const tiny = Buffer.from('1\r\n \r\n'.repeat(PIECES));
  // The first bytes of a stream whose blocks are not compressed, so that each piece is a step of the decoder.
  const stored = gzipSync(Buffer.alloc(PIECES / 10), { level: 0 });
  const tinyStored = Buffer.concat([...stored].map((byte) => Buffer.from([0x31, 13, 10, byte, 13, 10])));

  it('in pieces of one byte take no memory, and their connections are closed', () =>
    at.underAttack(async (attacked) => {
      const { hostile } = attacked;
      const sockets = [hostile.agentKey, hostile.key].flatMap((key) =>
        Array.from({ length: SENDERS }, () => {
          const socket = begin(attacked, key);
          socket.write(tiny);
          const compressed = begin(attacked, key, 'Content-Encoding: gzip\r\n');
          compressed.write(tinyStored);
          return [socket, compressed];
        }),
      );
      await attacked.rounds(3);
      expect(sockets.flat().every(({ closed }) => closed)).toBe(true);
    }));

  it('of several keys of one tenant, which never end, leave room for the batches of others', async () => {
    const { hostile, service, operatorKey } = at.scene;
    const keys: string[] = [];
    for (let n = 0; n < KEYS; n++) {
      const { createApiKey } = await service.graphql<{ createApiKey: { key: string } }>(
        operatorKey,
        'mutation($id: String!) { createApiKey(name: "one more", tenantIds: [$id], scopes: ["read:audit-activity"]) { key } }',
        { id: hostile.tenantId },
      );
      keys.push(createApiKey.key);
    }
    const bytes = LIMITS.graphqlBodyBytesMax - 1_000;
    expect(KEYS * CALLS_OF_A_KEY * bytes).toBeGreaterThan(LIMITS.bodiesBytesMax);
    const chunk = `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;
    await at.underAttack(async (attacked) => {
      const sockets = keys.flatMap((key) =>
        Array.from({ length: CALLS_OF_A_KEY }, () => {
          const socket = begin(attacked, key);
          socket.write(chunk);
          return socket;
        }),
      );
      await attacked.rounds(3);
      for (const socket of sockets) socket.destroy();
    });
  });
});
