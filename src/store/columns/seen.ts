import type { ColumnField } from './column-fields';
import type { ColumnCounter } from './counter';
import { valueNumbersStatement } from './statements';

/** Hours of one statement. */
const HOURS_AT_ONCE = 360;

/**
 * The values of fields that the events of whole hours have, each once, without the absent value. An hour names its values
 * before its events, so the events are not looked at.
 * @param counter of all events of whole hours
 * @throws DomainError where hours have no columns, and have too many events to read
 */
export async function seenValues<F extends ColumnField>(
  counter: ColumnCounter,
  fields: readonly F[],
): Promise<ReadonlyMap<F, ReadonlySet<string>>> {
  const seen = new Map<F, Set<string>>(fields.map((field) => [field, new Set()]));
  for (const tenantId of counter.tenants) {
    const hours = await counter.tenantHours(tenantId);
    const { with: known, without } = hours.byColumns;
    const unread = new Set(without);
    for (const [field, values] of seen) {
      const ids = new Set<number>();
      for (let at = 0; at < known.length; at += HOURS_AT_ONCE) {
        const some = known.slice(at, at + HOURS_AT_ONCE);
        for (const { id, hour } of await counter.ask(valueNumbersStatement(tenantId, some, field)))
          if (hour === null) ids.add(Number(id));
          else unread.add(Number(hour));
        await counter.clock.take();
      }
      const name = await counter.once.namesOf(tenantId, field, ids);
      for (const id of ids) values.add(name(id));
    }
    // Each field by itself: together they have more groups than files count at once.
    const read = await counter.readTally(tenantId, [...unread], {
      windowMs: null,
      fields,
      hasOutcomes: false,
    });
    for (const [field, values] of seen)
      for (const value of read.values.get(field)?.keys() ?? []) values.add(value);
  }
  for (const values of seen.values()) values.delete('');
  return seen;
}
