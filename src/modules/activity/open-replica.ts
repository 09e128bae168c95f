import type { Logger } from 'pino';
import type { AskRows, Database } from '../../database/clients';
import { isDistributed } from '../../database/distribute/distribute';
import { openLimited } from '../../database/limited';
import type { AuditEventReader } from '../../trail/audit-event-reader';
import type { TenantForm } from '../../trail/counts/scope';
import { checkReplica, NotAReplica } from './check-replica';
import { DEEP_OFFSET } from './page.statement';
import { ReplicaFirstReader } from './replica-first.reader';
import { PostgresAuditEventReader } from './stored-reader';

/** Where events are read from: the replica, where one is configured, else the database itself. */
export interface ReadSide {
  readonly reader: AuditEventReader;
  /** How statements over several tenants are put together, for whatever else reads from this database. */
  readonly form: TenantForm;
  /** Whether reads go where they are meant to go. */
  readonly healthy: boolean;
  close(): Promise<void>;
}

/** How the replica is reached. */
interface ReplicaOptions {
  /** Null: there is none. */
  readonly url: string | null;
  /** Whether the URL's login is the owner's (see `openLimited`). */
  readonly isOwner: boolean;
  /** Its hot reads, as requests are to make them. */
  readonly traced: (ask: AskRows) => AskRows;
}

/**
 * @throws NotAReplica A replica that cannot be reached yet is no reason not to start.
 */
export async function openReadSide(
  database: Database,
  replica: ReplicaOptions,
  log: Logger,
): Promise<ReadSide> {
  // Only while starting: tables are distributed while no service runs.
  const form: TenantForm = (await isDistributed(database.prisma)) ? 'union' : 'lateral';
  const primary = new PostgresAuditEventReader(database.ask, form, DEEP_OFFSET, database.snapshot);
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
    replica: new PostgresAuditEventReader(replica.traced(ask), form, DEEP_OFFSET, snapshot),
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
