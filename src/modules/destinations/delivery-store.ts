import { createHash, randomUUID } from 'node:crypto';
import type { OwnerDoor, Prisma } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { Leases } from '../../database/lease';
import type { Bounds } from './batch';
import { DESTINATIONS, listStatement, NOTED, SAVE, SET_ASIDE } from './delivery.statements';
import type { Destination, DestinationKey, Progress, SetAsideEvent } from './destination';

/** The changes to a destination after an attempt. Absent fields stay as they are. */
export interface Change extends Partial<Omit<Progress, 'state' | 'generation' | 'goEpoch'>> {
  readonly nextAttemptMs?: number;
  readonly error?: string;
  readonly isSuccess?: boolean;
  readonly delivered?: number;
  readonly failures?: number;
  /** The number of passed positions whose event is gone. */
  readonly removed?: number;
  readonly isCaughtUp?: boolean;
  readonly pauses?: boolean;
  readonly setAside?: readonly SetAsideEvent[];
}

/**
 * The right to send for a destination, which one instance has at a time. Each call renews it; null or false: it is
 * lost.
 */
export interface Lease {
  renew(): Promise<Progress['state'] | null>;
  save(change: Change): Promise<Destination | null>;
  release(): Promise<void>;
  /** Whether the destination's secrets have changed since the lease was taken. */
  readonly hasOldSecrets: boolean;
}

export interface Listed extends Destination {
  /** There is something to send now, and no instance sends it. */
  readonly isDue: boolean;
}

interface Noted extends Pick<Destination, 'state' | 'setAside'> {
  readonly secretsHash: string;
}

/** Gives background tasks access to the destinations of all tenants. */
export class DeliveryStore {
  readonly #rounds: TenantRounds;
  readonly #leases: Leases;

  constructor(private readonly owner: OwnerDoor) {
    this.#rounds = new TenantRounds(owner);
    this.#leases = new Leases(owner.models, DESTINATIONS);
  }

