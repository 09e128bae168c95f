import fc from 'fast-check';
import type { DecodedEvent } from '../../../agent/sqlaudit/event';
import { ObjectSeries } from '../../../agent/sqlaudit/object-series';
import type { JsonScalar } from '../../../src/event/audit-record';

const NAMES = ['sessionId', 'objectId', 'classType', 'transactionId', 'succeeded'] as const;
const value = fc.constantFrom<JsonScalar>(null, 0, 1, '', 'a', 'b', true, false, 1.5);
const row = fc.tuple(value, value, value, value, value);

it.each(['kept', 'left out'] as const)(
  'the object made of an event depends on no earlier event, with nulls %s',
  (nulls) => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        // A series sees of an event only what it reads.
        let current: readonly JsonScalar[] = [];
        const properties = NAMES.map((name, i) => ({ name, read: () => current[i] ?? null }));
        const series = new ObjectSeries(properties, nulls, nulls === 'kept' ? { parts: 1 } : {});
        const made = rows.map((values) => {
          current = values;
          return series.next({} as DecodedEvent);
        });
        const expected = rows.map((values) => {
          const entries = NAMES.map((name, i): [string, JsonScalar] => [name, values[i] ?? null]);
          const kept = entries.filter(([, v]) => nulls === 'kept' || v !== null);
          return Object.fromEntries(nulls === 'kept' ? [['parts', 1], ...kept] : kept);
        });
        expect(made).toStrictEqual(expected);
        expect(made.map((object) => Object.keys(object))).toEqual(
          expected.map((object) => Object.keys(object)),
        );
      }),
    );
  },
);
