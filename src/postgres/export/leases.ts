import { randomUUID } from 'node:crypto';
import type { ExportLease, ExportLeases } from '../../export/export-source';
import { LIMITS } from '../../limits';
import type { PrismaClient } from '../database';
import { guarded } from '../failure';

const SECONDS = LIMITS.exportLeaseMs / 1000;

/** Leases by the database's clock: one that an instance leaves behind ends by itself. */
export class PostgresExportLeases implements ExportLeases {
  constructor(private readonly prisma: PrismaClient) {}

  async take(holder: string): Promise<ExportLease | null> {
    const leaseId = randomUUID();
    const taken = await guarded(
      () => this.prisma.$executeRaw`
        INSERT INTO export_lease AS l (holder, lease_id, expires_at)
        VALUES (${holder}, ${leaseId}::uuid, clock_timestamp() + make_interval(secs => ${SECONDS}::float8))
        ON CONFLICT (holder) DO UPDATE SET lease_id = excluded.lease_id, expires_at = excluded.expires_at
        WHERE l.expires_at <= clock_timestamp()`,
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
        await guarded(release);
      },
    };
  }
}
