import { CursorSeal, type TailPlace } from '../../src/modules/tail/cursor';
import { TEST_EPOCH, testEpoch } from '../support/epoch';

const PLACE: TailPlace = {
  positions: new Map([[7, 300]]),
  turn: 7,
  filter: Buffer.alloc(12, 5),
  epoch: TEST_EPOCH.epoch,
};

describe('a cursor', () => {
  const seal = new CursorSeal({ epoch: testEpoch(), formerKeys: [], nowMs: Date.now });

  it('is opened as it was sealed, and as no other text', () => {
    const text = seal.seal(PLACE);
    expect(seal.open(text)).toEqual(PLACE);
    const last = text.charCodeAt(text.length - 1);
    const others = [`${text}=`, ` ${text}`, `${text}\n`, text.slice(0, -1), text.toUpperCase(), '', 'x'];
    // A last character with other bits that no byte needs.
    for (let change = 1; change < 4; change++)
      others.push(text.slice(0, -1) + String.fromCharCode(last + change));
    for (const other of others)
      expect(() => seal.open(other)).toThrow(expect.objectContaining({ code: 'invalid_parameter' }));
  });

  it('is refused, as one of an earlier log, once another epoch has begun', () => {
    const text = seal.seal(PLACE);
    const epoch = { ...testEpoch(), state: { ...TEST_EPOCH, epoch: 'f'.repeat(16) } } as never;
    const later = new CursorSeal({ epoch, formerKeys: [], nowMs: Date.now });
    for (const use of [() => later.open(text), () => later.seal(PLACE)])
      expect(use).toThrow(expect.objectContaining({ code: 'cursor_of_earlier_log' }));
  });
});
