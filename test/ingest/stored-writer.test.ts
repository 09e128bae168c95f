import { checkEvent } from '../../src/modules/ingest/check-event';
import { isOfEarlierWeeks } from '../../src/modules/ingest/sealed-duplicates';
import { PostgresAuditEventWriter } from '../../src/modules/ingest/stored-writer';
import { EventBytes } from '../../src/store/bytes/event-bytes';
import type { BatchLeaves } from '../../src/store/log/evidence/batch-seal';
import type { Partitions } from '../../src/store/rows/partitions';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { fakeService } from '../support/doors';
import { anEvent } from '../support/events';

const partitions = { ensureFor: async () => {} } as unknown as Partitions;

it('a batch keeps its bytes until it is stored, whatever other batches come meanwhile', async () => {
  const sent: Buffer[][] = [];
  const ends: (() => void)[] = [];
  const run = (_: string, values: readonly unknown[]) => {
    sent.push(values.filter((value): value is Buffer => Buffer.isBuffer(value)));
    return new Promise<readonly object[]>((resolve) => ends.push(() => resolve([{ n: 1 }])));
  };
  const writer = new PostgresAuditEventWriter(fakeService({ run }), partitions, TEST_CHECKPOINT_KEY);
  const bytes = new EventBytes();
  const store = (objectName: string) => {
    const batch = writer.open(7);
    const checked = checkEvent(7, anEvent({ objectName, eventTime: new Date().toISOString() }), Date.now());
    if ('event' in checked) batch.add(bytes.of(checked.event));
    return batch.store();
  };
  const first = store('Salary');
  await new Promise(setImmediate);
  const before = sent[0]?.map((value) => value.toString('latin1'));
  const second = store('Orders');
  await new Promise(setImmediate);
  expect(sent).toHaveLength(2);
  expect(sent[0]?.map((value) => value.toString('latin1'))).toEqual(before);
  for (const end of ends) end();
  expect(await Promise.all([first, second])).toEqual([1, 1]);
});

it('a batch has events of weeks that may be sealed, wherever they stand in it', () => {
  const [now, old] = [Date.now(), Date.parse('2020-01-06T00:00:00Z')];
  const isOld = (...times: readonly number[]) =>
    isOfEarlierWeeks(fakeService({}), { times: () => times } as unknown as BatchLeaves);
  expect([isOld(old, now), isOld(now, old), isOld(now, now, old, now)]).toEqual([true, true, true]);
  expect([isOld(), isOld(now, now)]).toEqual([false, false]);
});
