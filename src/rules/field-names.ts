import { AUDIT_EVENT_FIELDS, type FieldName, LIFTED_NAMES, toCamelCase, toSnakeCase } from '../event/fields';
import { FILTERS } from '../event/filters';
import { type DetectionEvent, type FieldSlot, NO_SLOT, type Value } from './event';
import { auditNameOf, clientOf, codeOf, granteeOf, loginOf, madeLoginOf, roleMemberOf } from './event-values';
import { plainCodeOf, plainStatementsOf, readingOf, serversOf, textsOf } from './plain-statement';
import { windowsView } from './windows-view';

const READERS: Readonly<Record<string, (event: DetectionEvent) => Value | readonly Value[]>> = {
  ...Object.fromEntries(
    Object.keys(AUDIT_EVENT_FIELDS).map((name) => [
      name,
      (event: DetectionEvent) => event.fields[name as FieldName],
    ]),
  ),
  actionId: ({ fields }) => codeOf(fields.actionId),
  clientIp: clientOf,
  serverPrincipalName: loginOf,
  /** These fields have no column in a record. */
  plainStatement: plainStatementsOf,
  plainCode: plainCodeOf,
  texts: textsOf,
  servers: serversOf,
  auditName: auditNameOf,
  procedures: (event) => readingOf(event).procedures,
  calls: (event) => readingOf(event).calls,
  madeBy: (event) => readingOf(event).madeBy,
  roleMember: roleMemberOf,
  grantee: granteeOf,
  madeLogin: madeLoginOf,
  ...windowsView.fields,
};

const ADDITIONAL = 'additional.';
const ALIASES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(LIFTED_NAMES.map((name) => [name, ADDITIONAL + name])),
  ...Object.fromEntries(Object.keys(AUDIT_EVENT_FIELDS).map((name) => [toSnakeCase(name), name])),
  ...Object.fromEntries(Object.entries(FILTERS).map(([name, { field }]) => [name, field])),
};

/** Columns of SQL Server that events carry in `additional`. Rules may name them as SQL Server does. */
const COLUMNS = new Set([
  ...[
    'sequence_number',
    'is_column_permission',
    'session_id',
    'server_principal_id',
    'database_principal_id',
  ],
  ...['target_server_principal_id', 'target_database_principal_id', 'object_id', 'class_type'],
  ...['permission_bitmask', 'session_server_principal_name', 'server_principal_sid', 'sequence_group_id'],
  ...['target_server_principal_name', 'target_server_principal_sid', 'target_database_principal_name'],
  ...['additional_information', 'user_defined_event_id', 'user_defined_information', 'audit_schema_version'],
  ...['transaction_id', 'duration_milliseconds', 'response_rows', 'affected_rows', 'connection_id'],
  ...['data_sensitivity_information', 'external_policy_permissions_checked', 'obo_middle_tier_app_id'],
]);

const known = new Map<string, FieldSlot>(
  [
    ...Object.entries(READERS),
    ...[...COLUMNS].map(
      (column) => [ADDITIONAL + toCamelCase(column), additional(toCamelCase(column))] as const,
    ),
  ].map(([name, read], slot) => [name, { slot, name, read }]),
);

/** All slots are below this number. */
export const SLOTS = known.size;

function additional(key: string) {
  if (key === 'classType') return (event: DetectionEvent): Value => codeOf(event.additional[key]);
  return (event: DetectionEvent): Value => event.additional[key];
}

/** Fields that hold what statements say, beside `additional` that nobody knows. */
const OF_STATEMENTS = new Set([
  ...['statement', 'plainStatement', 'plainCode', 'texts', 'calls', 'Data', 'Message'],
  ...['additional.additionalInformation', 'additional.userDefinedInformation'],
]);
/** Whether a condition on a field could tell literals of statements. */
export const tellsLiterals = ({ slot, name }: FieldSlot): boolean =>
  slot === NO_SLOT || OF_STATEMENTS.has(name);

/** The slot of the field that a rule names; null: events have no such field. */
export function fieldSlot(given: string): FieldSlot | null {
  const name = canonical(given);
  if (name === null) return null;
  const own = known.get(name);
  if (own || !name.startsWith(ADDITIONAL)) return own ?? null;
  return { slot: NO_SLOT, name, read: additional(name.slice(ADDITIONAL.length)) };
}

function canonical(given: string): string | null {
  if (Object.hasOwn(READERS, given)) return given;
  if (Object.hasOwn(ALIASES, given)) return ALIASES[given] ?? null;
  if (COLUMNS.has(given)) return ADDITIONAL + toCamelCase(given);
  if (given.startsWith(ADDITIONAL) && given.length > ADDITIONAL.length && given.length <= 250) return given;
  return null;
}
