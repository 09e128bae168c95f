import { randomUUID } from 'node:crypto';
import type { ServiceDb } from '../../database/clients';
import { guarded } from '../../database/failure';
import { LIMITS } from '../../limits';
import type { ExportLease, ExportLeases } from './export-source';

const SECONDS = LIMITS.exportLeaseMs / 1000;
/** For each holder. While the database is away, each attempt adds one. */
const LEFT_BEHIND_MAX = 100;

/**
 * Leases by the database's clock. A lease that an instance leaves behind expires. One that expires later than twice the
 * time of a lease is of a clock that was ahead.
 */
export class PostgresExportLeases implements ExportLeases {
  /** By holder: unused leases that may still be in the database, because the database was away at their release. */
  readonly #leftBehind = new Map<string, readonly string[]>();

  constructor(private readonly prisma: ServiceDb) {}

  async take(holder: string): Promise<ExportLease | null> {
    const leaseId = randomUUID();
    const leftBehind = this.#leftBehind.get(holder) ?? [];
    // Done before the first await, so that only one of several callers takes the lease over.
    this.#leftBehind.delete(holder);
    const taken = await this.#orLeaveBehind(
      holder,
      [...leftBehind, leaseId],
      () => this.prisma.$executeRaw`
        INSERT INTO export_lease AS l (holder, lease_id, expires_at)
        VALUES (${holder}, ${leaseId}::uuid, clock_timestamp() + make_interval(secs => ${SECONDS}::float8))
        ON CONFLICT (holder) DO UPDATE SET lease_id = excluded.lease_id, expires_at = excluded.expires_at
        WHERE l.expires_at <= clock_timestamp() OR l.expires_at > excluded.expires_at + make_interval(secs => ${SECONDS}::float8)
          OR l.lease_id = ANY(${[...leftBehind]}::uuid[])`,
    );
    return taken === 0 ? null : this.#lease(holder, leaseId);
  }

  #lease(holder: string, leaseId: string): ExportLease {
    const renew = () => this.prisma.$executeRaw`
      UPDATE export_lease SET expires_at = clock_timestamp() + make_interval(secs => ${SECONDS}::float8)
      WHERE holder = ${holder} AND lease_id = ${leaseId}::uuid`;
    const release = () =>
      this.prisma
        .$executeRaw`DELETE FROM export_lease WHERE holder = ${holder} AND lease_id = ${leaseId}::uuid`;
    return {
      renew: async () => (await guarded(renew)) > 0,
      release: async () => {
        await this.#orLeaveBehind(holder, [leaseId], release);
      },
    };
  }

  async #orLeaveBehind(
    holder: string,
    leaseIds: readonly string[],
    call: () => Promise<number>,
  ): Promise<number> {
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
