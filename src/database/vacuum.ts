import type { OwnerDb } from './clients';

/** Tables whose rows come and go all the time. */
const BUSY = [
  ...['audit_delta', 'audit_count', 'audit_unindexed', 'audit_log_queue', 'audit_log_head', 'audit_source'],
  ...['api_key', 'dashboard_session', 'export_lease'],
];

/**
 * Gives back the room of rows that are gone. A PostgreSQL does so by itself; the embedded engine does not, and its
 * counts to be folded alone would take 60 bytes an event for good.
 * @param prisma the owner's
 */
export async function vacuum(prisma: OwnerDb): Promise<void> {
  // One at a time: other callers, who share the engine's one connection, come in between.
  for (const table of BUSY) await prisma.$executeRawUnsafe(`VACUUM ${table}`);
}
