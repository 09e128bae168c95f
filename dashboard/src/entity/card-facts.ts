import type { EntityCardQuery } from '../../generated/operations';
import { FIELD_LABELS } from '../lib/field-labels';
import { formatCount } from '../lib/numbers';
import { formatTime, type TimeZone } from '../lib/time';

type Card = NonNullable<EntityCardQuery['entity']>;
export interface Fact {
  readonly name: string;
  readonly text: string;
}

/** The five facts of a card, as its page has them. */
export function factsOf(card: Card, zone: TimeZone): readonly Fact[] {
  const { events, failed, firstTime, lastTime, alertCount } = card;
  const timeText = (time: string | null | undefined) => (time ? formatTime(time, zone) : 'never');
  return [
    {
      name: 'Events',
      text: failed > 0 ? `${formatCount(events)}, ${formatCount(failed)} failed` : formatCount(events),
    },
    { name: 'First seen', text: timeText(firstTime) },
    { name: 'Last seen', text: timeText(lastTime) },
    {
      name: 'Open alerts',
      text:
        alertCount === null || alertCount === undefined
          ? 'not read by this sign-in'
          : formatCount(alertCount),
    },
    { name: 'New in 7 days', text: newText(card) },
  ];
}

/** `client address 2, host 1`: what the 30 days before lack. */
function newText({ related }: Card): string {
  const fresh = related.filter(({ newCount }) => newCount > 0);
  return (
    fresh.map(({ field, newCount }) => `${labelOf(field)} ${formatCount(newCount)}`).join(', ') || 'nothing'
  );
}

const labelOf = (field: string): string =>
  (Object.hasOwn(FIELD_LABELS, field)
    ? FIELD_LABELS[field as keyof typeof FIELD_LABELS]
    : field
  ).toLowerCase();
