import { LIMITS } from '../../src/limits';
import { CursorSeal, filterHash, markOf, type TailPlace } from '../../src/modules/tail/cursor';
import type { EpochState } from '../../src/store/log/epoch/epoch';
import { TEST_EPOCH, testEpoch } from '../support/epoch';

const PLACE: TailPlace = {
  positions: new Map([[7, 300]]),
  turn: 7,
  filter: Buffer.alloc(12, 5),
  epoch: TEST_EPOCH.epoch,
  mark: null,
};

const FORMER_KEY = Buffer.alloc(32, 1);
const OTHER_KEY = Buffer.alloc(32, 2);

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

  it('keeps the mark of the entries before its places, which differs with each of them', () => {
    const marks = [
      [],
      [[7, 'aa']],
      [[7, 'ab']],
      [[8, 'aa']],
      [
        [7, 'aa'],
        [8, 'aa'],
      ],
    ].map((entries) => markOf(new Map(entries as [number, string][])));
    expect(new Set(marks).size).toBe(marks.length);
    expect(
      markOf(
        new Map([
          [8, 'aa'],
          [7, 'aa'],
        ]),
      ),
    ).toBe(marks[4]);
    for (const mark of marks) {
      const positions = new Map([
        [7, 300],
        [9, 2 ** 40],
      ]);
      expect(seal.open(seal.seal({ ...PLACE, positions, mark }))).toEqual({ ...PLACE, positions, mark });
    }
  });

  it('is in the former form while instances of a release before may be at work, and in ours afterwards', () => {
    const beganMs = TEST_EPOCH.beganAt.getTime();
    const at = (nowMs: number, state: Partial<EpochState>, keys = [FORMER_KEY]) => {
      const epoch = { ...testEpoch(), state: { ...TEST_EPOCH, ...state } } as never;
      const text = new CursorSeal({ epoch, formerKeys: keys, nowMs: () => nowMs }).seal(PLACE);
      const reader = new CursorSeal({ epoch, formerKeys: [OTHER_KEY, FORMER_KEY], nowMs: () => nowMs });
      return [Buffer.from(text, 'base64url')[0], reader.open(text)];
    };
    const [former, ours] = [
      [1, { ...PLACE, epoch: '' }],
      [2, PLACE],
    ];
    const last = beganMs + LIMITS.cursorBridgeMs - 1;
    expect(at(last, { isBridged: true })).toEqual(former);
    expect(at(last + 1, { isBridged: true })).toEqual(ours);
    expect(at(beganMs, { isBridged: false })).toEqual(ours);
    expect(at(beganMs, { isBridged: true }, [])).toEqual(ours);
  });

  it('in the former form is refused once the log is another one, and if nobody knows its key', () => {
    const bridged = { ...testEpoch(), state: { ...TEST_EPOCH, isBridged: true } } as never;
    const nowMs = () => TEST_EPOCH.beganAt.getTime();
    const text = new CursorSeal({ epoch: bridged, formerKeys: [FORMER_KEY], nowMs }).seal({
      ...PLACE,
      epoch: '',
    });
    const without = new CursorSeal({ epoch: bridged, formerKeys: [OTHER_KEY], nowMs });
    expect(() => without.open(text)).toThrow(expect.objectContaining({ code: 'invalid_parameter' }));
    const later = new CursorSeal({ epoch: testEpoch(), formerKeys: [FORMER_KEY], nowMs });
    expect(() => later.open(text)).toThrow(expect.objectContaining({ code: 'cursor_of_earlier_log' }));
  });

  it('goes on with the same filters in any order, and with the same time in other words', () => {
    const hash = (filters: object) => filterHash(filters as never).toString('hex');
    const utc = { startTime: '2026-01-05T08:00:00Z', actionId: 'SL' };
    const same = { actionId: 'SL', startTime: '2026-01-05T10:00:00.000+02:00' };
    expect(hash(same)).toBe(hash(utc));
    for (const other of [{ ...utc, startTime: '2026-01-05T08:00:00.001Z' }, { ...utc, actionId: 'sl' }, {}])
      expect(hash(other)).not.toBe(hash(utc));
  });

  it('is refused, as one of an earlier log, once another epoch has begun', () => {
    const text = seal.seal(PLACE);
    const epoch = { ...testEpoch(), state: { ...TEST_EPOCH, epoch: 'f'.repeat(16) } } as never;
    const later = new CursorSeal({ epoch, formerKeys: [], nowMs: Date.now });
    for (const use of [() => later.open(text), () => later.seal(PLACE)])
      expect(use).toThrow(expect.objectContaining({ code: 'cursor_of_earlier_log' }));
  });
});
