import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { DAY_MS } from '../../event/event-time';
import type { AgentBodies } from '../../graphql/read-body';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import { Partitions } from '../../store/rows/partitions';
import { storedTwiceMs } from '../../store/rows/stored-twice';
import type { CheckedEvents } from './checked-events';
import { IngestGate } from './gate';
import { IngestResolver } from './ingest.resolver';
import { readBatch } from './read-batch';
import { intakeFor } from './receive-batch';
import { RefusedBatches } from './refused-batches';
import { PostgresAuditEventWriter } from './stored-writer';

/** Takes in the events of agents. */
export async function openIngest(parts: {
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly checkpointKey: CheckpointKey;
  readonly nowMs: () => number;
}): Promise<Module & { readonly agents: AgentBodies }> {
  const { service, owner, checkpointKey, nowMs } = parts;
  const partitions = new Partitions(owner, nowMs);
  await partitions.ensureAhead();
  const twiceUntil = performance.now() + (await storedTwiceMs(owner));
  const isTwice = () => performance.now() < twiceUntil;
  const writer = new PostgresAuditEventWriter(service, partitions, checkpointKey, isTwice);
  const refused = new RefusedBatches();
  const gate = new IngestGate({
    inWorkMax: LIMITS.ingestInWorkMax,
    inWorkPerTenantMax: LIMITS.ingestInWorkPerTenantMax,
    waitingMax: LIMITS.ingestWaitingMax,
    waitingPerTenantMax: Math.floor(LIMITS.ingestWaitingMax / LIMITS.shareOfOne),
    waitMs: LIMITS.ingestWaitMs,
  });
  return {
    resolvers: [new IngestResolver(writer, nowMs)],
    agents: {
      enter: async ({ tenantId, keyId }, bytes) => {
        await refused.enter(keyId, bytes);
        return gate.enter(tenantId);
      },
      read: async (body, { tenantId, keyId }) => {
        const intake = intakeFor(tenantId, writer, nowMs());
        let events: CheckedEvents | null = null;
        const open = () => {
          events = intake.open();
          return events;
        };
        const parsed = await readBatch(body, { ...intake, open }).catch((error) => {
          refused.note(keyId, body.length, 0);
          throw error;
        });
        const read = events as CheckedEvents | null;
        if (read && read.rejections > read.accepted) refused.note(keyId, body.length, read.rejections);
        return parsed;
      },
    },
    tasks: [
      {
        name: 'partitions',
        doc: 'making partitions ahead',
        everyMs: DAY_MS,
        run: () => partitions.ensureAhead(),
      },
    ],
  };
}
