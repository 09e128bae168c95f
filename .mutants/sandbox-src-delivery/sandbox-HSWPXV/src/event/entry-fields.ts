import type { FieldName } from './fields';

/** The first byte of each entry of the evidence log. */
export const ENTRY_VERSION = 1;

/**
 * The fields of a version 1 entry, in their order. The list is written out, so that a change of the field table never
 * changes the hash of an entry. Another set or order of fields needs another version.
 */
export const ENTRY_V1_FIELDS = [
  'recordId',
  'tenantId',
  'eventTime',
  'actionId',
  'succeeded',
  'serverInstanceName',
  'databaseName',
  'schemaName',
  'objectName',
  'serverPrincipalName',
  'databasePrincipalName',
  'applicationName',
  'hostName',
  'clientIp',
  'sourceType',
  'statement',
] as const satisfies readonly FieldName[];
