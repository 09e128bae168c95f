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
import { scanJson } from '../../graphql/scan-json';
import { LIMITS } from '../../limits';
import type { CheckedEvent } from '../../trail/checked-event';
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
/**
 * The characters between two events. Inside a text they can only be at its very end, since a text escapes quotation
 * marks.
 */
const BETWEEN = '},{"';
const GROUP_BYTES = 64 * 1024;
const GROUP_BYTES_MAX = 4 * GROUP_BYTES;
const STATED = '"additional":';

/**
 * The same for a body as agents write it, without a look at each character: the body is cut where the next event seems
 * to begin. A wrong cut gives invalid JSON, because a text ends with its own brackets.
 * @returns null for any other body, also for a malformed one
 */
async function readUsual(bytes: Buffer, { check, open }: Intake): Promise<unknown> {
  const start = bytes.indexOf(LIST_START) + LIST_START.length;
  const end = bytes.lastIndexOf(']');
  if (start < LIST_START.length || end < start) return null;
  const encoding = encodingOf(bytes);
  const text = (from: number, to: number) => bytes.toString(encoding, from, to);
  const frame = `${text(0, start)}"${MARK}"${text(end, bytes.length)}`;
  const { frame: extent, altered, isBalanced } = scanJson(frame, 1);
  if (!isBalanced || altered.length > 0 || isTooMuch(extent)) return null;
  const body = parseOrNull(frame);
  const events = open();
  if (!place(events, body)) return null;
  const pauses = new Pauses();
  for (let from = start; from < end; ) {
    const cut = bytes.indexOf(BETWEEN, from + GROUP_BYTES);
    const to = cut < 0 || cut > end ? end : cut + 1;
    if (to - from > GROUP_BYTES_MAX) return null;
    const group = text(from, to);
    const given = parseOrNull(`[${group}]`);
    if (!Array.isArray(given) || events.count + given.length > LIMITS.ingestBatchEventsMax) return null;
    const stated = new StatedValues(group);
    for (const one of given) {
      const checked = check(one);
      // The checked record differs from the given one, so it has fields of a newer agent. Only the other way keeps
      // their digits.
      if (!('event' in checked) || checked.event.record !== one || !stated.areKept(checked.event))
        return null;
      events.add(checked);
    }
    from = to + 1;
    await pauses.take();
  }
  return body;
}

/**
 * Checks for the events of a group, one after the other, whether parsing kept the values beside the fields unchanged.
 */
class StatedValues {
  #at = 0;
  constructor(private readonly group: string) {}

  areKept({ record, stated }: CheckedEvent): boolean {
    if (record.additional === undefined) return true;
    // One rare character is found much faster than a name, and whole texts compare faster than their beginnings.
    do this.#at = this.group.indexOf('{', this.#at + 1);
    while (this.#at >= 0 && this.group.slice(this.#at - STATED.length, this.#at) !== STATED);
    return this.#at >= 0 && this.group.slice(this.#at, this.#at + stated.length) === stated;
  }
}

async function readAny(text: string, { check, open }: Intake): Promise<unknown> {
  const { frame, list, altered, isBalanced } = scanJson(text, LIMITS.ingestBatchEventsMax);
  if (!isBalanced) throw unreadable();
  refuseTooMuch(frame);
  const numbers = new AlteredNumbers(text, altered);
  if (!list) return parse(numbers.asTexts(0, text.length));
  const head = numbers.asTexts(0, list.start);
  // Further events are only counted, because the batch is refused for their number.
  const isTooMany = list.items.length > LIMITS.ingestBatchEventsMax;
  const events = open();
  const pauses = new Pauses();
  for (const item of isTooMany ? [] : list.items) {
    const json = numbers.asTexts(item.start, item.end);
    const problem = isTooMuch(item);
    events.add(problem ? rejected('invalid_event', [`the event has ${problem}`]) : check(parse(json)));
    await pauses.take();
  }
  const body = parse(`${head}"${MARK}"${numbers.asTexts(list.end, text.length)}`);
  place(isTooMany ? list.items.map(() => null) : events, body);
  return body;
}

/** JSON in which numbers that parsing would change are texts. It must be read from the beginning to the end. */
class AlteredNumbers {
  #next = 0;
  constructor(
    private readonly text: string,
    private readonly places: readonly number[],
  ) {}

  asTexts(start: number, end: number): string {
    let json = '';
    let done = start;
    for (; (this.places[this.#next] ?? end) < end; this.#next += 2) {
      const [from = end, to = end] = this.places.slice(this.#next, this.#next + 2);
      if (from >= done) json += `${this.text.slice(done, from)}"${this.text.slice(from, to)}"`;
      done = Math.max(done, to);
    }
    return json + this.text.slice(done, end);
  }
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
