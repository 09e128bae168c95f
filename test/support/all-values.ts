import { type AnyField, FIELD_NAMES, LIFTED_NAMES } from '../../src/event/fields';
import type { BeginExport, BeginValues } from '../../src/modules/export/export-events';
import { fieldValue } from '../../src/modules/reports/tally';
import { type EventValues, readerOf } from '../../src/store/rows/event-values';

const FIELDS: readonly AnyField[] = [...FIELD_NAMES, ...LIFTED_NAMES];
const valuesOf = (event: Parameters<typeof fieldValue>[0]) => FIELDS.map((field) => fieldValue(event, field));

/** The number of events that an export states, their record ids, and their values. */
export async function exported(begin: BeginExport, request: Parameters<BeginExport>[0]) {
  const running = await begin(request);
  const [ids, values]: [string[], unknown[]] = [[], []];
  for await (const events of running.batches) {
    ids.push(...events.map(({ recordId }) => recordId));
    values.push(...events.map(valuesOf));
  }
  await running.end();
  return { totalCount: running.totalCount, ids, values };
}

/** The values of all fields, as an export of values gives them. */
export async function exportedValues(begin: BeginValues, request: Parameters<BeginValues>[0]) {
  const running = await begin(request, FIELDS);
  const read = readerOf(FIELDS);
  const values: unknown[] = [];
  for await (const batch of running.batches) {
    const events = read(batch satisfies EventValues);
    if (events.length !== batch.length) throw new Error(`${events.length} events are not ${batch.length}`);
    values.push(...events.map(valuesOf));
  }
  await running.end();
  return values;
}
