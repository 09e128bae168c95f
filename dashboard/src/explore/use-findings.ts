import { useEffect, useState } from 'react';
import { type Client, useClient } from 'urql';
import { LIMITS } from '../../../src/limits';
import {
  type EventsQuery,
  FindingsOfPageDocument,
  type FindingsOfPageQuery,
} from '../../generated/operations';
import { hasScope } from '../api/rights';
import type { Session } from '../api/session';

export type FindingMark = FindingsOfPageQuery['findings']['items'][number];
/** The findings that each record is part of, by record id. */
export type FindingMarks = ReadonlyMap<string, readonly FindingMark[]>;
type Page = EventsQuery['auditEvents'];

const NONE: FindingMarks = new Map();
/** The longest time of a page of events for which findings are loaded; a page with another order may cover months. */
const PAGES_MAX = 5;

/** The findings that the events of a page are part of; none if the session may not read findings. */
export function useFindings(session: Session, page: Page | undefined): FindingMarks {
  const client = useClient();
  const [known, setKnown] = useState<{ readonly page: Page | undefined; readonly marks: FindingMarks }>();
  const mayRead = hasScope(session, 'read:findings');
  useEffect(() => {
    if (!mayRead || !page || page.items.length === 0) return;
    let isOver = false;
    marksOf(client, page).then((marks) => !isOver && setKnown({ page, marks }));
    return () => {
      isOver = true;
    };
  }, [client, mayRead, page]);
  return known && known.page === page ? known.marks : NONE;
}

async function marksOf(client: Client, { items }: Page): Promise<FindingMarks> {
  const times = items.map(({ eventTime }) => eventTime).sort();
  const shown = new Set(items.map(({ recordId }) => recordId));
  const marks = new Map<string, FindingMark[]>();
  const startTime = times.at(0) ?? '';
  // The end is exclusive.
  const endTime = new Date(Date.parse(times.at(-1) ?? '') + 1).toISOString();
  for (let page = 1; page <= PAGES_MAX; page++) {
    const { data } = await client.query(FindingsOfPageDocument, { startTime, endTime, page }).toPromise();
    for (const finding of data?.findings.items ?? [])
      for (const id of finding.recordIds)
        if (shown.has(id)) marks.set(id, [...(marks.get(id) ?? []), finding]);
    if (!data || page * LIMITS.pageSizeMax >= data.findings.totalCount) break;
  }
  return marks;
}
