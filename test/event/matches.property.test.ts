import fc from 'fast-check';
import { parseTicks } from '../../src/event/event-time';
import { matchesFilter } from '../../src/event/expression/matches';
import { parseFilter } from '../../src/event/expression/parse-filter';
import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { recordIdOf } from '../../src/event/record-id';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';
import { questions, sentEvents, toQuery } from '../support/arbitraries';
import { answerOf } from '../support/brute-force';
import type { IngestedEvent } from '../support/events';
import { writtenFilters } from '../support/written-filters';

const eventOf = (event: IngestedEvent, recordId: string): StoredAuditEvent => ({
  ...event,
  additional: event.additional as StoredAuditEvent['additional'],
  recordId,
  tenantId: '1',
});

it('matchesFilter selects the same events as a filter in memory, for any parameters and expressions', () => {
  fc.assert(
    fc.property(sentEvents, questions, (sent, question) => {
      const stored = sent.map(({ event }) => {
        const recordId = recordIdOf(1, parseTicks(event.eventTime) ?? 0n, event);
        return { tenantId: '1', recordId, event };
      });
      const all = { ...question, page: 1, pageSize: 1_000, sortBy: undefined, sortDirection: 'asc' as const };
      const { page, pageSize, sortBy, sortDirection, ...query } = toQuery(all);
      const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, query));
      const left = stored.filter(({ event, recordId }) => matchesFilter(filter, eventOf(event, recordId)));
      const ids = (list: readonly { recordId: string }[]) => list.map(({ recordId }) => recordId).sort();
      expect({ query, ids: ids(left) }).toEqual({ query, ids: ids(answerOf(stored, ['1'], all).data) });
    }),
    { numRuns: 300 },
  );
});

it('every generated expression can be parsed', () => {
  fc.assert(
    fc.property(writtenFilters, ({ text }) => {
      expect({ text, ...parseFilter(text) }).toEqual({ text, expression: expect.anything() });
    }),
    { numRuns: 1_000 },
  );
});
