import type { Logger } from 'pino';
import type { ServiceDoor } from '../../database/clients';
import { openLimited } from '../../database/limited';
import type { AuditEventReader } from '../../store/rows/audit-event-reader';
import { checkReplica, NotAReplica } from './check-replica';
import { ReplicaFirstReader } from './replica-first.reader';
import { ReplicaLag } from './replica-lag';
import { PostgresAuditEventReader } from './stored-reader';

/** Reads events from the replica if one is configured, else from the primary. */
export interface ReadSide {
  readonly reader: AuditEventReader;
  /** The doors that it reads by, beside the one of the primary. */
  readonly doors: readonly ServiceDoor[];
  /** False while reads go to the primary instead of the replica. */
  readonly healthy: boolean;
  /** Seconds by which the replica is behind; null: there is none, or it is not known. */
  readonly lagSeconds: number | null;
  close(): Promise<void>;
}

/** The connection to the replica. */
interface ReplicaOptions {
  /** Null if there is no replica. */
  readonly url: string | null;
  /** Whether the URL's login is the owner's (see `openLimited`). */
  readonly isOwner: boolean;
  /** Adds traces to the replica's reads. */
  readonly traced: (replica: ServiceDoor) => ServiceDoor;
}

/**
 * Opens the replica. A replica that cannot be reached yet does not prevent the start.
 * @throws NotAReplica
 */
export async function openReadSide(
  service: ServiceDoor,
  replica: ReplicaOptions,
  log: Logger,
): Promise<ReadSide> {
  const primary = new PostgresAuditEventReader(service);
  if (replica.url === null)
    return { reader: primary, doors: [], healthy: true, lagSeconds: null, close: async () => {} };

  const opened = openLimited({
    connectionString: replica.url,
    isOwner: replica.isOwner,
    isDistributed: service.isDistributed,
  }).service;
  const check = () => checkReplica(service, opened);
  const ready = await check().catch(async (error: unknown) => {
    if (error instanceof NotAReplica) {
      await opened.models.$disconnect();
      throw error;
    }
    log.warn({ err: error }, 'the replica cannot be reached; reads go to the primary');
    return false;
  });
  const door = replica.traced(opened);
  const reader = new ReplicaFirstReader({
    replica: new PostgresAuditEventReader(door),
    primary,
    check,
    ready,
    log,
  });
  const lag = ReplicaLag.of(service, opened);
  return {
    reader,
    doors: [door],
    get lagSeconds() {
      return lag.seconds;
    },
    get healthy() {
      return reader.healthy;
    },
    close: () => opened.models.$disconnect(),
  };
}
