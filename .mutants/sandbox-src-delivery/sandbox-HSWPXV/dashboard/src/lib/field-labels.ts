import { AUDIT_EVENT_FIELDS } from '../../../src/event/fields';

/** Short names of the fields for headings, in the words of SQL Server's documentation. */
export const FIELD_LABELS = {
  recordId: 'Record id',
  tenantId: 'Tenant',
  eventTime: 'Time',
  actionId: 'Action',
  succeeded: 'Outcome',
  serverInstanceName: 'Server instance',
  databaseName: 'Database',
  schemaName: 'Schema',
  objectName: 'Object',
  serverPrincipalName: 'Principal',
  databasePrincipalName: 'Database principal',
  applicationName: 'Application',
  hostName: 'Host',
  clientIp: 'Client address',
  sourceType: 'Source type',
  statement: 'Statement',
  statementPreview: 'Statement',
} as const satisfies Record<keyof typeof AUDIT_EVENT_FIELDS | 'statementPreview', string>;
