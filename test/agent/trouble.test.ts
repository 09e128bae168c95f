import { gzipSync } from 'node:zlib';
import type { Clock } from '../../agent/clock';
import { LineLog } from '../../agent/log';
import { AGENT_TIMES } from '../../agent/times';
import { PatientSender } from '../../agent/uplink/patient-sender';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { refuse, respond, type Trouble } from './support/fake-ingest-service';
import { until } from './support/until';

/** One after the other, then none. */
const troubles = (...list: Trouble[]): Trouble => {
  const left = [...list];
  return (...given) => left.shift()?.(...given) ?? false;
};
const serverError: Trouble = (_, response) => {
  refuse(response, 500, 'internal_error');
  return true;
};
const unavailable: Trouble = (_, response) => {
  refuse(response, 503, 'service_unavailable', { 'retry-after': '1' });
  return true;
};
const rateLimited: Trouble = (_, response) => {
  refuse(response, 429, 'rate_limited', { 'retry-after': '0' });
  return true;
};
const cutConnection: Trouble = (_, response) => {
  response.destroy();
  return true;
};
const garbage: Trouble = (_, response) => {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('<html>Welcome to nginx'));
  return true;
};
const wrongReceipt: Trouble = (_, response) => {
  respond(response, 200, { data: { ingestAuditEvents: { accepted: 1, duplicates: 0, rejected: [] } } });
  return true;
};
const redirection: Trouble = (_, response) => {
  response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
  return true;
};
const silence: Trouble = () => true;
const unauthorized: Trouble = (_, response) => {
  refuse(response, 401, 'unauthorized');
  return true;
};
const forbidden: Trouble = (_, response) => {
  refuse(response, 403, 'forbidden');
  return true;
};

describe('an agent whose service is in trouble', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
    world.copy(FILES_2022);
  });
  afterEach(async () => {
    expect(world.service.mistakes).toEqual([]);
    await world.close();
  });

  it.each([
    ['errors', serverError],
    ['rate limits', rateLimited],
    ['cut connections', cutConnection],
    ['answers of something else', garbage],
    ['receipts that do not account for every event', wrongReceipt],
    ['redirections', redirection],
  ])('sends again after %s', async (_, trouble) => {
    world.service.trouble = troubles(trouble, trouble, trouble);
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount).toBe(150);
    expect(world.log).toContain('the service takes events again');
  });

  it('waits as long as the service asks for', async () => {
    world.service.trouble = troubles(unavailable);
    const since = Date.now();
    expect(await world.once()).toBe(0);
    expect(Date.now() - since).toBeGreaterThanOrEqual(1_000);
  });

  it('sends again after a request was not answered in time', async () => {
    world.service.trouble = troubles(silence);
    expect(await world.once({ requestTimeoutMs: 50 })).toBe(0);
    expect(world.log).toContain('no answer in time');
  });

  it('gives up a single run after some attempts, and publishes the same later', async () => {
    world.service.trouble = serverError;
    expect(await world.once()).toBe(1);
    expect(world.log).toContain(
      `not everything could be published: ${world.service.url}/graphql: internal_error`,
    );
    world.service.trouble = () => false;
    expect(await world.once()).toBe(0);
    expect(world.service.stored.size).toBe(150);
  });

  it('says that nobody listens at the address', async () => {
    world.configure({ BaseUrl: 'http://127.0.0.1:1' });
    expect(await world.once()).toBe(1);
    expect(world.log).toMatch(
      /http:\/\/127\.0\.0\.1:1\/graphql: cannot be reached: .*(ECONNREFUSED|bad port)/,
    );
  });

  it('ends a single run at once when the key is refused', async () => {
    world.service.trouble = unauthorized;
    expect(await world.once()).toBe(1);
    expect(world.log.match(/the service refuses the agent key/g)).toHaveLength(1);
  });

  it.each([
    ['401', unauthorized],
    ['403', forbidden],
  ])(
    'sends no events while the service answers %s, says so once, and goes on when it takes the key',
    async (_, trouble) => {
      const asked: number[] = [];
      world.service.trouble = (request, ...rest) => {
        asked.push(request.events.length);
        return trouble(request, ...rest);
      };
      world.follow();
      await until('some refusals', () => asked.length > 4);
      expect(asked.slice(1)).toEqual(asked.slice(1).map(() => 0));
      expect(world.log.match(/error Payroll: the service refuses the agent key/g)).toHaveLength(1);
      world.service.trouble = () => false;
      await until('all published', () => world.service.stored.size === 150);
      expect(world.service.probes).toBe(1);
      expect(world.service.sentCount).toBe(150);
      expect(world.log.match(/takes events again/g)).toHaveLength(1);
    },
  );

  it('asks a service that refuses the key about twice a minute, and says so every ten minutes', async () => {
    const log: string[] = [];
    const asked: number[] = [];
    const end = new AbortController();
    let nowMs = 0;
    const clock: Clock = {
      now: () => nowMs,
      async wait(ms) {
        nowMs += ms;
        if (nowMs > 1_260_000) end.abort();
      },
    };
    const sender = new PatientSender({
      ...{ database: 'X', once: false, times: AGENT_TIMES, clock },
      log: new LineLog((_, level) => log.push(`${level} ${nowMs / 60_000}`)),
      send: async () => {
        asked.push(nowMs);
        return { kind: 'refused', message: 'unauthorized (HTTP 401)' };
      },
    });
    await sender.send([{ json: '{}', bytes: 2, eventTime: '' }], end.signal);
    expect(asked.slice(0, 4)).toEqual([0, 30_000, 60_000, 90_000]);
    expect(log).toEqual(['error 0', 'error 10', 'error 20']);
  });

  it('goes on when the key is mended in the configuration', async () => {
    world.configure({ ApiKey: 'aak_wrong' });
    world.follow();
    await until('a refusal', () => world.log.includes('refuses the agent key'));
    world.configure();
    await until('all published', () => world.service.stored.size === 150);
    expect(world.service.sentCount).toBe(150);
  });

  it('never writes the key', async () => {
    world.configure({ ApiKey: 'aak_wrong' });
    world.service.trouble = troubles(cutConnection, garbage, serverError);
    expect(await world.once()).toBe(1);
    expect(world.log + world.summary).not.toContain('aak_');
  });
});
