import type { Prisma, ServiceDoor } from './clients';
import { FREE_TABLES, SERVICE_ROLE } from './each-tenant';
import { isFailure } from './failure';

/** Row-level security would not apply to requests, or would let them do nothing. Printed as one line. */
class NoRowSecurity extends Error {
  override readonly name = 'NoRowSecurity';
}

/** Checks the role of requests. @throws NoRowSecurity */
export async function assertRowSecurity(service: ServiceDoor): Promise<void> {
  const [role] = await service.models
    .$queryRawUnsafe<{ name: string; is_member: boolean; is_bound: boolean }[]>(
      `SELECT current_user::text AS name, pg_has_role(current_user, '${SERVICE_ROLE}', 'USAGE') AS is_member,
         row_security_active('audit_event') AND NOT pg_has_role(current_user, relowner, 'USAGE') AS is_bound
       FROM pg_class WHERE oid = 'audit_event'::regclass`,
    )
    .catch((error: unknown) => {
      // The role does not exist, or the login may not become it.
      if (!isFailure(error, 'invalid_parameter_value', 'insufficient_privilege')) throw error;
      throw new NoRowSecurity(
        `The login of DATABASE_URL may not become ${SERVICE_ROLE}: GRANT ${SERVICE_ROLE} TO it.`,
      );
    });
  if (!role?.is_bound)
    throw new NoRowSecurity(
      `With MIGRATION_DATABASE_URL, the login of DATABASE_URL must be bound by row-level security: ${role?.name} is a superuser, has BYPASSRLS, or owns the tables.`,
    );
  if (!role.is_member)
    throw new NoRowSecurity(
      `The login of DATABASE_URL has no rights on the tables: GRANT ${SERVICE_ROLE} TO ${role.name}.`,
    );
}

/** Lists the tables that hold rows of tenants, and the state of row-level security of each. */
const TENANT_TABLES = `
SELECT c.relname AS name, c.relrowsecurity AND EXISTS (
    SELECT FROM pg_policy p JOIN pg_roles r ON r.oid = ANY (p.polroles)
    WHERE p.polrelid = c.oid AND r.rolname = '${SERVICE_ROLE}') AS is_walled,
  EXISTS (SELECT FROM pg_policy p, unnest(p.polroles) role
    WHERE p.polrelid = c.oid AND pg_has_role(current_user, role, 'USAGE')
      AND role IS DISTINCT FROM (SELECT oid FROM pg_roles WHERE rolname = '${SERVICE_ROLE}')) AS is_open_to_owner
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND c.relname = ANY ($1::text[]) AND c.relname <> ALL ($2::text[])
ORDER BY c.relname`;

/**
 * A dump of a database names roles in its policies but does not contain the roles. A restore without the service's role
 * has lost its rights and policies, so the database is refused. After a restore for an owner of another name, this
 * function makes the owner's policies again. Without them background tasks would find the database empty.
 * @param tx transaction of the owner, on migrated tables
 * @param ownTables names of the tables that migrations make
 * @throws NoRowSecurity
 */
export async function mendRestored(
  tx: Prisma.TransactionClient,
  ownTables: readonly string[],
): Promise<void> {
  const tables = await tx.$queryRawUnsafe<{ name: string; is_walled: boolean; is_open_to_owner: boolean }[]>(
    TENANT_TABLES,
    ownTables,
    FREE_TABLES,
  );
  const [rights] = await tx.$queryRawUnsafe<{ has_grants: boolean }[]>(
    `SELECT COALESCE((SELECT has_table_privilege(oid, 'audit_event', 'SELECT') FROM pg_roles
       WHERE rolname = '${SERVICE_ROLE}'), false) AS has_grants`,
  );
  if (!rights?.has_grants || tables.some(({ is_walled }) => !is_walled))
    throw new NoRowSecurity(
      `The database was restored without the role ${SERVICE_ROLE}, or without policies and grants. ` +
        'Restore it again, into an empty database, after: audit-activity prepare-restore.',
    );
  for (const { name } of tables.filter(({ is_open_to_owner }) => !is_open_to_owner)) {
    await tx.$executeRawUnsafe(`DROP POLICY IF EXISTS owner ON ${name}`);
    await tx.$executeRawUnsafe(`CREATE POLICY owner ON ${name} TO CURRENT_USER USING (true)`);
  }
}