  async list(): Promise<readonly Listed[]> {
    const rows = await this.#rounds.ask(
      (of) => this.owner.models.$queryRawUnsafe<StoredRow[]>(listStatement(of('d.tenant_id'))),
      'in use',
    );
    return rows.map(toDestination);
  }

  async delete({ tenantId, destinationId }: DestinationKey): Promise<void> {
    const where = { tenantId, destinationId };
    await this.owner.models.destinationSetAside.deleteMany({ where });
    await this.owner.models.destination.deleteMany({ where });
  }

  /** Stores sealed secrets unless they have changed meanwhile. */
  async putSecrets({ tenantId, destinationId }: DestinationKey, old: Buffer, sealed: Buffer): Promise<void> {
    await this.owner.models.destination.updateMany({
      where: { tenantId, destinationId, secrets: new Uint8Array(old) },
      data: { secrets: new Uint8Array(sealed) },
    });
  }

  /**
   * @returns the lease with the current destination; null: another instance has it, or it is removed, or in another
   * state
   */
  async take(
    key: DestinationKey,
    state: 'active' | 'any' = 'active',
  ): Promise<{ readonly lease: Lease; readonly destination: Destination } | null> {
    const leaseId = randomUUID();
    const values = [key.tenantId, key.destinationId] as const;
    if ((await this.#leases.take(values, leaseId)) === null) return null;
    const held = new HeldLease(this.owner, this.#leases, key, leaseId);
    const [row] = await this.owner.models.$queryRawUnsafe<StoredRow[]>(
      listStatement('d.tenant_id = $1::int AND d.destination_id = $2::uuid'),
      ...values,
    );
    if (!row || (state === 'active' && row.state !== 'active')) {
      await held.release();
      return null;
    }
    const destination = toDestination(row);
    held.begin(destination);
    return { lease: held, destination };
  }
}

/** Undoes a transaction. */
class LostLease extends Error {}

class HeldLease implements Lease {
  #destination: Destination | undefined;
  #secretsHash = '';
  hasOldSecrets = false;

  constructor(
    private readonly owner: OwnerDoor,
    private readonly leases: Leases,
    private readonly key: DestinationKey,
    private readonly leaseId: string,
  ) {}

  begin(destination: Destination): void {
    this.#destination = destination;
    this.#secretsHash = createHash('sha256').update(destination.secrets).digest('hex');
  }

  async renew(): Promise<Progress['state'] | null> {
    const row = await this.leases.renew<Noted>(this.#row, this.leaseId, { returning: NOTED });
    this.#note(row);
    return row?.state ?? null;
  }

  async save(change: Change): Promise<Destination | null> {
    const now = this.#destination;
    if (!now) return null;
    const next = {
      position: change.position ?? now.position,
      // Stores only the bounds, and not the events that were read for a batch.
      batches: (change.batches ?? now.batches).map(({ from, to }) => ({ from, to })),
      batchLimit: change.batchLimit === undefined ? now.batchLimit : change.batchLimit,
      attempts: change.attempts ?? now.attempts,
    };
    const values = [
      ...[...this.#row, this.leaseId, next.position, flat(next.batches), next.batchLimit, next.attempts],
      ...[
        change.nextAttemptMs ?? null,
        change.error ?? null,
        change.isSuccess === true,
        change.delivered ?? 0,
      ],
      ...[change.failures ?? 0, change.removed ?? 0, change.isCaughtUp === true, change.pauses === true],
    ];
    const row = await this.#put(values, change.setAside ?? []);
    if (!row) return null;
    // From here on the position is stored, with the bounds of the next batch. After a crash before, the next holder of the
    // lease sends the same bounds again, under the same id.
    this.#note(row);
    this.#destination = { ...now, ...next, state: row.state, setAside: row.setAside };
    return this.#destination;
  }

  #note(row: Noted | null): void {
    if (row && row.secretsHash !== this.#secretsHash) this.hasOldSecrets = true;
  }

  async release(): Promise<void> {
    await this.leases.release(this.#row, this.leaseId);
  }

  /** Without the lease, nothing is set aside. @returns undefined: the lease is lost */
  async #put(values: readonly unknown[], events: readonly SetAsideEvent[]): Promise<Noted | undefined> {
    const { models } = this.owner;
    const save = async (tx: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>, added: number) =>
      (await tx.$queryRawUnsafe<Noted[]>(SAVE, ...values, added))[0];
    if (events.length === 0) return save(models, 0);
    try {
      return await models.$transaction(async (tx) => {
        const row = await save(tx, await this.#putSetAside(tx, events));
        if (!row) throw new LostLease();
        return row;
      });
    } catch (error) {
      if (error instanceof LostLease) return undefined;
      throw error;
    }
  }

  /** @returns how many of them were not set aside before: a replay comes to the same ones again */
  #putSetAside(tx: Prisma.TransactionClient, events: readonly SetAsideEvent[]): Promise<number> {
    return tx.$executeRawUnsafe(
      SET_ASIDE,
      ...this.#row,
      events.map(({ position }) => position),
      events.map(({ recordId }) => recordId),
      events.map(({ message }) => message),
    );
  }

  get #row(): readonly [number, string] {
    return [this.key.tenantId, this.key.destinationId];
  }
}

const flat = (batches: readonly Bounds[]): number[] => batches.flatMap(({ from, to }) => [from, to]);

/** A row of `listStatement`. */
export interface StoredRow
  extends Omit<
    Listed,
    'secrets' | 'position' | 'batches' | 'delivered' | 'failures' | 'behindRetention' | 'logSize'
  > {
  readonly secrets: Uint8Array;
  readonly position: bigint;
  readonly batches: readonly bigint[];
  readonly delivered: bigint;
  readonly failures: bigint;
  readonly behindRetention: bigint;
  readonly logSize: bigint;
}

export function toDestination(row: StoredRow): Listed {
  const bounds = row.batches.map(Number);
  return {
    ...row,
    secrets: Buffer.from(row.secrets),
    position: Number(row.position),
    batches: bounds.flatMap((from, i) => (i % 2 === 0 ? [{ from, to: bounds[i + 1] ?? from }] : [])),
    delivered: Number(row.delivered),
    failures: Number(row.failures),
    behindRetention: Number(row.behindRetention),
    logSize: Number(row.logSize),
  };
}
