/* Checked by the compiler alone: a caller that takes one door for the other is refused. */
import { type OwnerDoor, Prisma, type ServiceDoor } from '../../src/database/clients';
import { oneTenant } from '../../src/tenant-set';

declare const service: ServiceDoor;
declare const owner: OwnerDoor;
const STATEMENT = Prisma.sql`SELECT 1`;
const [tenantId]: readonly [number] = [1];

const byService = (_door: ServiceDoor) => {};
const byOwner = (_door: OwnerDoor) => {};
const asks = (_ask: ServiceDoor['ask']) => {};
const serviceAsks = (_door: Pick<ServiceDoor, 'login' | 'ask'>) => {};

export const refusedByTheCompiler = [
  // @ts-expect-error the owner's door sees every tenant's rows
  () => byService(owner),
  // @ts-expect-error the service's door sees no rows by its models
  () => byOwner(service),
  // @ts-expect-error a part of the owner's door is not one of the service's
  () => serviceAsks({ ...owner }),
  // @ts-expect-error a bare function of the owner's door would ignore the tenants
  () => asks(owner.ask),
  // @ts-expect-error the tenants are missing
  () => service.ask(STATEMENT),
  // @ts-expect-error a list of numbers is not a tenant set
  () => service.ask(STATEMENT, [tenantId]),
  // @ts-expect-error no tenants are not a tenant set
  () => service.steps([], async () => {}),
  // @ts-expect-error the owner's door would ignore the tenants
  () => owner.ask(STATEMENT, oneTenant(tenantId)),
  // @ts-expect-error the owner's door would ignore the tenants
  () => owner.steps(oneTenant(tenantId), async () => {}),
];
