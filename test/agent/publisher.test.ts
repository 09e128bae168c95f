import fc from 'fast-check';
import { Batcher } from '../../agent/batcher';
import type { Bookmark } from '../../agent/bookmarks/bookmark';
import { wholeFiles } from '../../agent/bookmarks/whole-files';
import { type QueuedEvents, splitIntoRequests } from '../../agent/queued-events';
import type { DeadLetter } from '../../agent/uplink/dead-letters';
import type { FinalAnswer } from '../../agent/uplink/patient-sender';
import { Publisher } from '../../agent/uplink/publisher';
import type { AuditRecord } from '../../src/event/audit-record';
import { LIMITS } from '../../src/limits';
import { jsonsOf, queued } from './support/queued';

const SIGNAL = new AbortController().signal;

describe('the events of a batch', () => {
  let sent: string[][];
  let letters: DeadLetter[];
  const publishing = (
    answer: (jsons: string[]) => FinalAnswer | null,
    limits = { eventsMax: 3, bytesMax: 90 },
  ) => {
    [sent, letters] = [[], []];
    const send = async (events: QueuedEvents): Promise<FinalAnswer> => {
      const jsons = [...jsonsOf(events)];
      sent.push(jsons);
      const all: FinalAnswer = { kind: 'receipt', accepted: jsons.length, duplicates: 0, rejected: [] };
      return answer(jsons) ?? all;
    };
    const append = async (some: readonly DeadLetter[]) => void letters.push(...some);
    return new Publisher({ send }, { append, path: '' } as never, limits);
  };
  const five = queued('"1"', '"2"', '"3"', '"4"', '"5"');

  it('are sent in order, as many in a request as it may have, and counted', async () => {
    const publisher = publishing((jsons) =>
      jsons.includes('"4"') ? { kind: 'receipt', accepted: 0, duplicates: 2, rejected: [] } : null,
    );
    expect(await publisher.publish(five, SIGNAL)).toEqual({ problem: null, refusals: new Map() });
    expect(sent).toEqual([
      ['"1"', '"2"', '"3"'],
      ['"4"', '"5"'],
    ]);
    expect(publisher.tally).toEqual({ accepted: 3, duplicates: 2, rejected: 0 });
  });

  it('are kept as dead letters where the service rejects them, by their places in the batch', async () => {
    const rejected = (index: number) => ({ index, code: `code ${index}`, message: 'why' });
    const publisher = publishing((jsons) => ({
      kind: 'receipt',
      accepted: jsons.length - 1,
      duplicates: 0,
      rejected: [rejected(1)],
    }));
    const { refusals } = await publisher.publish(five, SIGNAL);
    expect([...refusals.keys()]).toEqual([1, 4]);
    expect(letters).toEqual(['"2"', '"5"'].map((json) => ({ code: 'code 1', message: 'why', json })));
    expect(publisher.tally).toEqual({ accepted: 3, duplicates: 0, rejected: 2 });
  });

  it('are sent again from the first one on that the service has not looked at', async () => {
    const publisher = publishing((jsons) =>
      jsons.length === 1
        ? null
        : {
            kind: 'receipt',
            accepted: 1,
            duplicates: 0,
            rejected: jsons.length === 3 ? [{ index: 1, code: 'c', message: 'm' }] : [],
            rest: jsons.length - 1,
          },
    );
    const { refusals } = await publisher.publish(five, SIGNAL);
    expect(sent).toEqual([['"1"', '"2"', '"3"'], ['"3"'], ['"4"', '"5"'], ['"5"']]);
    expect([...refusals.keys()]).toEqual([1]);
    expect(publisher.tally).toEqual({ accepted: 4, duplicates: 0, rejected: 1 });
  });

  it('are halved where the service refuses a request, until the bad one stands alone', async () => {
    const publisher = publishing((jsons) =>
      jsons.includes('"2"') ? { kind: 'unfit', code: 'bad', message: 'why' } : null,
    );
    const { problem, refusals } = await publisher.publish(five, SIGNAL);
    expect(sent).toEqual([['"1"', '"2"', '"3"'], ['"1"', '"2"'], ['"1"'], ['"2"'], ['"3"'], ['"4"', '"5"']]);
    expect([problem, [...refusals]]).toEqual([null, [[1, { code: 'bad', message: 'why' }]]]);
    expect(letters.map(({ json }) => json)).toEqual(['"2"']);
    expect(publisher.tally).toEqual({ accepted: 4, duplicates: 0, rejected: 1 });
  });

  it('are left where the sender gives up, also within a half', async () => {
    const publisher = publishing((jsons) => {
      if (jsons.length === 3) return { kind: 'unfit', code: 'bad', message: 'why' };
      return jsons.includes('"1"') ? { kind: 'gaveUp', message: 'stopped' } : null;
    });
    expect(await publisher.publish(five, SIGNAL)).toEqual({ problem: 'stopped', refusals: new Map() });
    expect(sent).toHaveLength(2);
  });

  it('are not sent where one alone is larger than any request', async () => {
    const large = `"${'x'.repeat(LIMITS.ingestBodyBytesMax)}"`;
    const publisher = publishing(() => null);
    const { refusals } = await publisher.publish(queued('"1"', large, '"3"'), SIGNAL);
    expect(sent).toEqual([['"1"'], ['"3"']]);
    expect([...refusals].map(([at, { code }]) => [at, code])).toEqual([[1, 'payload_too_large']]);
    expect(letters.map(({ json }) => json.length)).toEqual([large.length]);
  });

  it('are in the fewest requests that keep to both bounds, whatever their sizes', () => {
    const sizes = fc.array(fc.integer({ min: 2, max: 40 }), { maxLength: 30 });
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 5, max: 90 }),
        (of, eventsMax, bytesMax) => {
          const events = queued(...of.map((size) => `"${'x'.repeat(size - 2)}"`));
          const groups = splitIntoRequests(events, { eventsMax, bytesMax }).map(jsonsOf);
          expect(groups.flat()).toEqual(jsonsOf(events));
          const bytesOf = (group: readonly string[]) => group.join('').length;
          for (const [i, group] of groups.entries()) {
            expect(group.length).toBeGreaterThan(0);
            expect(group.length <= eventsMax && (group.length === 1 || bytesOf(group) <= bytesMax)).toBe(
              true,
            );
            const [next] = groups[i + 1] ?? [];
            if (next !== undefined)
              expect(group.length === eventsMax || bytesOf([...group, next]) > bytesMax).toBe(true);
          }
        },
      ),
    );
  });

  it('wait for others no longer than the first of them may, also in memory that was used before', () => {
    const batcher = new Batcher({ eventsMax: 9, bytesMax: 150, ageMaxMs: 70 });
    const add = (atMs: number) => batcher.add({ eventTime: '' } as AuditRecord, 'X', atMs);
    for (const at of [1_000, 1_030, 1_060]) add(at);
    expect(batcher.dueAtMs).toBe(1_070);
    const first = batcher.take();
    batcher.reuse(first);
    add(2_000);
    expect([batcher.dueAtMs, batcher.length]).toEqual([2_070, 1]);
    const second = batcher.take();
    expect(second.memory).toBe(first.memory);
    expect(jsonsOf(second)).toHaveLength(1);
  });
});

it('files are named as published whole if nothing can be written to them, the newest of them', () => {
  const whole = { file: 'f', blockOffset: 512, index: 0, endSize: 512 };
  const all = new Map<string, Bookmark>([
    ...Array.from({ length: LIMITS.reportWholeFilesMax + 2 }, (_, n) => [`whole ${n}`, whole] as const),
    ['grows', { ...whole, mayGrow: true as const }],
    ['lost', { ...whole, isLost: true as const }],
    ['seen longer', { ...whole, size: 600 }],
    ['not at its end', { file: 'f', blockOffset: 512, index: 0 }],
    ['in a split record', { ...whole, acknowledged: { blockOffset: 512, index: 0 } }],
  ]);
  const found = wholeFiles({ all: () => all });
  expect(found).toEqual(Array.from({ length: LIMITS.reportWholeFilesMax }, (_, n) => `whole ${n + 2}`));
});
