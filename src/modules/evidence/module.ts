import type { Logger } from 'pino';
import type { TenantStore } from '../../caller/tenant.store';
import type { Config } from '../../config';
import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { GoneSeal } from '../../store/log/arrivals/gone-seal';
import { PostgresArrivalReader } from '../../store/log/arrivals/stored-arrivals';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import { ErasureFiles } from '../../store/log/evidence/erasure-files';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import { loadCheckpointKeys } from './checkpoint-key-file';
import { CheckpointFiles } from './checkpoint-memory';
import { Eraser } from './erasure/eraser';
import { ErasureResolver, type Holds } from './erasure/erasure.resolver';
import { ErasureStore } from './erasure/erasure.store';
import { EventProofResolver, EvidenceResolver } from './evidence.resolver';
import { PostgresEvidenceStore } from './evidence.store';
import { EvidenceLog } from './evidence-log';
import { LogChecker, type ProblemsOf } from './log-check';
import { LogCheckResolver } from './log-check.resolver';
import { cannotSign } from './log-key';
import { type MakePackage, packageMaker } from './package/evidence-package';
import { Sequencer } from './sequencer';
import { openAuthority } from './time-stamps/authority-client';
import { Stamping } from './time-stamps/stamping';
import { type Verification, Verifications } from './verifications';
import { Cosigning } from './witnesses/cosigning';
import { openWitness } from './witnesses/witness-client';

interface Evidence extends Module {
  readonly checkpointKey: CheckpointKey;
  readonly erasureFiles: ErasureFiles;
  /** The current key, and the earlier ones. */
  readonly checkpointKeys: readonly [CheckpointKey, ...CheckpointKey[]];
  /** The tenants whose log this instance does not append to, with the reason. */
  readonly stoppedLogs: () => ReadonlyMap<number, string>;
  readonly evidence: Pick<EvidenceLog, 'states' | 'removals'>;
  /** @throws DomainError `service_unavailable` while the logs are kept with another key than this instance has */
  readonly assertSigns: () => void;
  /** Whether the logs of this database are kept with another key than this instance has. */
  readonly hasOtherKey: () => boolean;
  readonly makePackage: MakePackage;
  /** The verifications of a tenant's log that ended in a period, the newest first. */
  readonly verifications: (tenantId: number, from: Date, to: Date) => Promise<readonly Verification[]>;
  /** Adds what an operator's check looks at beside the log. */
  readonly alsoCheck: (problemsOf: ProblemsOf) => void;
}

