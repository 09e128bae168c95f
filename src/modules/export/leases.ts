import { randomUUID } from 'node:crypto';
import type { ServiceDoor } from '../../database/clients';
import { Leases } from '../../database/lease';
import { guarded } from '../../database/limited';
import { LIMITS } from '../../limits';
import type { ExportLease, ExportLeases } from './export-source';

/** For each holder. While the database is away, each attempt adds one. */
const LEFT_BEHIND_MAX = 100;

/** The leases of exports, one for each holder. */
export class PostgresExportLeases implements ExportLeases {
  /** By holder: unused leases that may still be in the database, because the database was away at their release. */
  readonly #leftBehind = new Map<string, readonly string[]>();
  readonly #leases: Leases;

  constructor(service: ServiceDoor) {
    this.#leases = new Leases(service.models, {
      table: 'export_lease',
      key: { holder: 'text' },
      holder: 'lease_id',
      until: 'expires_at',
      ms: LIMITS.exportLeaseMs,
      made: {},
      isOnlyLease: true,
    });
  }

  async take(holder: string): Promise<ExportLease | null> {
    const leaseId = randomUUID();
    const former = this.#leftBehind.get(holder) ?? [];
    // Done before the first await, so that only one of several callers takes the lease over.
    this.#leftBehind.delete(holder);
    const taken = await this.#orLeaveBehind(holder, [...former, leaseId], () =>
      this.#leases.take([holder], leaseId, { former }),
    );
    // From here on the holder has an export. It leaves nothing else in the database: after a crash its lease ends, and the
    // caller continues behind the last event that it has.
    return taken && this.#lease(holder, leaseId);
  }

  #lease(holder: string, leaseId: string): ExportLease {
    return {
      renew: async () => (await guarded(() => this.#leases.renew([holder], leaseId))) !== null,
      release: () => this.#orLeaveBehind(holder, [leaseId], () => this.#leases.release([holder], leaseId)),
    };
  }

  async #orLeaveBehind<T>(holder: string, leaseIds: readonly string[], call: () => Promise<T>): Promise<T> {
    try {
      return await guarded(call);
    } catch (error) {
      this.#leftBehind.set(
        holder,
        [...(this.#leftBehind.get(holder) ?? []), ...leaseIds].slice(-LEFT_BEHIND_MAX),
      );
      throw error;
    }
  }
}
