import { type Deed, deedOf } from '../../../rules/deed';
import type { DetectionEvent } from '../../../rules/event';

/** How many deeds an alert or a finding shows. */
const DEEDS_MAX = 20;

/** The deeds of events, each sentence once. */
export const deedsOf = (events: readonly DetectionEvent[]): readonly Deed[] =>
  joinedDeeds(events.flatMap((event) => deedOf(event) ?? []));

export const joinedDeeds = (deeds: readonly Deed[]): readonly Deed[] =>
  [...new Map(deeds.map((one) => [one.text, one])).values()].slice(0, DEEDS_MAX);

/** Deeds as they are stored. */
export const deedsJson = (deeds: readonly Deed[]): string => JSON.stringify(deeds);
export const parsedDeeds = (json: unknown): readonly Deed[] => JSON.parse(String(json)) as Deed[];

/** What answers say of deeds. */
export function deedAnswers(json: unknown) {
  const deeds = parsedDeeds(json);
  const [first] = deeds;
  const more = deeds.length - 1;
  const names = (read: (deed: Deed) => string | null) => [
    ...new Set(deeds.flatMap((one) => read(one) ?? [])),
  ];
  return {
    summary: first ? `${first.text}${more > 0 ? `, and ${more} more` : ''}` : null,
    didIt: names(({ by }) => by),
    gotIt: names(({ to }) => to),
  };
}
