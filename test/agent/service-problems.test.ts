import { gzipSync } from 'node:zlib';
import type { Clock } from '../../agent/clock';
import { LineLog } from '../../agent/log';
import { AGENT_TIMES } from '../../agent/times';
import { PatientSender } from '../../agent/uplink/patient-sender';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { type Fault, refuse, respond } from './support/fake-ingest-service';
import { queued } from './support/queued';
import { until } from './support/until';

/** Uses one fault after the other, then none. */
const faults = (...list: Fault[]): Fault => {
  const left = [...list];
  return (...given) => left.shift()?.(...given) ?? false;
};
const serverError: Fault = (_, response) => {
  refuse(response, 500, 'internal_error');
  return true;
};
const unavailable: Fault = (_, response) => {
  refuse(response, 503, 'service_unavailable', { 'retry-after': '1' });
  return true;
};
const rateLimited: Fault = (_, response) => {
  refuse(response, 429, 'rate_limited', { 'retry-after': '0' });
  return true;
};
const cutConnection: Fault = (_, response) => {
  response.destroy();
  return true;
};
const garbage: Fault = (_, response) => {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('<html>Welcome to nginx'));
  return true;
};
const wrongReceipt: Fault = (_, response) => {
  respond(response, 200, { data: { ingestAuditEvents: { accepted: 1, duplicates: 0, rejected: [] } } });
  return true;
};
const redirection: Fault = (_, response) => {
  response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
  return true;
};
const silence: Fault = () => true;
const unauthorized: Fault = (_, response) => {
  refuse(response, 401, 'unauthorized');
  return true;
};
const forbidden: Fault = (_, response) => {
  refuse(response, 403, 'forbidden');
  return true;
};

