import { type AddressInfo, createServer } from 'node:net';
import pino from 'pino';
import { RedisLink } from '../../src/caller/rate-limit/limiter';
import { createTestDatabase, REDIS_URL, type TestDatabase } from '../support/engines';
import { Caller } from '../support/faults/caller';
import { NETWORK_FAULTS, TcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';

(REDIS_URL ? describe : describe.skip)('between the service and Redis', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let caller: Caller;
  beforeAll(async () => {
    database = await createTestDatabase('embedded');
    proxy = await TcpProxy.to(REDIS_URL);
    caller = await Caller.open({ REDIS_URL: proxy.url, DATA_DIR: database.dataDir });
  });
  afterAll(async () => {
    expect(await caller.close()).toEqual([]);
    await proxy.close();
    await database.drop();
  });
  afterEach(() => proxy.mend());
  const health = async () => (await caller.fetch('/health')).text;

  it.each(NETWORK_FAULTS)(
    '%s: no call is refused, and the service uses Redis again by itself',
    async (fault) => {
      await until(health, (text) => text === 'Healthy');
      proxy[fault]();
      for (let round = 0; round < 3; round++) expect(await caller.all()).toEqual([200, 200, 200, 200]);
      expect(proxy.wasMet).toBe(true);
      expect(['Healthy', 'Degraded']).toContain(await health());
      proxy.mend();
      await until(health, (text) => text === 'Healthy');
      expect(caller.problems).toEqual([]);
    },
  );
});

describe('a Redis that is full', () => {
  it('counts as lost until it takes something again, although it answers, and is told once', async () => {
    let [isFull, writes] = [true, 0];
    const answerOf = (name: string) => {
      if (name === 'info') return '$9\r\nloading:0\r\n';
      if (name !== 'set') return '+OK\r\n';
      writes += 1;
      return isFull ? "-OOM command not allowed when used memory > 'maxmemory'.\r\n" : '+OK\r\n';
    };
    const server = createServer((socket) =>
      socket.setEncoding('utf8').on('data', (text: string) => {
        for (const command of text.split(/\*\d+\r\n/).slice(1))
          socket.write(answerOf(command.split('\r\n')[1]?.toLowerCase() ?? ''));
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const told: string[] = [];
    const log = pino({}, { write: (line: string) => void told.push(JSON.parse(line).msg) });
    const { port } = server.address() as AddressInfo;
    const link = new RedisLink(`redis://127.0.0.1:${port}`, log, null, 20);
    try {
      await link.connected();
      for (const least of [1, 4]) {
        await until(
          () => writes,
          (made) => made >= least,
        );
        expect(await link.ask((redis) => redis.info('server'))).toContain('loading');
        expect(link.healthy).toBe(false);
      }
      expect(told).toHaveLength(1);
      isFull = false;
      await until(
        () => link.healthy,
        (healthy) => healthy,
      );
      expect(told).toHaveLength(2);
    } finally {
      link.close();
      server.close();
    }
  });
});

describe('a Redis that is silent', () => {
  it('is asked for nothing more until it answers again, so that calls do not wait for it one by one', async () => {
    const got: string[] = [];
    let [isSilent, held] = [true, ''];
    const server = createServer((socket) =>
      socket.setEncoding('utf8').on('data', (text: string) => {
        for (const command of text.split(/\*\d+\r\n/).slice(1)) {
          const name = command.split('\r\n')[1]?.toLowerCase() ?? '';
          got.push(name);
          held += name === 'info' ? '$9\r\nloading:0\r\n' : '+OK\r\n';
        }
        if (isSilent && got.some((name) => ['get', 'set'].includes(name))) return;
        socket.write(held);
        held = '';
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const link = new RedisLink(`redis://127.0.0.1:${port}`, pino({ level: 'silent' }), null, 20);
    const asked = () => got.filter((name) => name === 'get').length;
    const ask = () => link.ask((redis) => redis.get('a'));
    try {
      await link.connected();
      expect(await ask()).toBeNull();
      expect(asked()).toBe(1);
      for (let i = 0; i < 3; i++) expect(await ask()).toBeNull();
      expect(asked()).toBe(1);
      link.tell((redis) => redis.get('a'));
      isSilent = false;
      await until(
        () => link.healthy,
        (healthy) => healthy,
      );
      expect(await ask()).toBe('OK');
      // What is told is sent all the same.
      expect(asked()).toBe(3);
    } finally {
      link.close();
      server.close();
    }
  });
});
