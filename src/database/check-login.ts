import { Client, type DatabaseError } from 'pg';
import { LIMITS } from '../limits';
import { failureOf } from './failure';

/** PostgreSQL can't be used as configured. The message is one line: which setting to change, and how. */
class LoginRefused extends Error {
  override readonly name = 'LoginRefused';
}

/** The driver has no error code for these two. */
const WITHOUT_TLS = /does not support SSL/i;
const WITHOUT_PASSWORD = /client password must be a string/i;
const NO_OPTIONS = /unsupported startup parameter/i;
const UNREACHABLE = /^E(?:CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|TIMEDOUT|AI_AGAIN|PIPE)$|^ENOTFOUND$/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;

/** A setting that means nothing to PostgreSQL. It shows whether the settings of a connection reach PostgreSQL. */
const SENTINEL = 'audit_activity.sentinel';
const OPTIONS_LOST =
  'the settings of a connection do not reach PostgreSQL: name PostgreSQL itself and no pooler, such as PgBouncer, since the ' +
  'service has pools of its own; and leave "options" out of the URL (ALTER ROLE sets settings of your own).';

/**
 * Connects once, in the simplest way, so that an error at the start has a clear message.
 * @param variable name of the variable that holds the connection string
 * @param isOwner whether the login must be able to make tables
 * @throws LoginRefused
 */
export async function checkLogin(
  variable: string,
  connectionString: string,
  isOwner: boolean,
): Promise<void> {
  let client: Client | undefined;
  try {
    client = new Client({
      connectionString,
      connectionTimeoutMillis: LIMITS.backgroundConnectMs,
      options: `-c ${SENTINEL}=there`,
    });
    client.on('error', () => {});
    await client.connect();
    await assertOptions(variable, client);
    await assertUnicode(variable, client);
    if (isOwner) await assertMayMakeTables(variable, client);
  } catch (error) {
    if (error instanceof LoginRefused) throw error;
    throw new LoginRefused(`${variable}: ${reasonOf(error as Partial<DatabaseError>, client)}`, {
      cause: error,
    });
  } finally {
    await client?.end().catch(() => {});
  }
}

async function assertOptions(variable: string, client: Client): Promise<void> {
  const { rows } = await client.query<{ sentinel: string | null }>(
    `SELECT current_setting('${SENTINEL}', true) AS sentinel`,
  );
  if (rows[0]?.sentinel !== 'there') throw new LoginRefused(`${variable}: ${OPTIONS_LOST}`);
}

/** Another encoding refuses some texts, or counts bytes for characters, and events with such texts would never be stored. */
async function assertUnicode(variable: string, client: Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  );
  const encoding = rows[0]?.encoding;
  if (encoding === 'UTF8') return;
  throw new LoginRefused(
    `${variable}: the database has the encoding ${encoding}, which does not hold every character: ` +
      `make one with ENCODING 'UTF8' TEMPLATE template0, and restore a dump into that one.`,
  );
}

async function assertMayMakeTables(variable: string, client: Client): Promise<void> {
  const { rows } = await client.query<{ login: string; schema: string | null; may: boolean | null }>(
    `SELECT quote_ident(current_user) AS login, quote_ident(current_schema()) AS schema,
       has_schema_privilege(current_schema(), 'CREATE') AS may`,
  );
  const [found] = rows;
  if (found?.schema && found.may) return;
  throw new LoginRefused(
    `${variable}: the login ${found?.login} may not make tables in the schema ${found?.schema ?? 'of its search_path'}: ` +
      `make it the owner of the database, or GRANT CREATE, USAGE ON SCHEMA ${found?.schema ?? 'public'} TO ${found?.login}.`,
  );
}

/** What to do about an error of the driver. When the driver's message says enough, that message. */
function reasonOf({ code = '', message = '' }: Partial<DatabaseError>, client: Client | undefined): string {
  const { user, database, host, port } = client ?? {};
  switch (failureOf({ code })) {
    case 'invalid_password':
      return `PostgreSQL does not know the login ${user}, or its password is another one.`;
    case 'invalid_catalog_name':
      return `There is no database ${database} on ${host}:${port}: make it, with the login that owns the tables as its owner.`;
    case 'invalid_authorization_specification':
      return /no encryption/.test(message)
        ? `${message}. If the server demands TLS, add sslmode=verify-full to the URL, with sslrootcert=FILE for a CA of your own; else pg_hba.conf there needs a line for this login.`
        : `${message}.`;
  }
  if (CERTIFICATE.test(code))
    return (
      `The certificate of ${host}:${port} is not trusted: ${message}. sslmode=require checks it as verify-full does: ` +
      'give its CA by sslrootcert=FILE, and the host by the name the certificate has. sslmode=no-verify encrypts, ' +
      'and trusts any server.'
    );
  if (UNREACHABLE.test(code) || /timeout expired|terminated unexpectedly/.test(message))
    return `No PostgreSQL can be reached at ${host}:${port}: ${code || message}.`;
  if (NO_OPTIONS.test(message)) return OPTIONS_LOST;
  if (WITHOUT_TLS.test(message))
    return `sslmode asks for TLS, which the server at ${host}:${port} does not offer: turn it on there, or leave sslmode out.`;
  if (WITHOUT_PASSWORD.test(message))
    return `The server asks for a password of the login ${user}, and none is given.`;
  return code ? `${message} (${code}).` : `${message}.`;
}
