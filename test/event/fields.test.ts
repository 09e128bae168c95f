import {
  AUDIT_EVENT_FIELDS,
  DETAIL_FIELDS,
  FIELD_NAMES,
  INGEST_FIELDS,
  LIST_FIELDS,
  RECORD_FIELDS,
  SEARCHED_FIELDS,
  STATEMENT_PREVIEW,
  toCamelCase,
  toSnakeCase,
} from '../../src/event/fields';

/** Columns of `sys.fn_get_audit_file`, hence of an audit record (SQLAUDIT-FORMAT.md, section 8). */
const AUDIT_COLUMNS =
  `audit_schema_version event_time sequence_number action_id succeeded is_column_permission session_id
  server_principal_id database_principal_id target_server_principal_id target_database_principal_id object_id
  user_defined_event_id transaction_id class_type duration_milliseconds response_rows affected_rows client_tls_version
  database_transaction_id ledger_start_sequence_number client_ip permission_bitmask sequence_group_id
  session_server_principal_name server_principal_name server_principal_sid database_principal_name
  target_server_principal_name target_server_principal_sid target_database_principal_name server_instance_name
  database_name schema_name object_name statement additional_information user_defined_information application_name
  connection_id data_sensitivity_information host_name session_context client_tls_version_name
  external_policy_permissions_checked`.split(/\s+/);

describe('the field table', () => {
  it('names each field of an audit record after its SQL Server column', () => {
    const columns = RECORD_FIELDS.map(toSnakeCase);
    expect(columns.filter((column) => !AUDIT_COLUMNS.includes(column))).toEqual([]);
  });

  it('gives a listed event the fields of the specification', () => {
    expect([...LIST_FIELDS, STATEMENT_PREVIEW.name].sort()).toEqual(
      [
        ...[
          'recordId',
          'tenantId',
          'eventTime',
          'actionId',
          'succeeded',
          'serverInstanceName',
          'databaseName',
        ],
        ...['schemaName', 'objectName', 'serverPrincipalName', 'databasePrincipalName', 'applicationName'],
        ...['hostName', 'clientIp', 'sourceType', 'statementPreview'],
      ].sort(),
    );
  });

  it('gives a single event the statement, and neither its preview nor the source type', () => {
    const inList = (name: string) => (LIST_FIELDS as readonly string[]).includes(name);
    const difference = FIELD_NAMES.filter((name) => DETAIL_FIELDS.includes(name) !== inList(name));
    expect(difference.sort()).toEqual(['sourceType', 'statement']);
    expect(DETAIL_FIELDS).toContain('statement');
    expect(DETAIL_FIELDS).not.toContain(STATEMENT_PREVIEW.name);
  });

  it('takes every field from an agent except those that the service itself sets', () => {
    const decided = FIELD_NAMES.filter((name) => !INGEST_FIELDS.includes(name));
    expect(decided.sort()).toEqual(['recordId', 'tenantId']);
  });

  it('makes every text of an event searchable, the statement included', () => {
    const texts = INGEST_FIELDS.filter((name) => AUDIT_EVENT_FIELDS[name].kind === 'text');
    expect(SEARCHED_FIELDS).toEqual(texts);
    expect(SEARCHED_FIELDS).toContain('statement');
  });

  it('describes every field, and shows each in at least one answer', () => {
    for (const name of FIELD_NAMES) {
      expect(AUDIT_EVENT_FIELDS[name].doc).toMatch(/^[A-Z].*[.)]$/);
      expect(AUDIT_EVENT_FIELDS[name].in.length).toBeGreaterThan(0);
    }
  });
});

describe('casing', () => {
  it('is converted between SQL Server, GraphQL and REST by one function and its inverse', () => {
    for (const name of FIELD_NAMES) {
      expect(toSnakeCase(name)).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(toCamelCase(toSnakeCase(name))).toBe(name);
    }
    for (const column of AUDIT_COLUMNS) expect(toSnakeCase(toCamelCase(column))).toBe(column);
  });

  it('gives every field a column of its own', () => {
    expect(new Set(FIELD_NAMES.map(toSnakeCase)).size).toBe(FIELD_NAMES.length);
  });
});
