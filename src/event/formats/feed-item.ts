import type { JsonScalar } from '../audit-record';
import { AUDIT_EVENT_FIELDS, type AuditEvent, FIELD_NAMES, LIFTED_FIELDS, LIFTED_NAMES } from '../fields';
import { liftedValue } from '../lifted';
import { pick, type Shape } from '../shape';

/** An event as it leaves the service in full, with what is known of its arrival. */
export interface FeedEvent {
  readonly event: AuditEvent & { readonly additional: { readonly [key: string]: JsonScalar } };
  /** Index in the evidence log of its tenant, from 0; absent when it is not asked for. */
  readonly position?: number;
  /** ISO 8601, UTC, milliseconds; null: not known. */
  readonly receivedAt?: string | null;
  /** What of `additional` leaves; absent: all of it; null: nothing. */
  readonly shownAdditional?: FeedEvent['event']['additional'] | null;
}

/** What of `additional` leaves with the event. */
export const additionalOf = ({
  event,
  shownAdditional,
}: FeedEvent): FeedEvent['event']['additional'] | null =>
  shownAdditional === undefined ? event.additional : shownAdditional;

/** An event of the tail, and of destinations, in the service's own form. */
export const FEED_ITEM = {
  name: 'AuditActivityTailItem',
  doc: 'An audit event in full, at its place in the order of arrival.',
  fields: {
    ...pick(AUDIT_EVENT_FIELDS, FIELD_NAMES),
    additional: {
      kind: 'values',
      doc: 'What the audit record states beyond the other fields, and where it stood in which file.',
    },
    ...LIFTED_FIELDS,
    receivedAt: {
      kind: 'time',
      nullable: true,
      doc: 'When the service received it. Null: it was stored by a release that did not keep this.',
    },
    position: {
      kind: 'text',
      doc: 'Index in the evidence log of its tenant, from 0: a decimal number as text.',
    },
  },
} as const satisfies Shape;

/**
 * Every field of the event, `additional` and the lifted fields. With a known position, `receivedAt` and `position` too.
 * An object that is spread and has more values than fit into it is slow to make and to write, so each value is set.
 */
export const toFeedItem = (feed: FeedEvent): object => {
  const { event, position, receivedAt } = feed;
  const item: Record<string, unknown> = {};
  for (const name in event) item[name] = event[name as keyof typeof event];
  // A field that is undefined is in no JSON.
  item.additional = additionalOf(feed) ?? undefined;
  for (const name of LIFTED_NAMES) item[name] = liftedValue(name, event);
  if (position !== undefined) {
    item.receivedAt = receivedAt ?? null;
    item.position = String(position);
  }
  return item;
};
