import type { Database, OwnerDb } from '../../database/clients';
import { DAY_MS } from '../../event/event-time';
import type { AgentBodies } from '../../graphql/read-body';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { TenantForm } from '../../trail/counts/scope';
import type { CheckpointKey } from '../../trail/evidence/note-key';
import { Partitions } from '../../trail/partitions';
import { IngestGate } from './gate';
import { IngestResolver } from './ingest.resolver';
import { readBatch } from './read-batch';
import { intakeFor } from './receive-batch';
import { PostgresAuditEventWriter } from './stored-writer';

/** Takes in the events of agents. */
export async function openIngest(parts: {
  readonly database: Pick<Database, 'run' | 'steps'>;
  readonly owner: OwnerDb;
  readonly form: TenantForm;
  readonly checkpointKey: CheckpointKey;
  readonly nowMs: () => number;
}): Promise<Module & { readonly agents: AgentBodies }> {
  const { database, owner, form, checkpointKey, nowMs } = parts;
  const partitions = new Partitions(owner);
  await partitions.ensureAhead(nowMs());
  const steps = form === 'union' ? database.steps : null;
  const writer = new PostgresAuditEventWriter(database.run, partitions, checkpointKey, steps);
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
      enter: (tenantId) => gate.enter(tenantId),
      read: (body, tenantId) => readBatch(body, intakeFor(tenantId, writer, nowMs())),
    },
    tasks: [
      {
        name: 'making partitions ahead',
        everyMs: DAY_MS,
        run: () => partitions.ensureAhead(nowMs()),
      },
    ],
  };
}
