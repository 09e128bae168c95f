import type { Logger } from 'pino';
import type { TenantStore } from '../../caller/tenant.store';
import type { Config } from '../../config';
import type { Database } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { PostgresArrivalReader } from '../../trail/arrivals/stored-arrivals';
import type { TenantForm } from '../../trail/counts/scope';
import type { CheckpointKey } from '../../trail/evidence/note-key';
import { loadCheckpointKey, loadFormerOwnKey } from './checkpoint-key-file';
import { CheckpointFiles } from './checkpoint-memory';
import { EventProofResolver, EvidenceResolver } from './evidence.resolver';
import { PostgresEvidenceStore } from './evidence.store';
import { EvidenceLog } from './evidence-log';
import { LogChecker } from './log-check';
import { LogCheckResolver } from './log-check.resolver';
import { Sequencer } from './sequencer';

interface Evidence extends Module {
  readonly checkpointKey: CheckpointKey;
  /** The current key, and the one that this data folder made before it was given the current one. */
  readonly checkpointKeys: readonly [CheckpointKey, ...CheckpointKey[]];
  /** The tenants whose log this instance does not append to, with the reason. */
  readonly stoppedLogs: () => ReadonlyMap<number, string>;
}

/** The evidence log: its answers, and the task that takes events into it. */
export async function openEvidence(parts: {
  readonly config: Pick<Config, 'dataDir' | 'checkpointKeyFile' | 'formerCheckpointKeys'>;
  readonly database: Pick<Database, 'background' | 'ownerSteps' | 'ask'>;
  readonly form: TenantForm;
  readonly tenants: TenantStore;
  readonly log: Logger;
}): Promise<Evidence> {
  const { config, database, form, tenants, log } = parts;
  const { ask } = database;
  const checkpointKey = await loadCheckpointKey(config.dataDir, config.checkpointKeyFile);
  log.info({ keyId: checkpointKey.keyId, publicKey: checkpointKey.verifierKey }, 'checkpoint key');
  const keys = {
    own: checkpointKey,
    others: await loadFormerOwnKey(config.dataDir, checkpointKey),
    former: config.formerCheckpointKeys,
  };
  const sequencer = new Sequencer(database, keys, new CheckpointFiles(config.dataDir), log);
  await sequencer.begin(config.checkpointKeyFile === null);
  const store = new PostgresEvidenceStore(ask, form);
  const evidence = new EvidenceLog(store, checkpointKey.verifierKey, (tenantId) =>
    sequencer.problemOf(tenantId),
  );
  return {
    checkpointKey,
    checkpointKeys: [checkpointKey, ...keys.others],
    stoppedLogs: () => sequencer.problems,
    resolvers: [
      new EvidenceResolver(evidence, tenants),
      new EventProofResolver(evidence),
      new LogCheckResolver(
        new LogChecker(store, new PostgresArrivalReader(ask, form), checkpointKey.verifierKey),
        tenants,
      ),
    ],
    tasks: [
      {
        name: 'taking events into the evidence log',
        everyMs: LIMITS.sequenceMs,
        run: () => sequencer.run(),
      },
    ],
    metrics: (metrics) =>
      metrics.gauge(
        'evidence_logs_stopped',
        'Tenants whose evidence log has stopped: this instance does not append to it.',
        () => sequencer.stoppedLogs,
      ),
    health: [sequencer],
  };
}
