import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../src/limits';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';
import { open, parseAnswer } from './support/raw';

const MIB = 1024 * 1024;
/** A gzip body of as many members as MiB. It inflates to a thousand times its own size. */
const bomb = (mib: number) => {
  const member = gzipSync(Buffer.alloc(MIB, ' '));
  return Buffer.concat(Array.from({ length: mib }, () => member));
};

describe('a body that inflates to far more than its size', () => {
  const at = useWorld(ANY_ENGINE);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
  });
  const post = (body: Uint8Array, key: string) =>
    at.world.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', 'X-Api-Key': key },
      body,
    });

  it('is refused by its inflated size, and is not inflated further than the limit', async () => {
    const body = bomb(4_096);
    expect(body.length).toBeLessThan(LIMITS.ingestBodyBytesMax);
    const inflatingAll = 4_096 / 300; // seconds, at 300 MiB a second
    const [cpu, memory] = [process.cpuUsage(), process.memoryUsage().rss];
    for (const key of [acme.agentKey, acme.key, at.world.operatorKey]) {
      const { status, body: answer } = await post(body, key);
      expect([status, answer.errors[0].extensions.code]).toEqual([413, 'payload_too_large']);
    }
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1e6).toBeLessThan(inflatingAll / 4);
    expect(process.memoryUsage().rss - memory).toBeLessThan(256 * MIB);
  });

  it('is refused with 401 without a valid key, before any of it arrives', async () => {
    const body = 'Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 8000000\r\n';
    const { socket } = open(at.world.service.url);
    socket.write(`POST /graphql HTTP/1.1\r\nHost: x\r\nX-Api-Key: secret\r\n${body}\r\n`);
    const [answer] = await once(socket, 'data');
    expect(parseAnswer(String(answer)).status).toBe(401);
    socket.destroy();
  });

  it('is accepted if its inflated size is within the limit', async () => {
    const padded = `{"query":"{ __typename }"${' '.repeat(LIMITS.ingestBodyBytesMax - 100)}}`;
    expect((await post(gzipSync(padded), acme.agentKey)).status).toBe(200);
  });
});
