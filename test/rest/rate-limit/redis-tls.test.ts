import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createServer, type Server } from 'node:tls';
import { RedisLink } from '../../../src/caller/rate-limit/limiter';
import { createLog } from '../../../src/observe/log';
import { makeCertificate } from '../../detection/support/mail-server';
import { ANY_ENGINE, REDIS_URL } from '../../support/engines';
import { World } from '../../support/world';

(REDIS_URL ? describe : describe.skip)('Redis behind TLS', () => {
  const certificate = makeCertificate();
  let server: Server;
  let url: string;
  let folder: string;
  const logged: string[] = [];
  const log = createLog('info', { write: (line: string) => void logged.push(line) });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'redis-tls-'));
    const { hostname, port } = new URL(REDIS_URL ?? '');
    server = createServer(certificate, (near) => {
      const far = connect(Number(port), hostname);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on('error', () => [near, far].map((each) => each.destroy()));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `rediss://127.0.0.1:${(server.address() as AddressInfo).port}/0`;
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  /** @returns the answer to a ping through a new connection; null: there is no connection */
  async function ping(address: string, ca: string | null): Promise<string | null> {
    const link = new RedisLink(address, log, ca);
    try {
      await link.connected();
      return link.healthy ? await link.ask((redis) => redis.ping()) : null;
    } finally {
      link.close();
    }
  }

  it('is reached when its CA is the configured one, also by a URL in capitals', async () => {
    expect(await ping(url, certificate.cert)).toBe('PONG');
    expect(await ping(url.replace('rediss', 'REDISS'), certificate.cert)).toBe('PONG');
  });

  it('is not believed when its CA is unknown, and the log says why', async () => {
    for (const ca of [null, makeCertificate().cert]) {
      logged.length = 0;
      expect(await ping(url, ca)).toBeNull();
      expect(logged.join()).toMatch(
        /redis lost.*self-signed certificate|self-signed certificate.*redis lost/,
      );
    }
  });

  it('keeps a service from starting whose file of the CA is absent or has no certificate', async () => {
    const file = path.join(folder, 'ca.pem');
    writeFileSync(file, 'no certificate');
    for (const redisCaFile of [file, path.join(folder, 'absent.pem')])
      await expect(World.open(ANY_ENGINE, { redisUrl: url, redisCaFile })).rejects.toThrow(
        `REDIS_CA_FILE ${redisCaFile} is not usable`,
      );
  });
});
