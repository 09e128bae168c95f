import { CLOCK_MARK, ENTRY_SALT, type JsonScalar } from '../../event/audit-record';
import { formatTicks } from '../../event/event-time';
import { EVENT_TIME_MIN, LIMITS } from '../../limits';
import type { CheckedRecord } from '../../store/bytes/checked-event';

const MIN_MS = Date.parse(EVENT_TIME_MIN);

/** Whether an event of this time gets no mark. @param ms of the event; not a number: there is no such time */
export const isOfThisTime = (ms: number, nowMs: number): boolean =>
  ms >= MIN_MS && ms <= nowMs + LIMITS.eventFutureMaxMs;

/**
 * An event whose time cannot be right: the clock of its server is wrong, or that of this service. It is evidence, and so
 * it keeps the time that it states. The mark says what time the service had. A record id has no time before 1970, so an
 * earlier one is stated beside the mark.
 */
export function marked(record: CheckedRecord, ticks: bigint, nowMs: number): CheckedRecord {
  const additional = new Map<string, JsonScalar>(Object.entries(record.additional ?? {}));
  additional.set(freeName(CLOCK_MARK, additional), new Date(nowMs).toISOString());
  const isEarly = ticks < 0n;
  if (isEarly) additional.set(freeName(`${CLASH_PREFIX}eventTime`, additional), record.eventTime);
  const eventTime = isEarly ? formatTicks(0n) : record.eventTime;
  return { ...record, eventTime, additional: Object.fromEntries(additional) };
}

/** A value that is sent under the name of the salt gets another name: only the service makes salts. */
export function withoutSalt(record: CheckedRecord): CheckedRecord {
  if (!record.additional || !Object.hasOwn(record.additional, ENTRY_SALT)) return record;
  const additional = new Map<string, JsonScalar>(Object.entries(record.additional));
  const sent = additional.get(ENTRY_SALT) as JsonScalar;
  const name = freeName(ENTRY_SALT, additional);
  additional.delete(ENTRY_SALT);
  return { ...record, additional: Object.fromEntries(additional.set(name, sent)) };
}

/** The name itself, or another one if the record already has a value of this name. Both values are evidence. */
export function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  while (taken.has(free)) free = CLASH_PREFIX + free;
  return free;
}
const CLASH_PREFIX = 'event.';
