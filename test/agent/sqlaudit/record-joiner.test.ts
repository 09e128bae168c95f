import type { AuditPart } from '../../../agent/sqlaudit/audit-record';
import { JOIN_LIMITS, RecordJoiner } from '../../../agent/sqlaudit/record-joiner';
import type { AuditRecord } from '../../../src/event/audit-record';
import { FILE_GUID, partsOf, splitRow } from './support/parts';
import type { Row } from './support/sqlaudit-writer';

const FULL = 'x'.repeat(4000);
const base: Row = {
  event_time: '2025-04-15T09:00:00.1234567Z',
  action_id: 'SL',
  session_id: 51,
  sequence_group_id: '0e9f1367-3400-4f83-8987-bb77e98620eb',
  class_type: 'U',
  object_id: 1004,
  sequence_number: 1,
};
const head = { ...base, statement: FULL };
const tail = { ...base, statement: 'end', sequence_number: 2 };

/** The records that come out when a part goes in. */
const taken = (part: AuditPart, joiner: RecordJoiner): AuditRecord[] => [
  ...joiner.push(part),
  ...joiner.relieve(),
];
/** The records that come out at each part, then at the flush. */
function join(rows: readonly Row[], joiner = new RecordJoiner()): AuditRecord[][] {
  return [...partsOf(rows).map((part) => taken(part, joiner)), joiner.flush()];
}
const shapes = (steps: AuditRecord[][]) =>
  steps.map((records) => records.map((r) => [r.statement?.replace(FULL, 'FULL') ?? null, r.parts, r.index]));

