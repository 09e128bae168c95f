import { SYSLOG_SEVERITY, type SyslogSeverity } from '../../delivery/syslog-message';
import { TICKS_PER_MS } from '../../event/event-time';
import type { Expression } from '../../event/expression/expression';
import { matches } from '../../event/expression/matches';
import { parseFilter } from '../../event/expression/parse-filter';
import { type AuditEvent, FIELD_NAMES } from '../../event/fields';
import { cefLine } from '../../event/formats/cef';
import type { FeedEvent } from '../../event/formats/feed-item';
import { type DestinationFormat, FEED_FORMATS, LINE_FORMATS } from '../../event/formats/formats';
import { instanceNameOf, machineOf, present, stating } from '../../event/formats/values';
import { recordIdFloor } from '../../event/record-id';
import type { ArrivedEvent } from '../../store/log/arrivals/arrival-reader';
import { maskedEvent } from '../../store/rows/masked';
import type { Item, Message, MessageKind } from './batch';

/** What leaves with an event, as the settings of a destination say it. */
export interface Shown {
  readonly omitEmpty?: boolean;
  readonly withoutAdditional?: boolean;
}

/**
 * Makes items of the events that a filter selects, in one format.
 * @param filter empty: all events @param isMasked whether statements leave without literals
 */
export function itemMaker(
  filter: string,
  format: DestinationFormat,
  isMasked = false,
  shown: Shown = {},
): (arrived: ArrivedEvent) => Item | null {
  const expression = filter === '' ? null : expressionOf(filter);
  return (arrived) => {
    const { position, event } = arrived;
    if (expression && !matches(expression, event)) return null;
    return {
      position,
      recordId: event.recordId,
      time: event.eventTime,
      actionId: event.actionId,
      succeeded: event.succeeded,
      hostName: machineOf(event.serverInstanceName),
      instanceName: instanceNameOf(event.serverInstanceName),
      ...contentOf(isMasked ? { ...arrived, event: maskedEvent(event) } : arrived, format, shown),
    };
  };
}

function contentOf(feed: FeedEvent, format: DestinationFormat, shown: Shown): Pick<Item, 'json' | 'line'> {
  const left = shown.withoutAdditional
    ? { ...feed, shownAdditional: null }
    : shown.omitEmpty
      ? { ...feed, shownAdditional: stating(feed.event.additional) }
      : feed;
  if (isOfLines(format)) return lineContent(LINE_FORMATS[format].toLine(left));
  const object = FEED_FORMATS[format].toObject(left);
  return { json: JSON.stringify(shown.omitEmpty ? present({ ...object }) : object) };
}

const lineContent = (line: string) => ({ line, json: JSON.stringify(line) });
const isOfLines = (format: DestinationFormat): format is keyof typeof LINE_FORMATS =>
  Object.hasOwn(LINE_FORMATS, format);

function expressionOf(filter: string): Expression {
  const parsed = parseFilter(filter);
  if ('problem' in parsed) throw new Error(`the filter cannot be read any more: ${parsed.problem}`);
  return parsed.expression;
}

/** Makes an item of a message that is not an event, such as an alert. */
export const messageItem = (
  { id, at, kind = 'ALERT', severity, content }: Message,
  format: DestinationFormat,
): Item => ({
  position: null,
  recordId: id,
  time: at.toISOString(),
  actionId: kind,
  succeeded: true,
  hostName: null,
  severity,
  ...(isOfLines(format)
    ? lineContent(
        cefLine({
          classId: kind,
          name: MESSAGE_NAMES[kind],
          severity: CEF_SEVERITIES[severity],
          extension: { rt: at.getTime(), externalId: id, msg: JSON.stringify(content) },
        }),
      )
    : { json: JSON.stringify(content) }),
});

const MESSAGE_NAMES: Readonly<Record<MessageKind, string>> = { ALERT: 'Alert', REPORT: 'Report' };
const CEF_SEVERITIES: Readonly<Record<SyslogSeverity, number>> = {
  [SYSLOG_SEVERITY.critical]: 10,
  [SYSLOG_SEVERITY.error]: 8,
  [SYSLOG_SEVERITY.warning]: 6,
  [SYSLOG_SEVERITY.notice]: 4,
  [SYSLOG_SEVERITY.informational]: 2,
};

/** The event of a test, which is marked as a test. */
export function testItem(tenantId: number, format: DestinationFormat, at: Date): Item {
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
  return {
    position: null,
    recordId,
    time: event.eventTime,
    actionId: 'TEST',
    succeeded: true,
    hostName: null,
    ...(isOfLines(format)
      ? lineContent(LINE_FORMATS[format].toLine({ event }))
      : {
          json: JSON.stringify({
            ...FEED_FORMATS[format].toObject({ event }),
            receivedAt: at.toISOString(),
            position: null,
            test: true,
          }),
        }),
  };
}
