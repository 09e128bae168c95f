import { useMemo } from 'react';
import { useQuery } from 'urql';
import { LIMITS } from '../../../src/limits';
import {
  type AlertFindingsQuery,
  FindingEventsDocument,
  type FindingEventsQuery,
} from '../../generated/operations';
import { recordFilter } from './explore-links';

export type Finding = AlertFindingsQuery['findings']['items'][number];
export type FindingEvent = FindingEventsQuery['auditEvents']['items'][number];

/** The most record ids in a filter, and events on a page. */
const EVENTS_MAX = Math.min(LIMITS.expressionTermsMax, LIMITS.pageSizeMax);

/** The first events of several findings, loaded with one question: as many of each as there is room for. */
export function useFindingEvents(findings: readonly Finding[], pause: boolean) {
  const wanted = useMemo(() => firstOfEach(findings), [findings]);
  const times = findings
    .flatMap(({ firstEventTime, lastEventTime }) => [firstEventTime, lastEventTime])
    .sort();
  const [{ data, error, fetching }, ask] = useQuery({
    query: FindingEventsDocument,
    variables: {
      filter: recordFilter(wanted),
      startTime: times[0] ?? '',
      // The end is exclusive.
      endTime: new Date(Date.parse(times.at(-1) ?? '1970-01-01T00:00:00Z') + 1000).toISOString(),
    },
    requestPolicy: 'network-only',
    pause: pause || wanted.length === 0,
  });
  const events = data?.auditEvents.items ?? [];
  return { events, error, isBusy: fetching, ask };
}

/** The first record of each finding, then the second of each, and so on while there is room. */
function firstOfEach(findings: readonly Finding[]): readonly string[] {
  const longest = Math.max(0, ...findings.map(({ recordIds }) => recordIds.length));
  const ids = new Set<string>();
  for (let i = 0; i < longest; i++)
    for (const { recordIds } of findings) {
      const id = recordIds[i];
      if (id !== undefined && ids.size < EVENTS_MAX) ids.add(id);
    }
  return [...ids];
}
