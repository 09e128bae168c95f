import {
  type AnyField,
  AUDIT_EVENT_FIELDS,
  COLUMN_OF,
  FIELD_NAMES,
  type FieldName,
  isNumberField,
  LIFTED_NAMES,
} from '../../event/fields';

/**
 * The layout of a file of sealed events, version 1. One file holds events of one tenant and one week, sorted by record
 * id. Texts are in their stored form (`rows/stored-text.ts`); an absent text is empty, and an absent number is NULL. A
 * reader outside finds times as timestamps, what an event states beyond its own fields as JSON in `additional`, and the
 * lifted fields beside it.
 */
export const LAYOUT_VERSION = 1;

interface FileColumn {
  readonly name: string;
  /** Its type in the file, as DuckDB names it. */
  readonly type: 'UUID' | 'TIMESTAMP' | 'INTEGER' | 'BIGINT' | 'BOOLEAN' | 'VARCHAR';
}

/** The columns of the fields, and their names in `audit_event`. */
const FIELD_COLUMNS: readonly FileColumn[] = FIELD_NAMES.map((field) => ({
  name: COLUMN_OF[field],
  type: typeOf(field),
}));

export const FILE_COLUMNS: readonly FileColumn[] = [
  ...FIELD_COLUMNS,
  { name: 'additional', type: 'VARCHAR' },
  ...LIFTED_NAMES.map((field) => ({
    name: COLUMN_OF[field],
    type: isNumberField(field) ? ('BIGINT' as const) : ('VARCHAR' as const),
  })),
  // The last position of the event in the evidence log of its tenant.
  { name: 'position', type: 'BIGINT' },
  // When the service received it; NULL: a release that did not keep this time stored it.
  { name: 'received_at', type: 'TIMESTAMP' },
];

/** The columns of texts that filters and searches look into. */
export const FILE_TEXTS: readonly string[] = FILE_COLUMNS.filter(
  ({ name, type }) => type === 'VARCHAR' && name !== 'additional',
).map(({ name }) => name);

function typeOf(field: FieldName): FileColumn['type'] {
  if (field === 'tenantId') return 'INTEGER';
  switch (AUDIT_EVENT_FIELDS[field].kind) {
    case 'id':
      return 'UUID';
    case 'time':
      return 'TIMESTAMP';
    case 'boolean':
      return 'BOOLEAN';
    case 'text':
      return 'VARCHAR';
  }
}

/** SQL of DuckDB: the value of a field of the event `e`, as rows have it; an absent text is empty. */
export const fileFieldSql = (field: AnyField): string =>
  isNumberField(field) ? `coalesce(e.${COLUMN_OF[field]}::VARCHAR, '')` : `e.${COLUMN_OF[field]}`;

/** Columns of `audit_event` that a line of the sealer's input takes over as they are. */
export const ROW_COLUMNS: readonly string[] = [
  ...FIELD_NAMES.filter((name) => name !== 'eventTime').map((name) => COLUMN_OF[name]),
];

/** Rows of a row group: a filter by record id reads about so many. */
export const ROWS_PER_GROUP = 61_440;
