import type { ShapeField, ValueOf } from './shape';

/**
 * The field table of an audit event: every public field is declared here once. The database columns, the
 * GraphQL types, the REST representations, the OpenAPI schemas, the check of ingested events, the search
 * and the decoder's mapping are derived from it.
 */

export interface FieldSpec extends ShapeField {
  readonly kind: 'id' | 'time' | 'boolean' | 'text';
  /** Absent values leave the API as `null`. */
  readonly nullable: boolean;
  /**
   * The source of the value: the audit record itself, the agent that read the record, or the service that stored it.
   */
  readonly from: 'record' | 'agent' | 'service';
  /** REST and GraphQL representations that carry the field. */
  readonly in: readonly ('list' | 'detail')[];
  /** UTF-16 units; longer values are refused at ingest. Indexed names must fit a B-tree entry. */
  readonly charsMax?: number;
  readonly doc: string;
}

const BOTH = ['list', 'detail'] as const;
/** SQL Server names are `sysname`, 128 units; four times that leaves room for "DOMAIN\name" and stays indexable. */
const NAME_CHARS_MAX = 512;
const name = (doc: string) =>
  ({ kind: 'text', nullable: true, from: 'record', in: BOTH, charsMax: NAME_CHARS_MAX, doc }) as const;

export const AUDIT_EVENT_FIELDS = {
  recordId: {
    kind: 'id',
    nullable: false,
    from: 'service',
    in: BOTH,
    doc: 'Unique identifier of the event.',
  },
  tenantId: {
    kind: 'text',
    nullable: false,
    from: 'service',
    in: BOTH,
    doc: 'Tenant the event belongs to.',
  },
  eventTime: {
    kind: 'time',
    nullable: false,
    from: 'record',
    in: BOTH,
    doc: 'When the event occurred on the SQL Server: UTC, seven decimals.',
  },
  actionId: {
    kind: 'text',
    nullable: false,
    from: 'record',
    in: BOTH,
    charsMax: 16,
    doc: 'SQL action code, for example SL, IN, UP, DL, EX, CR, AL, DR, LO.',
  },
  succeeded: {
    kind: 'boolean',
    nullable: false,
    from: 'record',
    in: BOTH,
    doc: 'Whether the SQL action completed successfully.',
  },
  serverInstanceName: name('SQL Server instance name.'),
  databaseName: name('Database of the event.'),
  schemaName: name('Schema of the accessed object.'),
  objectName: name('Object accessed or modified.'),
  serverPrincipalName: name('Server-level login that performed the action.'),
  databasePrincipalName: name('Database-level principal.'),
  applicationName: name('Client application name, when captured.'),
  hostName: name('Client host machine name, when captured.'),
  clientIp: name('Client IP address, or the text SQL Server writes in its place ("local machine").'),
  sourceType: {
    kind: 'text',
    nullable: true,
    from: 'agent',
    in: ['list'],
    charsMax: 64,
    doc: 'Audit source type: the kind of source the agent read ("DirectFile").',
  },
  statement: {
    kind: 'text',
    nullable: true,
    from: 'record',
    in: ['detail'],
    doc: 'The full SQL statement, when captured.',
  },
} as const satisfies Record<string, FieldSpec>;

/**
 * Fields that are read from what an event states in `additional` (`lifted.ts`). No column of the event's row has them,
 * and the evidence log has them within `additional`. A value is text: a number of 64 bits is a decimal text.
 */
export interface LiftedSpec extends ShapeField {
  readonly kind: 'text';
  readonly nullable: true;
  /** Whether the text is an integer of 64 bits, by which the field is compared and added up. */
  readonly isNumber: boolean;
  readonly doc: string;
}
const liftedText = (doc: string) => ({ kind: 'text', nullable: true, isNumber: false, doc }) as const;
const liftedNumber = (doc: string) => ({ kind: 'text', nullable: true, isNumber: true, doc }) as const;

