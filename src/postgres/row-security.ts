import type { PrismaClient } from './database';
import { sqlStateOf } from './failure';
import { SERVICE_ROLE } from './tenant-rows';

/** Requests would not be bound by row-level security, or could do nothing under it: printed as one line. */
export class NoRowSecurity extends Error {
  override readonly name = 'NoRowSecurity';
}

/** "role does not exist" and "permission denied to set role", when a connection is made. */
const ROLE_REFUSED = /^(?:22023|42501)$/;

/** @param prisma on the connections of requests @throws NoRowSecurity */
export async function assertRowSecurity(prisma: PrismaClient): Promise<void> {
  const [role] = await prisma
    .$queryRawUnsafe<{ name: string; is_member: boolean; is_bound: boolean }[]>(
      `SELECT current_user::text AS name, pg_has_role(current_user, '${SERVICE_ROLE}', 'USAGE') AS is_member,
         row_security_active('audit_event') AND NOT pg_has_role(current_user, relowner, 'USAGE') AS is_bound
       FROM pg_class WHERE oid = 'audit_event'::regclass`,
    )
    .catch((error: unknown) => {
      if (!ROLE_REFUSED.test(sqlStateOf(error) ?? '')) throw error;
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
