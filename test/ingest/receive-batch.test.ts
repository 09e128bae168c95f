import { DomainError } from '../../src/errors';
import { LIMITS } from '../../src/limits';
import { intakeFor, parseBatch, receiveBatch } from '../../src/modules/ingest/receive-batch';
import type { AuditEventWriter } from '../../src/modules/ingest/stored-writer';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import type { EventBytes } from '../../src/store/bytes/event-bytes';
import { anEvent } from '../support/events';

const NOW = Date.parse('2026-01-06T00:00:00Z');

/** Stores ids in memory, each exactly once, as the port promises. */
class FakeWriter implements AuditEventWriter {
  readonly inserts: { tenantId: number; events: readonly CheckedEvent[] }[] = [];
  readonly #ids = new Set<string>();

  open(tenantId: number) {
    const events: CheckedEvent[] = [];
    return {
      add: (event: EventBytes) => void events.push(event.checked()),
      store: async () => {
        this.inserts.push({ tenantId, events });
        const before = this.#ids.size;
        for (const event of events) this.#ids.add(event.recordId);
        return this.#ids.size - before;
      },
    };
  }
}

describe('a batch', () => {
  it('is answered with every event in one of accepted, duplicates and rejected', async () => {
    const writer = new FakeWriter();
    const [a, b] = [anEvent(), anEvent()];
    const receipt = await receiveBatch(
      1,
      { events: [a, 'nonsense', b, a, { ...b, eventTime: 'x' }] },
      writer,
      NOW,
    );
    expect(receipt).toMatchObject({ accepted: 2, duplicates: 1 });
    expect(receipt.rejected.map(({ index, code }) => [index, code])).toEqual([
      [1, 'invalid_event'],
      [4, 'invalid_event'],
    ]);
    expect(writer.inserts[0]?.events).toHaveLength(3);
  });

  it('loses only its bad events, and names each by its index in the batch', async () => {
    const writer = new FakeWriter();
    const events = [anEvent({ actionId: '' }), anEvent({ eventTime: '1989-01-01T00:00:00Z' }), anEvent()];
    const receipt = await receiveBatch(1, { events }, writer, NOW);
    expect(receipt).toMatchObject({ accepted: 2, rejected: [{ index: 0, code: 'invalid_event' }] });
  });

  it('is stored for the tenant of the key, with record ids of that tenant', async () => {
    const [one, two] = [new FakeWriter(), new FakeWriter()];
    const events = [anEvent()];
    await receiveBatch(1, { events }, one, NOW);
    await receiveBatch(2, { events, tenantId: '2' }, two, NOW);
    expect([one.inserts[0]?.tenantId, two.inserts[0]?.tenantId]).toEqual([1, 2]);
    expect(one.inserts[0]?.events[0]?.recordId).not.toBe(two.inserts[0]?.events[0]?.recordId);
  });

  it.each(['2', '01', 'acme', '1 '])(
    'that names tenant %j is refused as a whole for a key of tenant 1',
    async (tenantId) => {
      const writer = new FakeWriter();
      const refused = receiveBatch(1, { tenantId, events: [anEvent()] }, writer, NOW);
      await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
      expect(writer.inserts).toEqual([]);
    },
  );

  it('that was read for one tenant is not stored for another', async () => {
    const writer = new FakeWriter();
    const { check, open } = intakeFor(1, writer, NOW);
    const events = open();
    events.add(check(anEvent()));
    await expect(receiveBatch(2, { events }, writer, NOW)).rejects.toThrow('another tenant');
    expect(writer.inserts).toEqual([]);
  });

  it('without a valid event does not call the database', async () => {
    const writer = new FakeWriter();
    expect(await receiveBatch(1, { events: [] }, writer, NOW)).toEqual({
      accepted: 0,
      duplicates: 0,
      rejected: [],
    });
    await receiveBatch(1, { events: [null] }, writer, NOW);
    expect(writer.inserts).toEqual([]);
  });

  it('that was not stored has no receipt', async () => {
    const failing: AuditEventWriter = {
      open: () => ({ add: () => {}, store: () => Promise.reject(new Error('database lost')) }),
    };
    await expect(receiveBatch(1, { events: [anEvent()] }, failing, NOW)).rejects.toThrow('database lost');
  });
});

describe('the structure of a batch', () => {
  it.each([
    ['no object', 'events', 'batch.events must be a list'],
    ['null', null, 'batch.events must be a list'],
    ['a list', [], 'batch.events must be a list'],
    ['no events', {}, 'batch.events must be a list'],
    ['events that are no list', { events: {} }, 'batch.events must be a list'],
    [
      'too many events',
      { events: Array(LIMITS.ingestBatchEventsMax + 1).fill({}) },
      `at most ${LIMITS.ingestBatchEventsMax}`,
    ],
    ['a tenant id that is no text', { events: [], tenantId: 7 }, 'batch.tenantId must be text'],
    ['an unknown field', { events: [], Tenant: '7' }, 'unknown fields: Tenant'],
  ])('is refused as a whole: %s', (_, given, problem) => {
    expect(() => parseBatch(given)).toThrow(DomainError);
    expect(() => parseBatch(given)).toThrow(problem);
  });

  it('is valid with a list of anything, up to the limit of events in a batch', () => {
    const events = Array(LIMITS.ingestBatchEventsMax).fill(null);
    expect(parseBatch({ events, tenantId: null })).toEqual({ events, tenantId: null });
  });
});
