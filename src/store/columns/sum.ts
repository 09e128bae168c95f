import type { NumberField } from '../../event/fields';
import { exactInteger } from '../../event/lifted';
import { withExpression } from '../../event/query';
import { countAllCodes, countCodes, plus } from './codec';
import type { ColumnCounter } from './counter';
import type { Block } from './hour-blocks';

export interface NumberSum {
  readonly sum: number | bigint;
  /** The events that state a number above zero. */
  readonly events: number;
}

/** The exact sum of a field's numbers above zero, without the times and other values of the events. */
export async function sumByColumns(counter: ColumnCounter, field: NumberField): Promise<NumberSum> {
  let sum: number | bigint = 0;
  let events = 0;
  const add = (value: number | bigint, n: number) => {
    if (n === 0 || value <= 0) return;
    events += n;
    const product = Number(value) * n;
    sum = plus(sum, Number.isSafeInteger(product) ? product : BigInt(value) * BigInt(n));
  };
  // Different numbers would be more groups than files count at once.
  const above = counter.with(withExpression(`${field}:(1 TO *)`, counter.filter));
  for (const tenantId of counter.tenants) {
    const hours = await counter.tenantHours(tenantId);
    const unread = await hours.visit({ fields: [field], hasTimes: false }, (block) =>
      addBlock(block, field, add),
    );
    const read = await above.readGroups(tenantId, unread, { windowMs: null, fields: [], sumOf: field });
    for (const row of read) {
      events += Number(row.n);
      sum = plus(sum, exactInteger(String(row.sum ?? 0)));
    }
  }
  return { sum, events };
}

function addBlock(
  { columns, places }: Block,
  field: NumberField,
  add: (value: number | bigint, n: number) => void,
): void {
  const numbers = columns.numbers(field);
  if (!numbers) throw new Error(`an hour without the column ${field} was taken for one with it`);
  const counts = new Int32Array(numbers.values.length);
  if (places) countCodes(numbers, places, counts);
  else countAllCodes(numbers, columns.n, counts);
  for (const [code, value] of numbers.values.entries())
    if (value !== null) add(value, counts[code] as number);
}
