import type { ServiceDoor } from '../clients';
import { SERVICE_ROLE } from '../each-tenant';
import { isFailure } from '../failure';

/** The tables are distributed, and these logins can't use them. Printed as one line. */
class CannotUseNodes extends Error {
  override readonly name = 'CannotUseNodes';
}

/** A node refuses the login, or does not have the login, its password or its rights. */
const REFUSED = [
  'invalid_authorization_specification',
  'invalid_password',
  'insufficient_privilege',
  'undefined_object',
] as const;

/**
 * Checks that the logins of the coordinator can use the nodes too. Without this check the service would start and
 * answer nothing. A node that is away now is not an error, because the other nodes still answer.
 * @throws CannotUseNodes
 */
export async function checkNodes(service: ServiceDoor, hasTwoLogins: boolean): Promise<void> {
  if (!service.isDistributed) return;
  if (!hasTwoLogins)
    throw new CannotUseNodes(
      'The tables are distributed, and nodes know no SET ROLE: one login cannot both own them and be bound by row-level ' +
        `security. Set MIGRATION_DATABASE_URL to the owner's login, and DATABASE_URL to another one that is a member of ${SERVICE_ROLE}.`,
    );
  await service.models.$queryRaw`SELECT count(*)::int AS n FROM tenant`.catch((error: unknown) => {
    if (!isFailure(error, ...REFUSED)) return;
    throw new CannotUseNodes(
      `A node of the distributed database refuses the login of DATABASE_URL: make it there too, a member of ${SERVICE_ROLE}, ` +
        `and let the coordinator in (pg_hba.conf). ${textOf(error)}`,
    );
  });
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n').at(-1) ?? '') : '';
