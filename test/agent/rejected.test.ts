import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GapStore } from '../../agent/gaps/gap-store';
import { type QueuedEvents, splitIntoRequests } from '../../agent/queued-events';
import { DeadLetters } from '../../agent/uplink/dead-letters';
import { Publisher } from '../../agent/uplink/publisher';
import { LIMITS } from '../../src/limits';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { refuse, respond } from './support/fake-ingest-service';
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

  it('are gaps, one for each file and code, which say when they begin and how many events are missing', async () => {
    const verdicts: Record<string, { code: string; message: string }> = {
      LGIF: { code: 'invalid_event', message: 'actionId is odd' },
      LGIS: { code: 'other', message: 'no' },
    };
    world.service.judge = (event) => verdicts[event.actionId ?? ''] ?? null;
    await world.once();
    const letters = world.deadLetters();
    const files = new Set(letters.map(({ code, event }) => JSON.stringify([code, event.fileGuid])));
    const gaps = world.service.reports.flatMap((report) => report.gaps);
    expect(gaps).toHaveLength(files.size);
    for (const gap of gaps) {
      const code = gap.detail.includes('invalid_event: actionId is odd') ? 'invalid_event' : 'other';
      const own = letters.filter((letter) => letter.code === code && letter.event.fileGuid === gap.fileGuid);
      const times = own.map(({ event }) => String(event.eventTime)).sort();
      expect(gap).toMatchObject({ reason: 'REJECTED', fileName: own[0]?.event.file, afterTime: times[0] });
      expect(gap.detail).toContain(`refused ${own.length} event`);
      expect(gap.detail).toContain(`of ${times[0]} and later`);
      expect((gap.beforeTime ?? '') > (times.at(-1) ?? '')).toBe(true);
      expect(Date.parse(gap.beforeTime ?? '') - Date.parse(times.at(-1) ?? '')).toBeLessThanOrEqual(1);
    }
    expect(world.statusOf()?.gaps).toEqual({ reported: files.size, pending: 0 });
    expect(world.log).toMatch(/ERROR.*events rejected|error.*events rejected/);
  });

  it('are gaps on disk before the bookmark moves, and come again if the gap could not be written', async () => {
    world.service.judge = () => ({ code: 'x', message: 'y' });
    const path = join(world.dataDir, 'gaps/7/Payroll.ndjson');
    const append = jest.spyOn(GapStore.prototype, 'add').mockRejectedValue(new Error('no space left'));
    expect(await world.once()).toBe(1);
    append.mockRestore();
    expect(existsSync(path)).toBe(false);
    world.service.judge = () => null;
    expect(await world.once()).toBe(0);
    expect(world.service.stored.size).toBe(150);
  });

  it('do not count as the newest event', async () => {
    const newest = () =>
      world.service.events
        .map(({ eventTime }) => eventTime)
        .sort()
        .at(-1);
    await world.once();
    const last = newest() ?? '';
    world.service.stored.clear();
    rmSync(world.dataDir, { recursive: true });
    world.service.judge = ({ eventTime }) => (eventTime === last ? { code: 'x', message: 'y' } : null);
    world.service.reports.length = 0;
    await world.once();
    expect(newest() ?? '').not.toBe('');
    expect((newest() ?? '') < last).toBe(true);
    expect(world.statusOf()?.lastEventTime).toBe(newest());
    expect(world.service.reports.at(-1)?.lastEventTime).toBe(newest());
  });

  it('are told as unreadable to a service that has no name for them', async () => {
    world.service.judge = ({ actionId }) => (actionId === 'LGIF' ? { code: 'x', message: 'y' } : null);
    const refused: string[] = [];
    world.service.reportFault = ({ gaps }, response) => {
      const unknown = gaps.findIndex(({ reason }) => reason === 'REJECTED');
      if (unknown < 0) return false;
      refused.push(gaps[unknown]?.gapId ?? '');
      const message = `Variable "$report" got invalid value "REJECTED" at "report.gaps[${unknown}].reason"; Value "REJECTED" does not exist in "AuditGapReason" enum.`;
      respond(response, 400, { errors: [{ message, extensions: { code: 'invalid_parameter' } }] });
      return true;
    };
    await world.once();
    const told = world.service.reports.flatMap((report) => report.gaps);
    expect(told.length).toBeGreaterThan(0);
    expect(told.every(({ reason }) => reason === 'UNREADABLE')).toBe(true);
    expect(told.map(({ gapId }) => gapId)).toEqual(expect.arrayContaining(refused));
    expect(world.statusOf()?.gaps.pending).toBe(0);
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
      send: async () => ({ kind: 'receipt' as const, accepted: 0, duplicates: 0, rejected: [rejected] }),
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

  it('do not include those that the service did not look at: they are sent again in further requests', async () => {
    const sent: (readonly string[])[] = [];
    const sender = {
      send: async (events: QueuedEvents) => {
        const jsons = jsonsOf(events);
        sent.push(jsons);
        const rejected = [{ index: 1, code: 'x', message: 'y' }].slice(0, jsons.length - 1);
        const rest = jsons.length > 2 ? { rest: 2 } : {};
        return { kind: 'receipt' as const, accepted: 1, duplicates: 0, rejected, ...rest };
      },
    };
    const path = `${world.dataDir}/rejected/Payroll.ndjson`;
    const publisher = new Publisher(sender, new DeadLetters(path), { eventsMax: 10, bytesMax: 100 });
    const events = ['{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}'];
    const { problem, refusals } = await publisher.publish(queued(...events), new AbortController().signal);
    expect([problem, [...refusals.keys()]]).toEqual([null, [1, 3]]);
    expect(sent).toEqual([events, events.slice(2), events.slice(4)]);
    expect(world.deadLetters().map(({ event }) => event)).toEqual([{ n: 1 }, { n: 3 }]);
    expect(publisher.tally).toEqual({ accepted: 3, duplicates: 0, rejected: 2 });
  });

  it('include one that is larger than any request', async () => {
    const sender = { send: jest.fn() };
    const path = `${world.dataDir}/rejected/Payroll.ndjson`;
    const publisher = new Publisher(sender, new DeadLetters(path), { eventsMax: 10, bytesMax: 10 });
    const event = `{}${' '.repeat(LIMITS.ingestBodyBytesMax)}`;
    const { problem, refusals } = await publisher.publish(queued(event), new AbortController().signal);
    expect([problem, refusals.get(0)?.code]).toEqual([null, 'payload_too_large']);
    expect(sender.send).not.toHaveBeenCalled();
    expect(world.deadLetters()).toEqual([expect.objectContaining({ code: 'payload_too_large', event: {} })]);
  });
});
