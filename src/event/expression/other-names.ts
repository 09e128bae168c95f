import { type ExpressionField, fieldNamed } from './expression';

/** Names that people know from elsewhere, in lower case and without separators. */
const KNOWN_AS: Readonly<Record<string, ExpressionField>> = {
  user: 'serverPrincipalName',
  username: 'serverPrincipalName',
  login: 'serverPrincipalName',
  loginname: 'serverPrincipalName',
  principal: 'serverPrincipalName',
  account: 'serverPrincipalName',
  db: 'databaseName',
  database: 'databaseName',
  dbuser: 'databasePrincipalName',
  server: 'serverInstanceName',
  instance: 'serverInstanceName',
  servername: 'serverInstanceName',
  object: 'objectName',
  table: 'objectName',
  schema: 'schemaName',
  action: 'actionId',
  host: 'hostName',
  client: 'hostName',
  workstation: 'hostName',
  machine: 'hostName',
  ip: 'clientIp',
  address: 'clientIp',
  clientaddress: 'clientIp',
  app: 'applicationName',
  application: 'applicationName',
  program: 'applicationName',
  success: 'succeeded',
  sql: 'statement',
  query: 'statement',
  tenant: 'tenantId',
};

/** The field that a name means here or elsewhere; null: none is known. */
export function fieldMeant(name: string): ExpressionField | null {
  const plain = name.replaceAll('_', '');
  const known = plain.toLowerCase();
  return fieldNamed(name) ?? (Object.hasOwn(KNOWN_AS, known) ? (KNOWN_AS[known] ?? null) : fieldNamed(plain));
}
