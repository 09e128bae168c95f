import { parseTicks } from '../../src/event/event-time';
import { LIST_PARAMETERS, SUMMARY_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventQuery, toSummaryFilter } from '../../src/event/query';
import type { AuditEventReader } from '../../src/store/rows/audit-event-reader';
import { tenantSet } from '../../src/tenant-set';
import { END_MS, START_MS } from '../data/calendar';
import { WORDS } from '../data/statements';
import { tenantProfile } from '../data/tenants';
import type { Target } from '../figure';

/** A loaded database, and its busiest tenant. */
export interface Side {
  readonly reader: AuditEventReader;
  readonly rows: number;
  readonly busiest: number;
  /** The busiest tenants, for keys that read several. */
  readonly many: readonly number[];
  /** Of the busiest tenant. */
  readonly events: number;
}

/** A question asked of both sides. `ask` makes it ready; the call itself answers with a note on what it found. */
export interface Question {
  readonly name: string;
  readonly target: Target | null;
  readonly readsCounts: boolean;
  ask(side: Side, large: Side): () => Promise<string>;
}

const PAGE_SIZE = 20;
const DEEP_PAGE = 50_000;
const { databases, logins, loginFrequency } = tenantProfile(0);
/** Values in the middle of the field: neither the most frequent nor rare. */
const FILTER = {
  actionId: 'UP',
  databaseName: databases[2] ?? '',
  principalName: logins[loginFrequency.at(0.4)]?.name ?? '',
};
const UNALIGNED = {
  ...toSummaryFilter(parseParameters(SUMMARY_PARAMETERS, {})),
  from: parseTicks(new Date(START_MS + 1_043_456).toISOString()),
  to: parseTicks(new Date(END_MS - 2_284_321).toISOString()),
};
const AT_MOST_2 = { atMost: 2 } as const;
const AT_MOST_4 = { atMost: 4 } as const;

type PageOf = (side: Side, large: Side) => number;
const first: PageOf = () => 1;
const last: PageOf = ({ events }) => Math.max(1, Math.ceil(events / PAGE_SIZE));
/** Page 50,000 of the large database (its deepest where it has fewer), and the page as deep in the small one. */
const deep: PageOf = (side, large) => {
  const page = Math.min(DEEP_PAGE, last(large, large) - 1);
  return Math.max(1, Math.round((page * last(side, large)) / last(large, large)));
};

function list(name: string, target: Target | null, filter: object, pageOf = first, many = false): Question {
  return {
    name,
    target,
    readsCounts: !('search' in filter),
    ask: (side, large) => {
      const page = pageOf(side, large);
      const given = { ...filter, page: String(page), pageSize: String(PAGE_SIZE) };
      const query = toAuditEventQuery(parseParameters(LIST_PARAMETERS, given));
      const scope = tenantSet(many ? side.many : [side.busiest]);
      return async () => {
        const { items, totalCount } = await side.reader.page(scope, query);
        if (items.length === 0) throw new Error(`page ${page} of ${name} is empty (total ${totalCount})`);
        return `page ${page.toLocaleString('en')}, total ${totalCount.toLocaleString('en')}`;
      };
    },
  };
}

const summary: Question = {
  name: 'summary, 90 unaligned days',
  target: { atMost: 3, msMax: 15 },
  readsCounts: true,
  ask: (side) => async () => {
    const found = await side.reader.summary(tenantSet([side.busiest]), UNALIGNED);
    return `${found.totalCount.toLocaleString('en')} events, ${found.distinctPrincipals} principals`;
  },
};

const { actionId, databaseName, principalName } = FILTER;
const search = (kind: keyof typeof WORDS) => list(`search: ${kind} word`, AT_MOST_4, { search: WORDS[kind] });

export const QUESTIONS: readonly Question[] = [
  list('page 1', AT_MOST_2, {}),
  list('page 50,000', AT_MOST_2, {}, deep),
  list('last page', AT_MOST_2, {}, last),
  list('action', AT_MOST_2, { actionId }),
  list('database', AT_MOST_2, { databaseName }),
  list('principal', AT_MOST_2, { principalName }),
  list('failures', AT_MOST_2, { succeeded: 'false' }),
  list('action and database', AT_MOST_4, { actionId, databaseName }),
  list('action and principal', AT_MOST_4, { actionId, principalName }),
  list('action, database and principal', AT_MOST_4, FILTER),
  search('common'),
  search('some'),
  search('rare'),
  summary,
  list('5 tenants, page 1', null, {}, first, true),
  list('5 tenants, page 50,000', null, {}, deep, true),
];
