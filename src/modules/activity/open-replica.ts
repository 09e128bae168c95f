import type { Logger } from 'pino';
import type { AskRows, Database } from '../../database/clients';
import { isDistributed } from '../../database/distribute/distribute';
import { openLimited } from '../../database/limited';
import type { AuditEventReader } from '../../trail/audit-event-reader';
import type { TenantForm } from '../../trail/counts/scope';
import { checkReplica, NotAReplica } from './check-replica';
import { ReplicaFirstReader } from './replica-first.reader';
import { PostgresAuditEventReader } from './stored-reader';

/** Reads events from the replica if one is configured, else from the primary. */
export interface ReadSide {
  readonly reader: AuditEventReader;
  /** The form of statements over several tenants on this database. */
  readonly form: TenantForm;
  /** False while reads go to the primary instead of the replica. */
  readonly healthy: boolean;
  close(): Promise<void>;
}

/** The connection to the replica. */
interface ReplicaOptions {
  /** Null if there is no replica. */
  readonly url: string | null;
  /** Whether the URL's login is the owner's (see `openLimited`). */
  readonly isOwner: boolean;
  /** Adds traces to the replica's frequent reads. */
  readonly traced: (ask: AskRows) => AskRows;
}

/**
 * Opens the replica. A replica that cannot be reached yet does not prevent the start.
 * @throws NotAReplica
 */
export async function openReadSide(
  database: Database,
  replica: ReplicaOptions,
  log: Logger,
): Promise<ReadSide> {
  // Asked only at the start, because tables are distributed while no service runs.
  const form: TenantForm = (await isDistributed(database.prisma)) ? 'union' : 'lateral';
  const primary = new PostgresAuditEventReader(database, form);
  if (replica.url === null) return { reader: primary, form, healthy: true, close: async () => {} };

  const { prisma, ask, snapshot } = openLimited(replica.url, replica.isOwner);
  const check = () => checkReplica(database.prisma, prisma);
  const ready = await check().catch(async (error: unknown) => {
    if (error instanceof NotAReplica) {
      await prisma.$disconnect();
      throw error;
    }
    log.warn({ err: error }, 'the replica cannot be reached; reads go to the primary');
    return false;
  });
  const reader = new ReplicaFirstReader({
    replica: new PostgresAuditEventReader({ ask: replica.traced(ask), snapshot }, form),
    primary,
    check,
    ready,
    log,
  });
  return {
    reader,
    form,
    get healthy() {
      return reader.healthy;
    },
    close: () => prisma.$disconnect(),
  };
}