describe('an agent whose service has problems', () => {
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
  ])('sends the batch again after %s', async (_, fault) => {
    world.service.fault = faults(fault, fault, fault);
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount).toBe(150);
    expect(world.log).toContain('the service takes events again');
  });

  it('waits as long as the service asks', async () => {
    world.service.fault = faults(unavailable);
    const since = Date.now();
    expect(await world.once()).toBe(0);
    expect(Date.now() - since).toBeGreaterThanOrEqual(1_000);
  });

  it('sends the batch again if a request is not answered in time', async () => {
    world.service.fault = faults(silence);
    expect(await world.once({ requestTimeoutMs: 500 })).toBe(0);
    expect(world.log).toContain('no answer in time');
  });

  it('ends a single run after a few failed attempts, and publishes the same events in a later run', async () => {
    world.service.fault = serverError;
    expect(await world.once()).toBe(1);
    expect(world.log).toContain(
      `not everything could be published: ${world.service.url}/graphql: internal_error`,
    );
    world.service.fault = () => false;
    expect(await world.once()).toBe(0);
    expect(world.service.stored.size).toBe(150);
  });

  it('logs that nothing listens at the address', async () => {
    world.configure({ BaseUrl: 'http://127.0.0.1:1' });
    expect(await world.once()).toBe(1);
    expect(world.log).toMatch(
      /http:\/\/127\.0\.0\.1:1\/graphql: cannot be reached: .*(ECONNREFUSED|bad port)/,
    );
  });

  it('ends a single run at once when the key is refused', async () => {
    world.service.fault = unauthorized;
    expect(await world.once()).toBe(1);
    expect(world.log.match(/the service refuses the agent key/g)).toHaveLength(1);
  });

  it.each([
    ['401', unauthorized],
    ['403', forbidden],
  ])(
    'sends no events while the service answers %s, logs that once, and continues when its key is accepted',
    async (_, fault) => {
      const asked: number[] = [];
      world.service.fault = (request, ...rest) => {
        asked.push(request.events.length);
        return fault(request, ...rest);
      };
      world.follow();
      await until('some refusals', () => asked.length > 4);
      expect(asked.slice(1)).toEqual(asked.slice(1).map(() => 0));
      expect(world.log.match(/error Payroll: the service refuses the agent key/g)).toHaveLength(1);
      world.service.fault = () => false;
      await until('all published', () => world.service.stored.size === 150);
      expect(world.service.probes).toBe(1);
      expect(world.service.sentCount).toBe(150);
      expect(world.log.match(/takes events again/g)).toHaveLength(1);
    },
  );

  it('retries a refused key about twice a minute, and logs the refusal every ten minutes', async () => {
    const log: string[] = [];
    const asked: number[] = [];
    const end = new AbortController();
    let nowMs = 0;
    const clock: Clock = {
      now: () => 0,
      elapsed: () => nowMs,
      async wait(ms) {
        nowMs += ms;
        if (nowMs > 1_260_000) end.abort();
      },
    };
    const sender = new PatientSender({
      database: 'X',
      once: false,
      times: AGENT_TIMES,
      clock,
      log: new LineLog((_, level) => log.push(`${level} ${nowMs / 60_000}`)),
      send: async () => {
        asked.push(nowMs);
        return { kind: 'refused', message: 'unauthorized (HTTP 401)' };
      },
    });
    await sender.send(queued('{}'), end.signal);
    expect(asked.slice(0, 4)).toEqual([0, 30_000, 60_000, 90_000]);
    expect(log).toEqual(['error 0', 'error 10', 'error 20']);
  });

  it('gives up after five attempts of a single run, and waits four times', async () => {
    let [asked, waits] = [0, 0];
    const sender = new PatientSender({
      database: 'X',
      once: true,
      times: AGENT_TIMES,
      clock: { now: () => 0, elapsed: () => 0, wait: async () => void waits++ },
      log: new LineLog(() => {}),
      send: async () => {
        asked++;
        return { kind: 'busy', message: 'busy (HTTP 503)', retryAfterMs: null };
      },
    });
    expect(await sender.send(queued('{}'), new AbortController().signal)).toEqual({
      kind: 'gaveUp',
      message: 'busy (HTTP 503)',
    });
    expect([asked, waits]).toEqual([5, 4]);
  });

  it('continues when the key is corrected in the configuration', async () => {
    world.configure({ ApiKey: 'aak_wrong' });
    world.follow();
    await until('a refusal', () => world.log.includes('refuses the agent key'));
    world.configure();
    await until('all published', () => world.service.stored.size === 150);
    expect(world.service.sentCount).toBe(150);
  });

  it('never shows its key in the log or in the summary of a run', async () => {
    world.configure({ ApiKey: 'aak_wrong' });
    world.service.fault = faults(cutConnection, garbage, serverError);
    expect(await world.once()).toBe(1);
    expect(world.log + world.summary).not.toContain('aak_');
  });

  describe('that is newer, and refuses with a code that this agent does not know,', () => {
    const isOdd = ({ actionId }: { actionId: string }) => actionId === 'DR';

    it('keeps only the refused events as dead letters, and publishes the others', async () => {
      world.service.fault = ({ events }, response) => {
        const isRefused = events.some(isOdd);
        if (isRefused) refuse(response, 200, 'code_of_a_newer_service');
        return isRefused;
      };
      expect(await world.once()).toBe(1);
      const letters = world.deadLetters();
      expect(letters.length).toBeGreaterThan(0);
      for (const letter of letters)
        expect(letter).toMatchObject({ code: 'code_of_a_newer_service', event: { actionId: 'DR' } });
      expect(world.service.stored.size).toBe(150 - letters.length);
      expect(await world.once()).toBe(0);
    });

    it('keeps every event while the service refuses all, shows why, and publishes all events later', async () => {
      const asked: number[] = [];
      world.service.fault = ({ events }, response) => {
        asked.push(events.length);
        refuse(response, 200, 'code_of_a_newer_service');
        return true;
      };
      const agent = world.follow();
      await until('some refusals', () => asked.length > 5);
      // The agent sends one request with events, and then asks without events.
      expect(asked.slice(1)).toEqual(asked.slice(1).map(() => 0));
      expect(world.statusOf()).toMatchObject({
        state: 'waiting',
        problem: expect.stringContaining('code_of_a_newer_service'),
      });
      world.service.fault = () => false;
      await until('all published', () => world.service.stored.size === 150);
      await agent.stop();
      expect(world.service.sentCount).toBe(150);
      expect(world.hasDeadLetters()).toBe(false);
    });
  });
});
