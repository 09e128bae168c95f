import { entryOf, type MapNode, textAt } from './node';
import { type Problems, short } from './problem';

/** The log that a rule looks at, in small letters. A part that the rule does not name is absent. */
export interface Logsource {
  readonly product?: string;
  readonly category?: string;
  readonly service?: string;
}
const KEYS = ['product', 'category', 'service'] as const;

const SQL_SERVER = 'sqlserver';
const SQL_SERVER_NAMES = [SQL_SERVER, 'mssql', 'mssqlserver', 'sql_server', 'microsoft_sqlserver'];
const SQL_SERVICES = [...SQL_SERVER_NAMES, 'audit', 'sqlaudit', 'sql_audit'];
const WINDOWS_SERVICES = ['application', 'security'];

/** @returns null: the document has no log source */
export function logsourceAt(root: MapNode): Logsource | null {
  const map = entryOf(root, 'logsource')?.value;
  if (map?.kind !== 'map') return null;
  const named = KEYS.flatMap((key) => {
    const value = textAt(map, key)?.toLowerCase();
    return value === undefined ? [] : [[key, SQL_SERVER_NAMES.includes(value) ? SQL_SERVER : value]];
  });
  return Object.fromEntries(named) as Logsource;
}

/** Whether a filter of one log source narrows a rule of another. All names of SQL Server's audit mean the same log. */
export const narrows = (filter: Logsource | null, rule: Logsource | null): boolean =>
  (isAudit(filter) && isAudit(rule)) ||
  KEYS.every((key) => filter?.[key] === undefined || filter[key] === rule?.[key]);

/** The log source of a rule: SQL Server's audit itself, or a Windows log that SQL Server writes to. */
export function ruleLogsource(root: MapNode, problems: Problems): Logsource | null {
  const entry = entryOf(root, 'logsource');
  if (!entry) return problems.add(root.line, 'a rule must have a logsource');
  const logsource = logsourceAt(root);
  if (!logsource) return problems.add(entry.line, 'logsource must be a map');
  if (isOurs(logsource)) return logsource;
  const named = Object.entries(logsource).map(([key, value]) => `${key}: ${value}`);
  return problems.add(
    entry.line,
    `this logsource is not supported (${short(named.join(', '))}): events here are those of product sqlserver, or of ` +
      'product windows, service application',
  );
}

export const isWindows = (logsource: Logsource | null): boolean => logsource?.product === 'windows';

const isAudit = (logsource: Logsource | null): boolean =>
  logsource !== null && !isWindows(logsource) && isOurs(logsource);

function isOurs({ product, category, service }: Logsource): boolean {
  if (product === SQL_SERVER) return true;
  if (product === 'windows')
    return (
      category === undefined &&
      (service === undefined || [...WINDOWS_SERVICES, ...SQL_SERVICES].includes(service))
    );
  return (
    product === undefined &&
    (category === undefined || category === 'database') &&
    (service === undefined || SQL_SERVICES.includes(service))
  );
}
