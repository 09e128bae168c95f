import { useMemo } from 'react';
import { useQuery } from 'urql';
import { LIMITS } from '../../../src/limits';
import {
  type AlertFindingsQuery,
  FindingEventsDocument,
  type FindingEventsQuery,
} from '../../generated/operations';
import { recordFilter, type Span } from './explore-links';

export type Finding = AlertFindingsQuery['findings']['items'][number];
export type FindingEvent = FindingEventsQuery['auditEvents']['items'][number];

/** The most record ids in a filter, and events on a page. */
const EVENTS_MAX = Math.min(LIMITS.expressionTermsMax, LIMITS.pageSizeMax);

/** The first events of several findings, loaded with one question: as many of each as there is room for. */
export function useFindingEvents(findings: readonly Finding[], pause: boolean) {
  const variables = useMemo(() => questionOf(findings), [findings]);
  const [{ data, error, fetching }, ask] = useQuery({
    query: FindingEventsDocument,
    variables: variables ?? { filter: '', startTime: '', endTime: '' },
    pause: pause || variables === null,
  });
  const events = data?.auditEvents.items ?? [];
  return { events, error, isBusy: fetching, ask };
}

/** The question for the first events of findings; null: they have none. */
export function questionOf(findings: readonly Pick<Finding, 'recordIds' | keyof Span>[]) {
  const wanted = firstOfEach(findings);
  if (wanted.length === 0) return null;
  const times = findings.flatMap(({ firstEventTime, lastEventTime }) => [firstEventTime, lastEventTime]);
  times.sort();
  // The end is exclusive.
  const endTime = new Date(Date.parse(times.at(-1) ?? '') + 1000).toISOString();
  return { filter: recordFilter(wanted), startTime: times[0] ?? '', endTime };
}

/** The first record of each finding, then the second of each, and so on while there is room. */
function firstOfEach(findings: readonly Pick<Finding, 'recordIds'>[]): readonly string[] {
  const longest = Math.max(0, ...findings.map(({ recordIds }) => recordIds.length));
  const ids = new Set<string>();
  for (let i = 0; i < longest; i++)
    for (const { recordIds } of findings) {
      const id = recordIds[i];
      if (id !== undefined && ids.size < EVENTS_MAX) ids.add(id);
    }
  return [...ids];
}
