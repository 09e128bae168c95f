import type { JsonScalar } from './audit-record';
import type { AuditEvent, FieldName } from './fields';

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

/**
 * The two JSON texts of an entry, behind its version: the names in `additional`, sorted by UTF-16 units, and the values
 * of the fields and of these names.
 */
export function entryTexts(
  event: AuditEvent & { readonly additional: Readonly<Record<string, JsonScalar>> },
): readonly [names: string, values: string] {
  const names = Object.keys(event.additional).sort();
  const values: JsonScalar[] = ENTRY_V1_FIELDS.map((name) => event[name] ?? null);
  for (const name of names) values.push(event.additional[name] ?? null);
  return [JSON.stringify(names), JSON.stringify(values)];
}
