import type { JsonScalar } from '../../src/event/audit-record';
import { columnValue } from './column-reader';
import { type DecodedEvent, eventTimeText } from './event';
import { withoutPasswordHash } from './password-hash';

/** An event of any kind as `decode --raw` prints it. */
export interface RawEvent {
  readonly name: string;
  /** UTC, seven decimals. */
  readonly timestamp: string;
  readonly fields: { readonly [column: string]: JsonScalar };
  readonly actions: { readonly [action: string]: JsonScalar };
}

/** All values of an event, under the names in the file. 64-bit numbers become text, and binary values become `0x…`. */
export function toRawEvent(event: DecodedEvent): RawEvent {
  const { type, block } = event;
  const fields: { [column: string]: JsonScalar } = {};
  for (const column of type.columns) fields[column.name] = columnValue(column, event);
  const secret = fields.additional_information;
  if (typeof secret === 'string') {
    const isFragment = Number(fields.sequence_number) > 1;
    fields.additional_information = withoutPasswordHash(secret, { isFragment });
  }
  const actions: { [action: string]: JsonScalar } = {};
  for (const { type: action, start, end } of event.actions) {
    actions[action.name] = action.read(block, start, end);
  }
  return { name: type.name, timestamp: eventTimeText(event), fields, actions };
}