/** The evidence log: its answers, and the task that takes events into it. */
export async function openEvidence(parts: {
  readonly config: Pick<
    Config,
    'dataDir' | 'checkpointKeyFile' | 'formerCheckpointKeys' | 'witnesses' | 'timeStampUrl'
  >;
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  /** The owner's login without time limits. */
  readonly migrator: OwnerDoor;
  readonly epoch: LogEpoch;
  readonly tenants: TenantStore;
  readonly holds: Holds;
  /** The page that verifies packages. */
  readonly packagePage: () => Promise<Buffer>;
  readonly log: Logger;
  /** Aborted when the service is told to stop. */
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
}): Promise<Evidence> {
  const { config, service, owner, epoch, tenants, log, signal, nowMs } = parts;
  const checkpointKeys = await loadCheckpointKeys(config.dataDir, config.checkpointKeyFile);
  const [checkpointKey, ...others] = checkpointKeys;
  log.info({ keyId: checkpointKey.keyId, publicKey: checkpointKey.verifierKey }, 'checkpoint key');
  const keys = { own: checkpointKey, others, former: config.formerCheckpointKeys };
  const sequencer = new Sequencer(
    owner,
    keys,
    new CheckpointFiles(config.dataDir, () => epoch.state.epoch, log),
    log,
  );
  await sequencer.begin(config.checkpointKeyFile === null);
  const store = new PostgresEvidenceStore(service);
  const evidence = new EvidenceLog(store, checkpointKey.verifierKey, (tenantId) =>
    sequencer.problemOf(tenantId),
  );
  const cosigning = new Cosigning(
    { owner, evidence, epoch, log, signal, nowMs },
    config.witnesses.map(openWitness),
  );
  const stamping = new Stamping(
    { owner, epoch, log, signal, nowMs },
    config.timeStampUrl === null ? null : openAuthority(config.timeStampUrl),
  );
  const erasureFiles = new ErasureFiles(owner, config.dataDir);
  const eraser = new Eraser({
    owner,
    migrator: parts.migrator,
    keys,
    holds: parts.holds,
    files: erasureFiles,
    signal,
    now: () => new Date(nowMs()),
    log,
  });
  const reader = new PostgresArrivalReader(service);
  const checker = new LogChecker(store, reader, keys, sequencer, new GoneSeal(checkpointKeys));
  const verifications = new Verifications(service, owner, nowMs);
  return {
    checkpointKey,
    checkpointKeys,
    erasureFiles,
    evidence,
    makePackage: packageMaker({ store, signer: checkpointKey, page: parts.packagePage, nowMs }),
    assertSigns: () => {
      if (sequencer.hasOtherKey) throw cannotSign();
    },
    verifications: (tenantId, from, to) => verifications.ended(tenantId, from, to),
    stoppedLogs: () => sequencer.problems,
    hasOtherKey: () => sequencer.hasOtherKey,
    alsoCheck: (problemsOf) => void checker.also.push(problemsOf),
    resolvers: [
      new EvidenceResolver(evidence, tenants),
      new EventProofResolver(evidence),
      new LogCheckResolver(checker, verifications, tenants),
      new ErasureResolver(
        new ErasureStore(service, () => new Date(nowMs())),
        tenants,
        parts.holds,
        erasureFiles,
      ),
    ],
    tasks: [
      {
        name: 'evidence-log',
        doc: 'taking events into the evidence log',
        everyMs: LIMITS.sequenceMs,
        run: async () => {
          const unfinished = await sequencer.run();
          const { setBack, rememberedIn } = sequencer.compared;
          for (const { epoch: known, found } of setBack.values()) await epoch.noticeSetBack(known, found);
          for (const named of rememberedIn) await epoch.noticeEpoch(named);
          if (sequencer.hasCompared) epoch.settle();
          return unfinished;
        },
      },
      {
        name: 'erasures',
        doc: 'erasing events',
        everyMs: LIMITS.erasureMs,
        run: async () => {
          await eraser.look();
          return epoch.unlessPaused(() => eraser.run());
        },
      },
      {
        name: 'witnesses',
        doc: 'having checkpoints signed by witnesses',
        everyMs: LIMITS.witnessMs,
        run: () => cosigning.run(),
      },
      {
        name: 'time-stamps',
        doc: 'having checkpoints stamped by a time-stamp authority',
        everyMs: LIMITS.timeStampMs,
        run: () => stamping.run(),
      },
    ],
    metrics: (metrics) => {
      metrics.gauge(
        'evidence_logs_stopped',
        'Tenants whose evidence log has stopped: this instance does not append to it.',
        () => sequencer.stoppedLogs,
      );
      metrics.gauge(
        'evidence_logs_unsigned',
        'Tenants whose evidence log has had entries for five minutes that no instance has signed.',
        () => sequencer.unsignedLogs,
      );
      metrics.gauges(
        'evidence_logs_uncosigned',
        'Tenants whose newest checkpoint a witness has not signed for five minutes.',
        ['witness'],
        () => cosigning.late.map(({ witness, logs }) => ({ labels: { witness }, value: logs })),
      );
      metrics.gauge(
        'evidence_logs_unstamped',
        'Tenants whose evidence log has waited for a time stamp for five minutes.',
        () => stamping.late,
      );
    },
    health: [sequencer, cosigning, stamping, eraser],
    stop: async () => {
      cosigning.close();
      stamping.close();
    },
  };
}
