import { existsSync } from 'node:fs';
import { splitIntoRequests } from '../../agent/queued-events';
import { DeadLetters } from '../../agent/uplink/dead-letters';
import { Publisher } from '../../agent/uplink/publisher';
import { LIMITS } from '../../src/limits';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { refuse } from './support/fake-ingest-service';
import { jsonsOf, queued } from './support/queued';

describe('events that the service refuses', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
    world.copy(FILES_2022);
  });
  afterEach(async () => {
    expect(world.service.mistakes).toEqual([]);
    await world.close();
  });

  it('are kept as dead letters with the reason, logged and counted, and hold up no other event', async () => {
    const verdict = { code: 'invalid_event', message: 'actionId is odd' };
    world.service.judge = (event) => (event.actionId === 'LGIF' ? verdict : null);
    expect(await world.once()).toBe(1);
    const letters = world.deadLetters();
    expect(letters.length).toBeGreaterThan(0);
    expect(world.service.stored.size).toBe(150 - letters.length);
    for (const letter of letters) expect(letter).toMatchObject({ ...verdict, event: { actionId: 'LGIF' } });
    expect(world.summary[0]).toContain(`(0 duplicates, ${letters.length} rejected)`);
    expect(world.log).toContain('rejected/Payroll.ndjson');
    expect(await world.once()).toBe(0);
    expect(world.deadLetters()).toHaveLength(letters.length);
  });

  it('are isolated by halving a request that was refused as a whole', async () => {
    world.service.fault = ({ events }, response) => {
      const isRefused = events.some(({ actionId }) => actionId === 'DR');
      if (isRefused) refuse(response, 400, 'invalid_parameter');
      return isRefused;
    };
    expect(await world.once()).toBe(1);
    const letters = world.deadLetters();
    expect(letters.length).toBeGreaterThan(0);
    for (const letter of letters)
      expect(letter).toMatchObject({ code: 'invalid_parameter', event: { actionId: 'DR' } });
    expect(world.service.stored.size).toBe(150 - letters.length);
  });

  it('do not include the events of a request that was only too large', async () => {
    world.service.fault = ({ events }, response) => {
      const isTooLarge = events.length > 20;
      // A proxy refuses a large request like this.
      if (isTooLarge) response.writeHead(413).end('<html>Too large');
      return isTooLarge;
    };
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount).toBe(150);
  });

  it('do not include any event when a proxy refuses every request as too large', async () => {
    world.service.fault = (_, response) => {
      response.writeHead(413).end('<html>Too large');
      return true;
    };
    expect(await world.once()).toBe(1);
    expect(existsSync(`${world.dataDir}/rejected`)).toBe(false);
    world.service.fault = () => false;
    expect(await world.once()).toBe(0);
    expect(world.service.stored.size).toBe(150);
  });

  it('are isolated with requests of bounded number and size', () => {
    const events = queued(...[5, 5, 1, 12, 1, 1, 1].map((bytes, i) => String(i).repeat(bytes)));
    const groups = splitIntoRequests(events, { eventsMax: 2, bytesMax: 10 });
    expect(groups.map(jsonsOf)).toEqual([['00000', '11111'], ['2'], ['3'.repeat(12)], ['4', '5'], ['6']]);
    expect(groups.map(({ json }) => json.toString())).toEqual(groups.map((group) => jsonsOf(group).join()));
  });

  it('are on disk as dead letters before their batch counts as published', async () => {
    const rejected = { index: 0, code: 'x', message: 'y' };
    const sender = {
      send: async () =>
        ({ kind: 'receipt', ...{ accepted: 0, duplicates: 0, rejected: [rejected] } }) as const,
    };
    const letters = {
      path: '',
      append: async () => {
        throw new Error('no space left');
      },
    };
    const publisher = new Publisher(sender, letters, { eventsMax: 10, bytesMax: 10 });
    await expect(publisher.publish(queued('{}'), new AbortController().signal)).rejects.toThrow(
      'no space left',
    );
    expect(publisher.tally.rejected).toBe(0);
  });

  it('include one that is larger than any request', async () => {
    const sender = { send: jest.fn() };
    const path = `${world.dataDir}/rejected/Payroll.ndjson`;
    const publisher = new Publisher(sender, new DeadLetters(path), { eventsMax: 10, bytesMax: 10 });
    const event = `{}${' '.repeat(LIMITS.ingestBodyBytesMax)}`;
    expect(await publisher.publish(queued(event), new AbortController().signal)).toBeNull();
    expect(sender.send).not.toHaveBeenCalled();
    expect(world.deadLetters()).toEqual([expect.objectContaining({ code: 'payload_too_large', event: {} })]);
  });
});
