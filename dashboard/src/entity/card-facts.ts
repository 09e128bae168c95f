import type { EntityCardQuery } from '../../generated/operations';
import type { FIELD_LABELS } from '../lib/field-labels';
import { formatCount } from '../lib/numbers';
import type { In } from '../lib/texts';
import { formatTime, type TimeZone } from '../lib/time';
import type { ENTITY } from './texts';

type Card = NonNullable<EntityCardQuery['entity']>;
export interface Fact {
  readonly name: string;
  readonly text: string;
}

interface Shown {
  readonly zone: TimeZone;
  readonly t: In<typeof ENTITY>;
  readonly labels: In<typeof FIELD_LABELS>;
}

/** The five facts of a card, as its page has them. */
export function factsOf(card: Card, { zone, t, labels }: Shown): readonly Fact[] {
  const { events, failed, firstTime, lastTime, alertCount } = card;
  const timeText = (time: string | null | undefined) => (time ? formatTime(time, zone) : t.never);
  return [
    {
      name: t.events,
      text: failed > 0 ? `${formatCount(events)}, ${t.failed(failed)}` : formatCount(events),
    },
    { name: t.firstSeen, text: timeText(firstTime) },
    { name: t.lastSeen, text: timeText(lastTime) },
    {
      name: t.openAlerts,
      text: alertCount === null || alertCount === undefined ? t.notRead : formatCount(alertCount),
    },
    { name: t.newIn7Days, text: newText(card, labels) || t.nothing },
  ];
}

/** `client address 2, host 1`: what the 30 days before lack. */
function newText({ related }: Card, labels: Shown['labels']): string {
  return related
    .filter(({ newCount }) => newCount > 0)
    .map(({ field, newCount }) => `${labelOf(labels, field)} ${formatCount(newCount)}`)
    .join(', ');
}

const labelOf = (labels: Shown['labels'], field: string): string =>
  (Object.hasOwn(labels, field) ? labels[field as keyof typeof labels] : field).toLowerCase();
