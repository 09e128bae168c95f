import { idBytes } from '../../../src/event/record-id';
import { erasuresIn } from '../../../src/modules/evidence/verify/erasures';
import { RecordIndex } from '../../../src/modules/evidence/verify/record-index';
import {
  type Erasure,
  erasureLeaf,
  erasureText,
  parseErasure,
  rangesOf,
} from '../../../src/store/log/evidence/erasure-entry';
import { ERASED_ID, isOfNoEvent } from '../../../src/store/log/evidence/own-entry';

const ERASURE: Erasure = {
  erasureId: '01a216ea-69a9-7c2f-bec2-660a612ce7ae',
  tenantId: '7',
  at: '2026-01-05T08:00:00.123Z',
  erasedBy: 'Ana',
  reason: 'request 12',
  events: 3,
  entries: [
    [2, 4],
    [9, 10],
  ],
};
const TEXT = erasureText(ERASURE);

describe('the entry of an erasure', () => {
  it('is a list that can be read again, and nothing else is', () => {
    expect(parseErasure(TEXT)).toEqual(ERASURE);
    const others = [
      ...[
        '',
        'null',
        '[]',
        '{"erasure":1}',
        TEXT.replace('erasure', 'event'),
        TEXT.replace('[2,4]', '[4,4]'),
      ],
      ...[
        TEXT.replace('[9,10]', '[3,10]'),
        TEXT.replace('[9,10]', '[9,"10"]'),
        TEXT.replace('-7c2f-', '-8c2f-'),
      ],
      ...[TEXT.replace(',3,', ',-3,'), `${TEXT.slice(0, -1)},1]`],
    ];
    for (const other of others) expect(parseErasure(other)).toBeNull();
  });

  it('has the ranges of sorted indexes', () => {
    expect(rangesOf([])).toEqual([]);
    expect(rangesOf([2, 3, 9])).toEqual(ERASURE.entries);
  });

  it.each([
    ['is in the log behind what it names', { place: 10, size: 11 }, 1],
    ['is not signed yet', { place: 10, size: 10 }, 0],
    ['names what came after it', { place: 9, size: 11 }, 0],
  ])('counts if it %s', (_, { place, size }, count) => {
    const placesOf = (id: string) => (id === ERASURE.erasureId ? [{ place, hash: erasureLeaf(TEXT) }] : []);
    expect(erasuresIn('7', [TEXT, 'x'], size, placesOf)).toHaveLength(count);
  });

  it('does not count with another text than its entry, or for another tenant', () => {
    const placesOf = () => [{ place: 10, hash: erasureLeaf(TEXT) }];
    expect(erasuresIn('7', [TEXT.replace('[2,4]', '[2,5]')], 11, placesOf)).toEqual([]);
    expect(erasuresIn('8', [TEXT], 11, placesOf)).toEqual([]);
  });

  it('is told from events by its id, as is what was erased', () => {
    const event = idBytes('019638ac-eaee-8246-a524-3f486ad33b01');
    const ids = Buffer.concat([event, idBytes(ERASURE.erasureId), ERASED_ID]);
    expect([0, 16, 32].map((at) => isOfNoEvent(ids, at))).toEqual([false, true, true]);
  });

  it('leaves ids of zero out of the index of records, so that many of them take no time', () => {
    const ids = Buffer.alloc(16 * 200_000);
    idBytes(ERASURE.erasureId).copy(ids, 16 * 199_999);
    const index = new RecordIndex(ids, []);
    expect(index.find(ERASED_ID)).toEqual([]);
    expect(index.find(idBytes(ERASURE.erasureId))).toEqual([199_999]);
  });
});
