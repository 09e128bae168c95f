import type { JsonScalar } from '../../src/audit-event/audit-record';
import type { DecodedEvent } from './event';
import { columnValue } from './event-type';
import { filetimeText } from './filetime';
import { withoutPasswordHash } from './password-hash';
import type { Value } from './value-reader';

/** An event of any kind as `decode --raw` prints it. */
export interface RawEvent {
  readonly name: string;
  /** UTC, seven decimals. */
  readonly timestamp: string;
  readonly fields: { readonly [column: string]: JsonScalar };
  readonly actions: { readonly [action: string]: JsonScalar };
}

/** Everything an event states, under the names of the file; 64-bit numbers as text, binary as `0x…`. */
export function toRawEvent(event: DecodedEvent): RawEvent {
  const { type, payload } = event;
  const fields: { [column: string]: JsonScalar } = {};
  for (const column of type.columns) fields[column.name] = toJson(columnValue(column, payload));
  const secret = fields.additional_information;
  if (typeof secret === 'string') {
    const isFragment = Number(fields.sequence_number) > 1;
    fields.additional_information = withoutPasswordHash(secret, { isFragment });
  }
  const actions: { [action: string]: JsonScalar } = {};
  for (const { type: action, bytes } of event.actions) {
    actions[action.name] = toJson(action.read(bytes, 0, bytes.length));
  }
  return { name: type.name, timestamp: filetimeText(event.filetime) ?? '', fields, actions };
}

/** A value as JSON can carry it. */
export const toJson = (value: Value): JsonScalar => (typeof value === 'bigint' ? value.toString() : value);
