import { LIMITS } from '../limits';
import { FILTER_NAMES, FILTERS, type FilterName, type FilterOfKind, isBooleanFilter } from './filters';
import type { QuerySpec, QuerySpecs } from './parameter-specs';

/** `sortBy` values and the field each sorts by. Ties are sorted by record id in the same direction. */
export const SORTS = {
  Timestamp: 'recordId',
  eventTime: 'recordId',
  actionId: 'actionId',
  databaseName: 'databaseName',
  principalName: 'serverPrincipalName',
  serverPrincipalName: 'serverPrincipalName',
  succeeded: 'succeeded',
} as const;
export type SortField = (typeof SORTS)[keyof typeof SORTS];

type FilterParameters = {
  readonly [N in FilterName]: N extends FilterOfKind<'boolean'>
    ? { readonly kind: 'boolean'; readonly doc: string }
    : { readonly kind: 'text'; readonly charsMax: number; readonly doc: string };
};

const EXACT_FILTERS = Object.fromEntries(
  FILTER_NAMES.map((name) => {
    const { doc } = FILTERS[name];
    return [
      name,
      isBooleanFilter(name)
        ? { kind: 'boolean', doc }
        : { kind: 'text', charsMax: LIMITS.filterCharsMax, doc },
    ];
  }),
) as FilterParameters;

const FILTER_EXPRESSION = {
  kind: 'filter',
  charsMax: LIMITS.expressionCharsMax,
  doc: 'Boolean expression over the fields of an event, for example `objectName:Payroll AND NOT principalName:"CORP\\svc_etl" AND (actionId:UP OR actionId:DL)`. `field:value` compares exactly, `field:value*` a beginning, `field~value` without letter case, `field:(a OR b)` several values, `field:*` matches any value of the field, `field:>1000` and `field:(10 TO 99)` compare numbers, `clientIp:10.0.0.0/8` a network, `statement:text` a phrase of the statement; words and phrases mean the same as in `search`. `AND` may be left out; `NOT` or `-` binds first, then `AND`, then `OR`.',
} as const satisfies QuerySpec;

const TIME_RANGE = {
  startTime: { kind: 'time', doc: 'Start of the time range, inclusive. Without an offset it is UTC.' },
  endTime: { kind: 'time', doc: 'End of the time range, exclusive. Without an offset it is UTC.' },
} as const satisfies QuerySpecs;

/** The parameters that choose events for lists, counts and exports. */
export const FILTER_PARAMETERS = {
  search: {
    kind: 'search',
    charsMax: LIMITS.searchCharsMax,
    doc: 'Full-text search across event fields: each word must be a word of the event; `word*` matches a beginning; `"quoted text"` must occur as it is written within one field. Letter case does not matter.',
  },
  filter: FILTER_EXPRESSION,
  ...EXACT_FILTERS,
  ...TIME_RANGE,
} as const satisfies QuerySpecs;

const { search, ...OTHER_FILTERS } = FILTER_PARAMETERS;

/** The parameters that choose a page of a list. */
export const PAGING = {
  page: { kind: 'integer', min: 1, max: LIMITS.pageMax, default: 1, doc: '1-based page number.' },
  pageSize: {
    kind: 'integer',
    min: 1,
    max: LIMITS.pageSizeMax,
    default: LIMITS.pageSizeDefault,
    doc: 'Results per page.',
  },
} as const satisfies QuerySpecs;

export const LIST_PARAMETERS = {
  ...PAGING,
  search,
  sortBy: { kind: 'choice', values: Object.keys(SORTS), doc: 'Column to sort by; ties by record id.' },
  sortDirection: { kind: 'choice', values: ['asc', 'desc'], default: 'desc', doc: 'Sort direction.' },
  ...OTHER_FILTERS,
} as const satisfies QuerySpecs;

export const SUMMARY_PARAMETERS = {
  filter: FILTER_EXPRESSION,
  startTime: TIME_RANGE.startTime,
  endTime: { ...TIME_RANGE.endTime, doc: `${TIME_RANGE.endTime.doc} Default: now.` },
} as const satisfies QuerySpecs;

export const RECORD_PARAMETERS = {
  recordId: { kind: 'id', isRequired: true, doc: 'The unique record identifier: a UUID.' },
} as const satisfies QuerySpecs;
