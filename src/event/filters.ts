import { type AnyField, AUDIT_EVENT_FIELDS, type AuditEvent, type FieldName } from './fields';

/**
 * The filters of the list, declared once. Everything else is derived from this table: the parameters, the GraphQL
 * arguments, the OpenAPI document, the conditions in SQL, what the counts answer, the facets, the export and the
 * dashboard.
 */
interface FilterSpec {
  /** The field whose value is compared. */
  readonly field: FieldName;
  /**
   * The part of the counts that answers the filter (`src/store/counts/dimensions.ts`); null: matching events are read.
   */
  readonly countedBy: CountedBy | null;
  /** Whether an index leads from a value to its events. */
  readonly isIndexed?: true;
  readonly doc: string;
}

/** The counted columns, and the outcome, which every count has separately. */
export type CountedBy = 'action' | 'database' | 'principal' | 'instance' | 'outcome';

export const FILTERS = {
  actionId: {
    field: 'actionId',
    countedBy: 'action',
    doc: 'SQL action code, compared exactly.',
  },
  databaseName: {
    field: 'databaseName',
    countedBy: 'database',
    doc: 'Database name, compared exactly.',
  },
  principalName: {
    field: 'serverPrincipalName',
    countedBy: 'principal',
    isIndexed: true,
    doc: 'SQL login: the server principal name, compared exactly.',
  },
  serverInstanceName: {
    field: 'serverInstanceName',
    countedBy: 'instance',
    doc: 'SQL Server instance name, compared exactly.',
  },
  schemaName: {
    field: 'schemaName',
    countedBy: null,
    doc: 'Schema of the object, compared exactly.',
  },
  objectName: {
    field: 'objectName',
    countedBy: null,
    doc: 'Object accessed or modified, compared exactly.',
  },
  databasePrincipalName: {
    field: 'databasePrincipalName',
    countedBy: null,
    doc: 'Database-level principal, compared exactly.',
  },
  applicationName: {
    field: 'applicationName',
    countedBy: null,
    doc: 'Client application name, compared exactly.',
  },
  hostName: {
    field: 'hostName',
    countedBy: null,
    doc: 'Client host machine name, compared exactly.',
  },
  clientIp: {
    field: 'clientIp',
    countedBy: null,
    doc: 'Client IP address, compared exactly as text; `filter` compares networks.',
  },
  sourceType: {
    field: 'sourceType',
    countedBy: null,
    doc: 'Audit source type, compared exactly.',
  },
  succeeded: {
    field: 'succeeded',
    countedBy: 'outcome',
    doc: 'Whether the SQL action completed successfully.',
  },
} as const satisfies Record<string, FilterSpec>;

type Table = typeof FILTERS;
export type FilterName = keyof Table;
export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];
/** The same table, with one type for all rows. */
export const FILTER_SPECS: Readonly<Record<FilterName, FilterSpec>> = FILTERS;

type FieldOf<N extends FilterName> = Table[N]['field'];
type Kind<N extends FilterName> = (typeof AUDIT_EVENT_FIELDS)[FieldOf<N>]['kind'];

/** The value of each filter; null: the filter is not given. */
export type FilterValues = { readonly [N in FilterName]: NonNullable<AuditEvent[FieldOf<N>]> | null };

/** The names of the filters of one kind of field. */
export type FilterOfKind<K extends 'boolean' | 'text'> = {
  [N in FilterName]: Kind<N> extends K ? N : never;
}[FilterName];
export const isBooleanFilter = (name: FilterName): boolean =>
  AUDIT_EVENT_FIELDS[FILTERS[name].field].kind === 'boolean';

/** The fields by which counts are kept, in the order of their filters. */
export type CountedField = {
  [N in FilterName]: Table[N]['countedBy'] extends null ? never : FieldOf<N>;
}[FilterName];
export const COUNTED_FIELDS = FILTER_NAMES.filter((name) => FILTER_SPECS[name].countedBy !== null).map(
  (name) => FILTERS[name].field,
) as CountedField[];

/** The filter that compares a field; null: only expressions do. */
export const filterOf = (field: AnyField): FilterName | null =>
  FILTER_NAMES.find((name) => FILTERS[name].field === field) ?? null;