export const LIFTED_FIELDS = {
  responseRows: liftedNumber('Number of rows that the statement returned, as decimal text.'),
  affectedRows: liftedNumber('Number of rows that the statement changed, as decimal text.'),
  sessionId: liftedNumber('Number of the session, as decimal text.'),
  transactionId: liftedNumber('Number of the transaction, as decimal text.'),
  classType: liftedText('Class of the object, for example U, SG, RL.'),
  targetServerPrincipalName: liftedText('Login that the action was about.'),
  targetDatabasePrincipalName: liftedText('User or role of a database that the action was about.'),
  roleMember: liftedText('Login or user that was added to a role or removed from it.'),
} as const satisfies Record<string, LiftedSpec>;

export type LiftedName = keyof typeof LIFTED_FIELDS;
export type NumberField = {
  [N in LiftedName]: (typeof LIFTED_FIELDS)[N]['isNumber'] extends true ? N : never;
}[LiftedName];
export const LIFTED_NAMES = Object.keys(LIFTED_FIELDS) as LiftedName[];
export const isLifted = (name: string): name is LiftedName => Object.hasOwn(LIFTED_FIELDS, name);
export const isNumberField = (name: string): name is NumberField =>
  isLifted(name) && LIFTED_FIELDS[name].isNumber;
export const NUMBER_FIELDS = LIFTED_NAMES.filter(isNumberField);
/** Code points of a text, as the database counts them; a longer one is left in `additional`. */
export const LIFTED_CHARS_MAX = NAME_CHARS_MAX;

export type FieldName = keyof typeof AUDIT_EVENT_FIELDS;
/** A field of an event's own, or a lifted one. */
export type AnyField = FieldName | LiftedName;
type Table = typeof AUDIT_EVENT_FIELDS;
/** One whole audit event as the service returns it (`additional` beside it is not part of the public contract). */
export type AuditEvent = { [N in FieldName]: ValueOf<Table[N]> };

/** List items carry this in place of the statement. */
export const STATEMENT_PREVIEW = {
  name: 'statementPreview',
  charsMax: 200,
  doc: 'First 200 characters of the SQL statement, when captured.',
} as const;

export type AuditEventListItem = { [N in ListFieldName]: ValueOf<Table[N]> } & {
  statementPreview: string | null;
};
type ListFieldName = {
  [N in FieldName]: 'list' extends Table[N]['in'][number] ? N : never;
}[FieldName];
export type RecordFieldName = { [N in FieldName]: Table[N]['from'] extends 'record' ? N : never }[FieldName];

export const FIELD_NAMES = Object.keys(AUDIT_EVENT_FIELDS) as FieldName[];
const select = (keep: (spec: FieldSpec) => boolean) => FIELD_NAMES.filter((n) => keep(AUDIT_EVENT_FIELDS[n]));

export const LIST_FIELDS = select((spec) => spec.in.includes('list')) as ListFieldName[];
export const DETAIL_FIELDS = select((spec) => spec.in.includes('detail'));
/** Fields an audit record in a `.sqlaudit` file states itself. */
export const RECORD_FIELDS = select((spec) => spec.from === 'record') as RecordFieldName[];
/** Fields an ingested event carries. */
export const INGEST_FIELDS = select((spec) => spec.from !== 'service');
/** Fields whose words full-text search covers. */
export const SEARCHED_FIELDS = select((spec) => spec.kind === 'text' && spec.from !== 'service');

/** `serverPrincipalName` → `server_principal_name`: the SQL Server column and the database column of a field. */
export const toSnakeCase = (camel: string): string => camel.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
/** The database column of each field. Only the columns of hours have those of lifted fields. */
export const COLUMN_OF = Object.fromEntries(
  [...FIELD_NAMES, ...LIFTED_NAMES].map((n) => [n, toSnakeCase(n)]),
) as Readonly<Record<AnyField, string>>;
/** `session_id` → `sessionId`. */
export const toCamelCase = (snake: string): string =>
  snake.replace(/_+([a-z0-9])/g, (_, c: string) => c.toUpperCase());