describe('RecordJoiner', () => {
  it('returns a record at once if it is not split', () => {
    expect(
      shapes(
        join([
          { ...base, statement: 'a' },
          { ...base, statement: 'b' },
        ]),
      ),
    ).toEqual([[['a', 1, 0]], [['b', 1, 1]], []]);
  });

  it('joins two parts under the identity of the first', () => {
    expect(shapes(join([head, tail]))).toEqual([[], [['FULLend', 2, 0]], []]);
  });

  it('joins further parts as long as each part is full', () => {
    const rows = [head, { ...head, sequence_number: 2 }, { ...tail, sequence_number: 3 }];
    expect(shapes(join(rows))).toEqual([[], [], [[`FULL${FULL}end`, 3, 0]], []]);
  });

  it('holds a text of exactly 4000 units until the session continues, or the caller stops waiting', () => {
    expect(shapes(join([head, { ...base, statement: 'next' }]))).toEqual([
      [],
      [
        ['FULL', 1, 0],
        ['next', 1, 1],
      ],
      [],
    ]);
    expect(shapes(join([head]))).toEqual([[], [['FULL', 1, 0]]]);
    expect(shapes(join([{ ...base, statement: FULL.slice(1) }]))).toEqual([
      [[[FULL.slice(1), 1, 0]]].flat(),
      [],
    ]);
  });

  it('keeps sessions apart, and returns records in the order of their last parts', () => {
    const other = { session_id: 52 };
    const steps = join([head, { ...head, ...other }, { ...tail, ...other, statement: '52' }, tail]);
    expect(shapes(steps)).toEqual([[], [], [['FULL52', 2, 1]], [['FULLend', 2, 0]], []]);
  });

  it('returns a later part of an unknown record as a record of its own', () => {
    const [records = []] = join([{ ...tail, sequence_number: 3 }]);
    expect(records).toMatchObject([{ statement: 'end', parts: 1, additional: { sequenceNumber: 3 } }]);
  });

  it('does not join a part of another record of the session', () => {
    const steps = join([head, { ...tail, object_id: 7 }, tail]);
    expect(shapes(steps)).toEqual([[], [['end', 1, 1]], [['FULLend', 2, 0]], []]);
  });

  it.each(['event_time', 'action_id', 'sequence_group_id', 'class_type', 'object_id'])(
    'distinguishes records by %s',
    (c) => {
      const other: Row = {
        event_time: '2025-04-15T09:00:00.1234568Z',
        action_id: 'IN',
        sequence_group_id: '0e9f1367-3400-4f83-8987-bb77e98620ec',
        class_type: 'V',
        object_id: 9,
      };
      expect(shapes(join([head, { ...tail, [c]: other[c] ?? '' }]))).toEqual([
        [],
        [['end', 1, 1]],
        [['FULL', 1, 0]],
      ]);
    },
  );

  it('after a missing part returns what was joined, then the rest', () => {
    const steps = join([head, { ...tail, sequence_number: 3 }]);
    expect(shapes(steps)).toEqual([
      [],
      [
        ['FULL', 1, 0],
        ['end', 1, 1],
      ],
      [],
    ]);
    expect(steps[1]?.[1]?.additional.sequenceNumber).toBe(3);
  });

  it('loses no part that follows a first part that seemed complete', () => {
    const steps = join([{ ...base, statement: 'short' }, tail]);
    expect(shapes(steps)).toEqual([[['short', 1, 0]], [['end', 1, 1]], []]);
    expect(steps[1]?.[0]?.additional.sequenceNumber).toBe(2);
  });

  it('joins the additional information as it joins the statement', () => {
    const information = `<a>${'y'.repeat(9000)}</a>`;
    const [record] = join(splitRow({ ...base, statement: 's', additional_information: information })).flat();
    expect(record).toMatchObject({
      statement: 's',
      parts: 3,
      additional: { additionalInformation: information },
    });
  });

  it('does not repeat a short column that every part holds', () => {
    const information = '<action_info/>';
    const rows = splitRow({ ...base, statement: `${FULL}${FULL}end` });
    const [record] = join(rows.map((row) => ({ ...row, additional_information: information }))).flat();
    expect(record?.additional.additionalInformation).toBe(information);
    expect(record?.statement).toBe(`${FULL}${FULL}end`);
  });

  it('joins the halves of a surrogate pair that was split between two parts', () => {
    const statement = `${FULL.slice(1)}😀 end`;
    const rows = splitRow({ ...base, statement });
    expect(rows.map((row) => String(row.statement).isWellFormed())).toEqual([false, false]);
    expect(join(rows).flat()).toMatchObject([{ statement, parts: 2 }]);
  });

  it('leaves half a surrogate pair as it is if no part follows', () => {
    const statement = `${FULL.slice(1)}\ud83d`;
    expect(join([{ ...base, statement }]).flat()).toMatchObject([{ statement }]);
  });

  it('shows where the oldest waiting record begins', () => {
    const joiner = new RecordJoiner();
    const [first, second, end] = partsOf([head, { ...head, session_id: 52 }, tail]);
    if (!first || !second || !end) throw new Error('three parts');
    expect(joiner.oldest()).toBeNull();
    joiner.push(first);
    joiner.push(second);
    expect(joiner.oldest()).toEqual({ fileGuid: FILE_GUID, blockOffset: 6144, index: 0 });
    joiner.push(end);
    expect(joiner.oldest()).toEqual({ fileGuid: FILE_GUID, blockOffset: 6144, index: 1 });
    joiner.flush();
    expect(joiner.oldest()).toBeNull();
  });

  it.each([
    ['too many records', { ...JOIN_LIMITS, recordsMax: 2 }],
    ['too much text', { ...JOIN_LIMITS, textBytesMax: 16_000 }],
  ])('returns the oldest record incomplete when %s wait', (_, limits) => {
    const rows = [51, 52, 53].map((session_id) => ({ ...head, session_id }));
    const steps = shapes(join(rows, new RecordJoiner(limits)));
    expect(steps).toEqual([
      [],
      [],
      [['FULL', 1, 0]],
      [
        ['FULL', 1, 1],
        ['FULL', 1, 2],
      ],
    ]);
  });

  it('returns a record incomplete once too many parts of other sessions have come since its last one', () => {
    const joiner = new RecordJoiner({ ...JOIN_LIMITS, partsBetweenMax: 2 });
    const other = { ...base, session_id: 52, statement: 'o' };
    const rows = [head, other, other, { ...head, sequence_number: 2 }, other, other, other, other];
    const steps = shapes(join(rows, joiner)).map((records) => records.filter(([text]) => text !== 'o'));
    expect(steps).toEqual([[], [], [], [], [], [], [[`FULL${FULL}`, 2, 0]], [], []]);
  });

  it('counts the waiting bytes exactly, however many records were joined or returned incomplete before', () => {
    const limits = { ...JOIN_LIMITS, textBytesMax: 24_000 };
    const joiner = new RecordJoiner(limits);
    // The limit allows 24,000 bytes: the third part of 8,000 fits only if those of earlier records were subtracted.
    const whole = [head, { ...head, sequence_number: 2 }, { ...tail, sequence_number: 3 }];
    const story: Row[][] = [
      whole,
      [head, { ...tail, sequence_number: 3 }],
      [head, { ...base, statement: 'b' }],
    ];
    for (let round = 0; round < 50; round++) {
      const session_id = 100 + round;
      for (const rows of story) {
        const joined = partsOf(rows.map((row) => ({ ...row, session_id }))).map((part) =>
          taken(part, joiner),
        );
        // Nothing comes out before its last part.
        expect(joined.slice(0, -1).flat()).toEqual([]);
        expect(joined.flat()).toHaveLength(rows === whole ? 1 : 2);
      }
      const [alone] = partsOf([{ ...head, session_id }]);
      expect(alone && taken(alone, joiner)).toEqual([]);
      expect(joiner.flush()).toHaveLength(1);
    }
    // The joiner now behaves like a new one: three parts of 8,000 bytes fit, and the fourth displaces the first.
    const rows = [1, 2, 3, 4].map((session_id) => ({ ...head, session_id }));
    expect(partsOf(rows).map((part) => taken(part, joiner).length)).toEqual([0, 0, 0, 1]);
    expect(joiner.flush()).toHaveLength(3);
  });
});
