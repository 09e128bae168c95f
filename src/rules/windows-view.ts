import { AUDIT_EVENT_FIELDS, toCamelCase } from '../event/fields';
import type { DetectionEvent, Value } from './event';
import { codeOf, isFailedLogin } from './event-values';
import { plainStatementOf } from './plain-statement';

/**
 * Public rules for SQL Server are written for the Windows application log. There SQL Server renders each audit record
 * as lines of `name:value`, and writes a separate message for a failed login. This view shows our events in that form.
 */

/** The event ID of every audit record. Failed logins, changed options and extended procedures have a further one. */
const AUDIT_EVENT_ID = 33205;
const FAILED_LOGIN_ID = 18456;
const OPTION_CHANGED_ID = 15457;
const EXTENDED_PROCEDURE_ID = 8128;
export const EVENT_IDS = [AUDIT_EVENT_ID, FAILED_LOGIN_ID, OPTION_CHANGED_ID, EXTENDED_PROCEDURE_ID].map(
  String,
);

/** The columns in the order in which SQL Server writes them. */
const LINES = [
  ...[
    'audit_schema_version',
    'event_time',
    'sequence_number',
    'action_id',
    'succeeded',
    'is_column_permission',
  ],
  ...['session_id', 'server_principal_id', 'database_principal_id', 'target_server_principal_id'],
  ...['target_database_principal_id', 'object_id', 'user_defined_event_id', 'transaction_id', 'class_type'],
  ...['duration_milliseconds', 'response_rows', 'affected_rows', 'client_ip', 'permission_bitmask'],
  ...['sequence_group_id', 'session_server_principal_name', 'server_principal_name', 'server_principal_sid'],
  ...['database_principal_name', 'target_server_principal_name', 'target_server_principal_sid'],
  ...[
    'target_database_principal_name',
    'server_instance_name',
    'database_name',
    'schema_name',
    'object_name',
  ],
  ...['statement', 'additional_information', 'user_defined_information', 'application_name', 'connection_id'],
  ...['data_sensitivity_information', 'host_name'],
].map((name) => ({ name, key: toCamelCase(name), isField: toCamelCase(name) in AUDIT_EVENT_FIELDS }));

/** SQL Server pads codes with spaces. */
const WIDTHS: Readonly<Record<string, number>> = { action_id: 4, class_type: 2 };

function lineValue({ fields, additional }: DetectionEvent, line: (typeof LINES)[number]): string {
  if (line.name === 'event_time') return (fields.eventTime ?? '').replace('T', ' ').replace('Z', '');
  const own = line.isField ? fields[line.key as keyof typeof fields] : additional[line.key];
  if (own === null || own === undefined) return line.name === 'audit_schema_version' ? '1' : '';
  return String(own).padEnd(WIDTHS[line.name] ?? 0);
}

const rendered = (event: DetectionEvent): string =>
  LINES.map((line) => `${line.name}:${lineValue(event, line)}`).join('\n');

const QUOTED = /'([^']*)'/;
const REASON = /Reason: [^[]*/;
const CLIENT = /\[CLIENT: [^[\]]*\]/;
/** What a client without an address has in `clientIp`. The log writes these in angle brackets. */
const NO_ADDRESS = ['local machine', 'named pipe'];

/** The message of event 18456, followed by its parts as the log keeps them. */
function failedLogin({ fields }: DetectionEvent): string[] {
  const statement = fields.statement ?? '';
  const login = QUOTED.exec(statement)?.[1] ?? fields.serverPrincipalName ?? '';
  const reason = REASON.exec(statement)?.[0].trim() ?? '';
  const given = fields.clientIp ?? '';
  const address = NO_ADDRESS.includes(given) ? `<${given}>` : given;
  const client = CLIENT.exec(statement)?.[0] ?? (address && `[CLIENT: ${address}]`);
  const message = [`Login failed for user '${login}'.`, reason, client].filter(Boolean).join(' ');
  return [message, login, ` ${reason}`, ` ${client}`];
}

const OPTION =
  /\bsp_configure ?(?:@configname=)?["']?(?=([^"',;@]{1,64}))\1["']?,(?:@configvalue=)?["']?(-?\d{1,10})\b/gi;
const CONFIGURES = /sp_configure/i;
/** A server has about 90 options. A statement of megabytes may repeat them, or invent others. */
const CHANGES_MAX = 1_000;

/**
 * For each changed option the message of event 15457, followed by its parts. A record does not have the former value.
 * For a switch it is the opposite value.
 */
function changedOption(event: DetectionEvent): string[] {
  const { succeeded, statement } = event.fields;
  if (succeeded === false || !statement || !CONFIGURES.test(statement)) return [];
  const changes = new Map<string, readonly string[]>();
  for (const [, option = '', value = ''] of plainStatementOf(event).matchAll(OPTION)) {
    const former = value === '0' ? '1' : '0';
    const change = `Configuration option '${option}' changed from ${former} to ${value}.`;
    changes.set(change, [`${change} Run the RECONFIGURE statement to install.`, option, former, value]);
    if (changes.size >= CHANGES_MAX) break;
  }
  return [...changes.values()].flat();
}

/** The message of event 8128, followed by its parts. A record names neither the DLL nor its version. */
function extendedProcedure({ fields, additional }: DetectionEvent): string[] {
  const isOne = codeOf(fields.actionId)?.toUpperCase() === 'EX' && codeOf(additional.classType) === 'X';
  if (!isOne || fields.succeeded === false || !fields.objectName) return [];
  const message = `Using '' version '' to execute extended stored procedure '${fields.objectName}'.`;
  return [`${message} This is an informational message only; no user action is required.`, fields.objectName];
}

/** The events that the log has in addition to the audit record: each an event ID, with the message and its parts. */
function further(event: DetectionEvent): readonly (readonly [id: number, texts: readonly string[]])[] {
  if (isFailedLogin(event)) return [[FAILED_LOGIN_ID, failedLogin(event)]];
  const others = [
    [OPTION_CHANGED_ID, changedOption(event)],
    [EXTENDED_PROCEDURE_ID, extendedProcedure(event)],
  ] as const;
  return others.filter(([, texts]) => texts.length > 0);
}

const eventIds = (event: DetectionEvent): readonly string[] =>
  [AUDIT_EVENT_ID, ...further(event).map(([id]) => id)].map(String);

/** The name of an event source in Windows contains the name of the named instance. */
function providers({ fields }: DetectionEvent): string[] {
  const instance = fields.serverInstanceName?.split('\\')[1];
  const named = instance ? [`MSSQL$${instance}`, `MSSQL$${instance}$AUDIT`] : [];
  return [...named, 'MSSQLSERVER', 'MSSQLSERVER$AUDIT'];
}

const cache = new WeakMap<DetectionEvent, readonly string[]>();

function data(event: DetectionEvent): readonly string[] {
  const known = cache.get(event);
  if (known) return known;
  const texts = [rendered(event), ...further(event).flatMap(([, some]) => some)];
  cache.set(event, texts);
  return texts;
}

const computer = ({ fields }: DetectionEvent) => fields.serverInstanceName?.split('\\')[0];

export const windowsView = {
  data,
  /** The data without the record that has the name of each column. */
  messages: (event: DetectionEvent): readonly string[] => data(event).slice(1),
  eventIds,
  fields: {
    Provider_Name: providers,
    Source: providers,
    EventID: eventIds,
    Data: data,
    Message: data,
    Channel: () => 'Application',
    Computer: computer,
    ComputerName: computer,
  } as Readonly<Record<string, (event: DetectionEvent) => Value | readonly Value[]>>,
};
