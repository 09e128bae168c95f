import fc from 'fast-check';
import { RecordJoiner } from '../../../agent/sqlaudit/record-joiner';
import { partsOf, splitRow } from './support/parts';

/** A text as unit and length, so that a failure stays readable. The lengths are near those at which texts are split. */
const longText = fc.record({
  unit: fc.string({
    unit: fc.constantFrom('a', 'é', '顧', '😀', '\ud83d', '\ude00'),
    minLength: 1,
    maxLength: 20,
  }),
  length: fc.oneof(
    fc.integer({ min: 1, max: 60 }),
    fc.integer({ min: 3990, max: 4010 }),
    fc.integer({ min: 7995, max: 8005 }),
    fc.integer({ min: 1, max: 13_000 }),
  ),
});
const toText = ({ unit, length }: { unit: string; length: number }) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

const anyRecord = fc.record({
  session_id: fc.integer({ min: 51, max: 54 }),
  object_id: fc.integer({ min: 0, max: 3 }),
  statement: longText,
  additional_information: fc.option(longText, { nil: { unit: 'a', length: 0 } }),
});

/** Merges lists and keeps the order within each, as when sessions write at the same time. */
function interleave<T>(lists: readonly (readonly T[])[], picks: readonly number[]): T[] {
  const queues = lists.map((list) => [...list]);
  const merged: T[] = [];
  for (let i = 0; ; i++) {
    const open = queues.filter((queue) => queue.length > 0);
    const next = open[(picks[i % picks.length] ?? 0) % Math.max(open.length, 1)]?.shift();
    if (next === undefined) return merged;
    merged.push(next);
  }
}

it('records split into parts and interleaved by sessions come back whole, each once', () => {
  const records = fc.array(anyRecord, { minLength: 1, maxLength: 12 });
  const picks = fc.array(fc.nat(7), { minLength: 1, maxLength: 30 });
  const comeBack = fc.property(records, picks, (described, order) => {
    const rows = described.map((record, n) => ({
      ...record,
      statement: toText(record.statement),
      additional_information: toText(record.additional_information),
      transaction_id: n,
    }));
    const sessions = [51, 52, 53, 54].map((id) =>
      rows.filter((row) => row.session_id === id).flatMap((row) => splitRow(row)),
    );
    const joiner = new RecordJoiner();
    const joined = partsOf(interleave(sessions, order)).flatMap((part) => joiner.push(part));
    joined.push(...joiner.flush());
    const seen = new Map(joined.map((record) => [Number(record.additional.transactionId), record]));
    expect(joined).toHaveLength(rows.length);
    for (const row of rows) {
      const record = seen.get(row.transaction_id);
      expect(record?.statement).toBe(row.statement);
      expect(record?.additional.additionalInformation ?? '').toBe(row.additional_information);
      expect(record?.parts).toBe(splitRow(row).length);
    }
  });
  fc.assert(comeBack, { numRuns: 150, seed: 20_250_415 });
});
