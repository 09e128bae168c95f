import type { Attempt } from '../../caller/access-log';
import { changeOfTenant } from '../../caller/access-log.store';
import type { Prisma, ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofEveryTenant, ofTenants } from '../../database/tenant-rows';
import { oneTenant } from '../../tenant-set';
import { listStatement } from './delivery.statements';
import { type StoredRow, toDestination } from './delivery-store';
import {
  type Destination,
  type DestinationKey,
  type DestinationSpec,
  REMOVED,
  type SetAsideEvent,
} from './destination';

interface NewDestination extends DestinationKey, DestinationSpec {
  readonly secrets: Buffer;
  readonly position: number;
  readonly goEpoch: string;
}

type Tx = Prisma.TransactionClient;

/** The changes that operators make to destinations. Each writes its entry of the access log in its own transaction. */
export class DestinationStore {
  constructor(private readonly service: ServiceDoor) {}

  /** @returns destinations by tenant, oldest first @param tenantId null: all tenants */
  async list(tenantId: number | null): Promise<readonly Destination[]> {
    const find = (tx: Tx) => tx.$queryRawUnsafe<StoredRow[]>(listStatement(THERE));
    const rows = await guarded(() =>
      tenantId === null
        ? ofEveryTenant(this.service, find)
        : ofTenants(this.service, oneTenant(tenantId), find),
    );
    return rows.map(toDestination);
  }

  /** @param tenantId null: any tenant */
  async find(destinationId: string, tenantId: number | null = null): Promise<Destination | null> {
    const find = (tx: Tx) =>
      tx.$queryRawUnsafe<StoredRow[]>(
        listStatement(`d.destination_id = $1::uuid AND ${THERE}`),
        destinationId,
      );
    const [row] = await guarded(() =>
      tenantId === null
        ? ofEveryTenant(this.service, find)
        : ofTenants(this.service, oneTenant(tenantId), find),
    );
    return row ? toDestination(row) : null;
  }

  /** @returns false if the tenant already has `max` destinations */
  async insert(row: NewDestination, max: number, attempt: Attempt): Promise<boolean> {
    const { tenantId, settings, secrets, ...rest } = row;
    return this.#change(row, attempt, async (tx) => {
      if ((await tx.destination.count({ where: { tenantId, state: { not: REMOVED } } })) >= max) return false;
      await tx.destination.create({
        data: {
          tenantId,
          ...rest,
          state: 'active',
          settings: settings as Prisma.InputJsonObject,
          secrets: new Uint8Array(secrets),
        },
      });
      return true;
    });
  }

  /**
   * Changes a destination unless somebody has changed it since `was` was read. Its position stays. What changes the
   * messages makes the current sender lose its lease: bounds and sizes of batches were those of other messages, and a
   * receiver must not take a new one for a repeat.
   */
  update(
    was: Destination,
    next: Omit<DestinationSpec, 'type'> & { readonly secrets: Buffer },
    attempt: Attempt,
  ) {
    const isRenamedOnly =
      was.filter === next.filter &&
      was.format === next.format &&
      was.secrets === next.secrets &&
      JSON.stringify(was.settings) === JSON.stringify(next.settings);
    const where = {
      ...whereOf(was),
      name: was.name,
      filter: was.filter,
      format: was.format,
      settings: { equals: was.settings as Prisma.InputJsonObject },
      secrets: new Uint8Array(was.secrets),
    };
    const data = {
      name: next.name,
      filter: next.filter,
      format: next.format,
      settings: next.settings as Prisma.InputJsonObject,
      secrets: new Uint8Array(next.secrets),
      ...(isRenamedOnly ? {} : BEGIN_ANEW),
    };
    return this.#change(
      was,
      attempt,
      async (tx) => (await tx.destination.updateMany({ where, data })).count > 0,
    );
  }

  pause(key: DestinationKey, attempt: Attempt): Promise<boolean> {
    return this.#update(key, attempt, { state: 'paused' });
  }

  /** Makes the destination due at once, also while all others wait after a restore. @param goEpoch the current epoch */
  resume(key: DestinationKey, goEpoch: string, attempt: Attempt): Promise<boolean> {
    return this.#update(key, attempt, { state: 'active', goEpoch, attempts: 0, nextAttemptAt: null });
  }

  /** The current sender loses its lease, because its next write would undo this change. */
  replay(key: DestinationKey, position: number, attempt: Attempt): Promise<boolean> {
    return this.#update(key, attempt, {
      position,
      positionSetAt: new Date(),
      ...BEGIN_ANEW,
    });
  }

  /** Stores secrets unless somebody has changed those of `was` meanwhile. */
  putSecrets(was: Destination, secrets: Buffer, attempt: Attempt): Promise<boolean> {
    const where = { ...whereOf(was), secrets: new Uint8Array(was.secrets) };
    const data = { secrets: new Uint8Array(secrets), nextAttemptAt: null };
    return this.#change(
      was,
      attempt,
      async (tx) => (await tx.destination.updateMany({ where, data })).count > 0,
    );
  }

  /** Marks it as removed. Requests may not delete rows, so a background task does that. */
  remove(key: DestinationKey, attempt: Attempt): Promise<boolean> {
    return this.#update(key, attempt, { state: REMOVED, leaseId: null, leaseUntil: null });
  }

  /** Writes an entry for an action that changes nothing in the tables. */
  async note(key: DestinationKey, attempt: Attempt): Promise<void> {
    await this.#change(key, attempt, async () => true);
  }

  /** Writes an entry for the test of a destination that is not stored. */
  async noteTrial(tenantId: number, attempt: Attempt): Promise<void> {
    await changeOfTenant(this.service, tenantId, attempt, async () => ({ value: true }));
  }

  /** Newest first. */
  async setAside(
    { tenantId, destinationId }: DestinationKey,
    limit: number,
  ): Promise<readonly (SetAsideEvent & { readonly at: Date })[]> {
    const rows = await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), (tx) =>
        tx.destinationSetAside.findMany({
          where: { tenantId, destinationId },
          orderBy: { position: 'desc' },
          take: limit,
        }),
      ),
    );
    return rows.map((row) => ({ ...row, position: Number(row.position) }));
  }

  #update(
    key: DestinationKey,
    attempt: Attempt,
    data: Prisma.DestinationUpdateManyMutationInput,
  ): Promise<boolean> {
    return this.#change(
      key,
      attempt,
      async (tx) => (await tx.destination.updateMany({ where: whereOf(key), data })).count > 0,
    );
  }

  async #change(
    { tenantId, destinationId }: DestinationKey,
    attempt: Attempt,
    work: (tx: Tx) => Promise<boolean>,
  ): Promise<boolean> {
    const done = await changeOfTenant(this.service, tenantId, attempt, async (tx) =>
      (await work(tx)) ? { value: true, subject: destinationId } : null,
    );
    return done !== null;
  }
}

/** The next batch has another id than any before, and the current sender can store nothing more. */
const BEGIN_ANEW = {
  generation: { increment: 1 },
  batches: [],
  batchLimit: null,
  attempts: 0,
  nextAttemptAt: null,
  leaseId: null,
  leaseUntil: null,
};

const THERE = `d.state <> '${REMOVED}'`;

const whereOf = ({ tenantId, destinationId }: DestinationKey) => ({
  tenantId,
  destinationId,
  state: { not: REMOVED },
});
