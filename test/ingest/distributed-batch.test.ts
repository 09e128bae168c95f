import type { ServiceSteps, Step } from '../../src/database/clients';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { DistributedRows } from '../../src/modules/ingest/distributed-batch';
import type { Sealed } from '../../src/modules/ingest/sealed-duplicates';
import { EventBytes } from '../../src/store/bytes/event-bytes';
import { COUNTED } from '../../src/store/counts/dimensions';
import { LEAF_BYTES, type SealedBatch } from '../../src/store/log/evidence/batch-seal';
import { fakeService } from '../support/doors';
import { anEvent } from '../support/events';

const TENANT = 7;
const NOW = Date.parse('2026-01-06T00:00:00Z');
const checked = (change: object) => {
  const result = checkEvent(TENANT, anEvent(change), NOW);
  if ('rejection' in result) throw new Error(result.rejection.message);
  return result.event;
};
/** The place of the accepted ids among the values of the log. */
const IDS = 3;

/** Stores events as on a cluster. @returns the number of new events, and the values of each statement but the first */
async function store(
  events: readonly ReturnType<typeof checked>[],
  stored: (ids: readonly string[]) => readonly string[],
  sealed: Sealed | null = null,
) {
  const sent: { text: string; values: readonly unknown[] }[] = [];
  const ids = events.map(({ recordId }) => recordId);
  const step = (async (text: string, values: readonly unknown[]) => {
    sent.push({ text, values });
    if (text.includes('INSERT INTO audit_event')) return stored(ids).map((record_id) => ({ record_id }));
    return [{ tenant_id: TENANT }];
  }) as Step;
  const steps: ServiceSteps = (tenants, work) => {
    expect(tenants).toEqual([TENANT]);
    return work(step);
  };
  const rows = new DistributedRows(fakeService({ steps }), TENANT, false);
  const bytes = new EventBytes();
  for (const event of events) rows.add(bytes.of(event));
  const seal = {
    batchId: 'batch',
    leaves: Buffer.alloc(LEAF_BYTES * events.length),
    keyId: 'key',
    mac: null,
  } as unknown as SealedBatch;
  const accepted = await rows.ready(seal, null)(sealed);
  const inserted = sent.find(({ text }) => text.includes('INSERT INTO audit_event'))?.values;
  const counted = sent.find(({ text }) => text.includes('INSERT INTO audit_delta'))?.values as
    | readonly (readonly unknown[])[]
    | undefined;
  const logged = sent.find(({ text }) => text.includes('INSERT INTO audit_log_queue'))?.values;
  const marked = sent.find(({ text }) => text.includes('INSERT INTO audit_clock'))?.values;
  const [n, ok] = counted ? counted.slice(2 + COUNTED.length) : [];
  return { accepted, n, ok, hours: counted?.[1], logged, marked, inserted, statements: sent.length };
}

describe('a batch on a cluster', () => {
  const [a, b] = [{ blockOffset: 512 }, { blockOffset: 1_024 }].map((place) =>
    checked({
      ...place,
      fileGuid: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f',
      eventTime: '2026-01-05T08:00:00Z',
    }),
  ) as [ReturnType<typeof checked>, ReturnType<typeof checked>];

  it('counts a record that occurs twice in it once', async () => {
    const { accepted, n, ok } = await store([a, b, a, b, a], (ids) => [...new Set(ids)]);
    expect([accepted, n, ok]).toEqual([2, [2], [2]]);
  });

  it('counts the new records alone where some were stored before', async () => {
    const { accepted, n } = await store([a, b, b], () => [b.recordId]);
    expect([accepted, n]).toEqual([1, [1]]);
  });

  it('counts by hour and value, and how many succeeded', async () => {
    const failed = checked({ succeeded: false, eventTime: '2026-01-05T08:59:59.9999999Z' });
    const later = checked({ eventTime: '2026-01-05T09:00:00Z' });
    const { n, ok, hours } = await store([a, failed, later, checked({ actionId: 'UP' })], (ids) => ids);
    const hour = Date.parse('2026-01-05T08:00:00Z') / 3_600_000;
    expect([n, ok, hours]).toEqual([
      [1 + 1, 1, 1],
      [1, 1, 1],
      [hour, hour + 1, hour],
    ]);
  });

  it('names in the log the records that are new, unless all are', async () => {
    const some = await store([a, b], () => [b.recordId]);
    expect(some.logged?.slice(IDS, IDS + 2)).toEqual([[b.recordId], 1]);
    const all = await store([a, b], (ids) => ids);
    expect(all.logged?.slice(IDS, IDS + 2)).toEqual([null, 2]);
  });

  it('has no row of a record that lies in a file, and is not stored once other weeks lie in files', async () => {
    const alone = await store([b], (ids) => ids);
    const sealed = { generation: 0n, known: new Set([a.recordId]) };
    const { accepted, n, logged, inserted } = await store([a, b, a], () => [b.recordId], sealed);
    expect([accepted, n, logged?.slice(IDS, IDS + 2)]).toEqual([1, [1], [[b.recordId], 1]]);
    expect(inserted).toEqual(alone.inserted);
    const later = await store([a, b], (ids) => ids, { ...sealed, generation: 1n });
    expect([later.accepted, later.inserted, later.n]).toEqual([null, undefined, undefined]);
  });

  it('notes of the events with a mark those that are new', async () => {
    const [known, fresh] = [512, 1_024].map((blockOffset) =>
      checked({ blockOffset, eventTime: '1980-01-05T08:00:00Z' }),
    ) as [ReturnType<typeof checked>, ReturnType<typeof checked>];
    const { marked } = await store([known, fresh, a, fresh], () => [fresh.recordId, a.recordId]);
    expect(marked).toEqual([TENANT, [fresh.recordId]]);
    expect((await store([known, a], () => [a.recordId])).marked).toBeUndefined();
  });

  it('neither counts nor logs anything if all records were stored before', async () => {
    const { accepted, n, logged, statements } = await store([a, b], () => []);
    // The second statement looks whether the tenant exists.
    expect([accepted, n, logged, statements]).toEqual([0, undefined, undefined, 2]);
  });
});
