import { useEffect } from 'react';
import { useClient } from 'urql';
import { type EventsQuery, NotedEventsDocument } from '../../generated/operations';
import { beginNotes, tellNotes } from './note-counts';

/** Asks once for a page of events which of them have notes, and tells their marks. */
export function useNotedEvents(page: EventsQuery['auditEvents'] | undefined): void {
  const client = useClient();
  useEffect(() => {
    const recordIds = page?.items.map(({ recordId }) => recordId) ?? [];
    if (recordIds.length === 0) return;
    beginNotes();
    let isOver = false;
    client
      .query(NotedEventsDocument, { recordIds })
      .toPromise()
      .then(({ data }) => !isOver && data && tellNotes(recordIds, data.eventNotes));
    return () => {
      isOver = true;
    };
  }, [client, page]);
}
