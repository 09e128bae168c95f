import type { OwnerDoor, ServiceDoor } from '../../src/database/clients';
import { layout } from '../../src/database/each-tenant';
import type { EngineName } from './engines';

/** The layouts that statements are made for on an engine: whether it is distributed. Each engine runs the second one. */
export const layoutsOf = (engine: EngineName): readonly boolean[] =>
  engine === 'citus' ? [true] : [false, true];

/** The same door, with statements for another layout. */
export const inLayout = <Door extends ServiceDoor | OwnerDoor>(isDistributed: boolean, door: Door): Door => ({
  ...door,
  ...layout(isDistributed),
});

/** A door without a database, with some methods that a test gives. */
export const fakeService = (given: Partial<Record<keyof ServiceDoor, unknown>>): ServiceDoor =>
  ({ login: 'service', ...layout(false), ...given }) as Partial<ServiceDoor> as ServiceDoor;
