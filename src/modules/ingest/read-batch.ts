import { randomUUID } from 'node:crypto';
import { Pauses } from '../../deadline';
import {
  encodingOf,
  isTooMuch,
  parse,
  parseOrNull,
  refuseTooMuch,
  textOf,
  unreadable,
  utf8Of,
} from '../../graphql/json-body';
import { scanJson, scanSteps, withExactNumbers } from '../../graphql/scan-json';
import { LIMITS } from '../../limits';
import { EventBytes } from '../../store/bytes/event-bytes';
import { rejected } from './check-event';
import type { Intake } from './receive-batch';

/**
 * Parses the JSON of a request that may carry a batch. A list at `variables.*.events` becomes `CheckedEvents`. Events
 * are made and checked a few at a time, so that other requests are served in between, and nothing of a rejected event
 * is kept. So no nesting of a body can hold up the process or fill its memory. Numbers that JSON would change become
 * texts.
 * @throws DomainError `invalid_parameter`, `payload_too_large`
 */
export async function readBatch(body: Buffer, intake: Intake): Promise<unknown> {
  const bytes = utf8Of(body);
  return (await readUsual(bytes, intake)) ?? (await readAny(textOf(bytes), intake));
}

/** Replaces the events while the rest is parsed. No caller can know it. */
const MARK = randomUUID();
const LIST_START = '"events":[';
const COMMA = 0x2c;
/** Events that are read without a look at the time. */
const BETWEEN_PAUSES = 32;

/**
 * The same for a body as agents write it: its events are read from the bytes, and are never objects.
 * @returns null for any other body, also for a malformed one
 */
async function readUsual(bytes: Buffer, { isValid, open }: Intake): Promise<unknown> {
  const start = bytes.indexOf(LIST_START) + LIST_START.length;
  const end = bytes.lastIndexOf(']');
  if (start < LIST_START.length || end <= start) return null;
  const encoding = encodingOf(bytes);
  const frame = `${bytes.toString(encoding, 0, start)}"${MARK}"${bytes.toString(encoding, end)}`;
  const { frame: extent, isBalanced } = scanJson(frame, 1);
  if (!isBalanced || isTooMuch(extent) || withExactNumbers(frame, 0, frame.length) !== frame) return null;
  const body = parseOrNull(frame);
  const events = open();
  if (!place(events, body)) return null;
  const event = new EventBytes();
  const pauses = new Pauses();
  for (let at = start; at < end; at++) {
    at = event.read(bytes, at);
    if (at < 0 || events.count === LIMITS.ingestBatchEventsMax || !isValid(event)) return null;
    events.addBytes(event);
    if (at === end) return body;
    if (bytes[at] !== COMMA) return null;
    if (events.count % BETWEEN_PAUSES === 0) await pauses.take();
  }
  return null;
}

async function readAny(text: string, { check, open }: Intake): Promise<unknown> {
  const pauses = new Pauses();
  const { frame, list, isBalanced } = await pauses.between(scanSteps(text, LIMITS.ingestBatchEventsMax));
  if (!isBalanced) throw unreadable();
  refuseTooMuch(frame);
  if (!list) return parse(withExactNumbers(text, 0, text.length));
  // Further events are only counted, because the batch is refused for their number.
  const isTooMany = list.items.length > LIMITS.ingestBatchEventsMax;
  const events = open();
  for (const item of isTooMany ? [] : list.items) {
    if (events.isEnough) break;
    const problem = isTooMuch(item);
    events.add(
      problem
        ? rejected('invalid_event', [`the event has ${problem}`])
        : check(parse(withExactNumbers(text, item.start, item.end))),
    );
    await pauses.take();
  }
  if (!isTooMany) events.leave(list.items.length - events.count);
  const [head, end] = [withExactNumbers(text, 0, list.start), withExactNumbers(text, list.end, text.length)];
  const body = parse(`${head}"${MARK}"${end}`);
  place(isTooMany ? list.items.map(() => null) : events, body);
  return body;
}

/** Puts the events in the place of the mark. @returns false if a later member of the same name has replaced it */
function place(events: unknown, body: unknown): boolean {
  const { variables } = (body ?? {}) as { variables?: Record<string, { events?: unknown } | null> };
  const batch = Object.values(variables ?? {}).find(
    (value) => Array.isArray(value?.events) && value.events.length === 1 && value.events[0] === MARK,
  );
  if (batch) batch.events = events;
  return batch !== undefined;
}
