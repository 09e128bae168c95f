import { TICKS_PER_MS } from '../../event/event-time';
import type { Expression } from '../../event/expression/expression';
import { matches } from '../../event/expression/matches';
import { parseFilter } from '../../event/expression/parse-filter';
import { type AuditEvent, FIELD_NAMES } from '../../event/fields';
import { FEED_FORMATS, type FeedFormat } from '../../event/formats/formats';
import { recordIdFloor } from '../../event/record-id';
import type { ArrivedEvent } from '../../store/log/arrivals/arrival-reader';
import { maskedEvent } from '../../store/rows/masked';
import type { Item, Message } from './batch';

/**
 * Makes items of the events that a filter selects, in one format.
 * @param filter empty: all events @param isMasked whether statements leave without literals
 */
export function itemMaker(
  filter: string,
  format: FeedFormat,
  isMasked = false,
): (arrived: ArrivedEvent) => Item | null {
  const expression = filter === '' ? null : expressionOf(filter);
  const { toObject } = FEED_FORMATS[format];
  return (arrived) => {
    const { position, event } = arrived;
    if (expression && !matches(expression, event)) return null;
    return {
      position,
      recordId: event.recordId,
      time: event.eventTime,
      actionId: event.actionId,
      succeeded: event.succeeded,
      hostName: event.serverInstanceName,
      json: JSON.stringify(toObject(isMasked ? { ...arrived, event: maskedEvent(event) } : arrived)),
    };
  };
}

function expressionOf(filter: string): Expression {
  const parsed = parseFilter(filter);
  if ('problem' in parsed) throw new Error(`the filter cannot be read any more: ${parsed.problem}`);
  return parsed.expression;
}

/** Makes an item of a message that is not an event, such as an alert. */
export const messageItem = ({ id, at, severity, content }: Message): Item => ({
  position: null,
  recordId: id,
  time: at.toISOString(),
  actionId: 'ALERT',
  succeeded: true,
  hostName: null,
  severity,
  json: JSON.stringify(content),
});

/** The event of a test, which is marked as a test. */
export function testItem(tenantId: number, format: FeedFormat, at: Date): Item {
  const none = Object.fromEntries(FIELD_NAMES.map((name) => [name, null])) as unknown as AuditEvent;
  const recordId = recordIdFloor(BigInt(at.getTime()) * TICKS_PER_MS);
  const event = {
    ...none,
    recordId,
    tenantId: String(tenantId),
    actionId: 'TEST',
    succeeded: true,
    eventTime: at.toISOString().replace('Z', '0000Z'),
    statement: 'A test of this destination. It is no audit event.',
    additional: {},
  };
  const object = FEED_FORMATS[format].toObject({ event });
  return {
    position: null,
    recordId,
    time: event.eventTime,
    actionId: 'TEST',
    succeeded: true,
    hostName: null,
    json: JSON.stringify({ ...object, receivedAt: at.toISOString(), position: null, test: true }),
  };
}
