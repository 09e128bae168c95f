import type { FieldName } from './fields';

/** The first byte of each entry of the evidence log. */
export const ENTRY_VERSION = 1;

/**
 * The fields of a version 1 entry, in their order, written down: what was hashed is hashed the same for ever, whatever
 * becomes of the field table. Another set or order of fields is another version.
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
