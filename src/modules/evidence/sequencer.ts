import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ADVISORY_LOCKS } from '../../database/advisory-locks';
import type { OwnerDoor, Step } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { isFailure } from '../../database/failure';
import { LIMITS } from '../../limits';
import { sealOf } from '../../store/log/evidence/batch-seal';
import { nextOfBacklog } from './backfill';
import { type Checkpoint, signedNote } from './checkpoint';
import { type CheckpointMemory, NotRemembered } from './checkpoint-memory';
import { keyAtHand, knownKeyIds, type LogHead, type LogKeys } from './log-head';
import { agreeOnKey, keyOfDatabase, otherKeyText, waitingText } from './log-key';
import {
  keysInUse,
  PUT_CHECKPOINT,
  REFUSE_BATCHES,
  TAKE_BATCHES,
  tenantsToSign,
  tenantsWithWork,
  WAITING_BATCHES,
  waitingOfOtherKeys,
} from './log-statements';
import { assertGrown, assertNotSetBack, isBroken, LogWatch } from './log-watch';
import { acceptedLeaves, LogWriter, loadHead, NEVER, saveHead } from './log-writer';
import { UnsignedLogs } from './unsigned-logs';

const TENANTS_PER_RUN = 50;
/** Read and hashed in one transaction. The hashing takes about 100 ms. */
const BATCHES_PER_STEP = 8;
/** $1 tenant. */
const TRY_TURN = `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCKS.evidenceLog}, $1::int) AS taken`;

interface Batch {
  readonly batch_id: string;
  readonly received_at: Date;
  readonly leaves: Uint8Array;
  readonly accepted: string[] | null;
  readonly key_id: string;
  readonly mac: Uint8Array;
}

/**
 * Takes waiting events into the logs, and signs the logs. Several instances may run it, and each skips tenants that
 * another one serves. A log that differs from its last state stays untouched, and `problemOf` gives the reason.
 */
export class Sequencer {
  readonly #watch: LogWatch;
  /** Why the last attempt to append to a log failed. */
  readonly #failed = new Map<number, string>();
  /** Reasons for events that wait under another key. */
  #stuck: ReadonlyMap<number, string> = new Map();
  /** Set if the logs of this database have that key, and this instance does not. */
  #otherKey: string | null = null;
  /** Set if this instance cannot remember checkpoints. It then signs nothing and appends to no log. */
  #notRemembered: string | null = null;
  readonly #unsigned: UnsignedLogs;
  /** When this instance last signed each log, by its own clock. */
  readonly #signedAt = new Map<number, Date>();
  readonly #rounds: TenantRounds;
  #hasToldUnused = false;
  #from = 0;

  constructor(
    private readonly owner: OwnerDoor,
    private readonly keys: LogKeys,
    private readonly memory: CheckpointMemory,
    private readonly log: Logger,
    private readonly checkpointMs: number = LIMITS.checkpointMs,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.#rounds = new TenantRounds(owner, (error) => error instanceof NotRemembered);
    this.#unsigned = new UnsignedLogs(now);
    this.#watch = new LogWatch(owner, keys, memory, this.#rounds, this.#unsigned);
  }

  /**
   * Agrees with the other instances on the key.
   * @param madeOwnKey whether the key was made in this data folder, and not given
   */
  async begin(madeOwnKey: boolean): Promise<void> {
    const isNew = await this.memory.begin();
    this.#compareKey(await agreeOnKey(this.owner, this.keys, isNew && madeOwnKey));
  }

  /** Looks at one log now. @throws BrokenLog, MissingNode if it is not the log that was sealed and remembered */
  examine(tenantId: number): Promise<LogHead | null> {
    return this.#watch.examine(tenantId);
  }

  /** @returns why this instance does not append to the tenant's log, or nobody signs it; null if all is well */
  problemOf(tenantId: number): string | null {
    const texts = [
      this.#otherKeyText(),
      this.#notRemembered,
      ...[...this.#maps(), this.#unsigned.late].map((problems) => problems.get(tenantId)),
    ];
    return texts.find((text) => typeof text === 'string') ?? null;
  }

  /** The logs that have stopped or are not signed, by tenant, with the reason. */
  get problems(): ReadonlyMap<number, string> {
    return this.#problemTexts();
  }

  /** A lower bound of the number of stopped logs. */
  get stoppedLogs(): number {
    const known = new Set(this.#maps().flatMap((problems) => [...problems.keys()])).size;
    return this.#otherKey === null && this.#notRemembered === null ? known : Math.max(1, known);
  }

  /** The number of logs with entries that nobody has signed for too long. */
  get unsignedLogs(): number {
    return this.#unsigned.late.size;
  }

  /** Whether it appends to every log, and every log is signed. */
  get healthy(): boolean {
    return this.stoppedLogs === 0 && this.unsignedLogs === 0;
  }

  /** Whether the logs of this database are kept with another key. */
  get hasOtherKey(): boolean {
    return this.#otherKey !== null;
  }

  /** What it knows of logs that are not as they were. */
  get compared(): Pick<LogWatch, 'setBack' | 'rememberedIn'> {
    return this.#watch;
  }

  /** Whether every log was compared once with what is remembered, as far as this instance can. */
  get hasCompared(): boolean {
    return this.#watch.hasLooked || this.#otherKey !== null || this.#notRemembered !== null;
  }

  /** @returns the number of tenants with more waiting events */
  async run(): Promise<number> {
    try {
      const unfinished = await this.#round();
      this.#notRemembered = null;
      return unfinished;
    } catch (error) {
      if (!(error instanceof NotRemembered)) throw error;
      if (this.#notRemembered !== error.message)
        this.log.error({ problem: error.message }, 'the evidence log has stopped');
      this.#notRemembered = error.message;
      return 0;
    }
  }

  async #round(): Promise<number> {
    this.#compareKey(
      (await keyOfDatabase(this.owner.models)) ?? (await agreeOnKey(this.owner, this.keys, false)),
    );
    if (this.#otherKey !== null) return 0;
    const before = this.#problemTexts();
    await this.#watch.round();
    const keyIds = knownKeyIds(this.keys);
    const tenants = await this.#rounds.ask((of) =>
      this.owner.models.$queryRawUnsafe<{ tenant_id: number }[]>(
        tenantsWithWork(of),
        ...[this.#from, TENANTS_PER_RUN, keyIds, this.keys.own.keyId],
      ),
    );
    const isLast = tenants.length < TENANTS_PER_RUN;
    const [from, end] = [this.#from, isLast ? Number.POSITIVE_INFINITY : (tenants.at(-1)?.tenant_id ?? 0)];
    this.#from = isLast ? 0 : end;
    const served = new Set(tenants.map(({ tenant_id }) => tenant_id));
    let unfinished = 0;
    for (const tenantId of served) {
      const hasMore = await this.#rounds.attempt(tenantId, () =>
        this.#attempt(tenantId, (step, last) => this.#append(step, tenantId, last)),
      );
      if (hasMore === true) unfinished++;
    }
    for (const tenantId of await this.#sign()) served.add(tenantId);
    for (const tenantId of this.#failed.keys()) {
      // Another instance has done the work of these tenants.
      if (tenantId > from && tenantId <= end && !served.has(tenantId)) this.#failed.delete(tenantId);
    }
    await this.#findStuck(keyIds);
    await this.#findUnused();
    this.#tell(before);
    this.#rounds.end();
    return unfinished;
  }

  #compareKey(stated: string): void {
    const other = stated === this.keys.own.keyId ? null : stated;
    if (other !== null && other !== this.#otherKey) {
      this.#otherKey = other;
      this.log.error({ keyId: this.keys.own.keyId, keyOfDatabase: other }, this.#otherKeyText() ?? '');
    }
    this.#otherKey = other;
  }

  #otherKeyText(): string | null {
    return this.#otherKey === null ? null : otherKeyText(this.#otherKey, this.keys.own.keyId);
  }

  /** Finds events that another instance accepted under its own key, before it had the common key. */
  async #findStuck(keyIds: readonly string[]): Promise<void> {
    const rows = await this.#rounds.ask((of) =>
      this.owner.models.$queryRawUnsafe<{ tenant_id: number; key_id: string; events: number }[]>(
        waitingOfOtherKeys(of),
        ...[keyIds, LIMITS.evidenceWatchedLogs],
      ),
    );
    this.#stuck = new Map(
      rows.map(({ tenant_id, key_id, events }) => [tenant_id, waitingText(events, key_id)]),
    );
  }

  /** Tells once when the earlier keys are not needed any more. */
  async #findUnused(): Promise<void> {
    const keyIds = this.keys.others.map(({ keyId }) => keyId);
    if (this.#hasToldUnused || keyIds.length === 0) return;
    const inUse = await this.#rounds.ask((of) =>
      this.owner.models.$queryRawUnsafe<object[]>(keysInUse(of), keyIds),
    );
    this.#hasToldUnused = inUse.length === 0;
    if (this.#hasToldUnused)
      this.log.info({ keyIds }, 'nothing is sealed by the earlier checkpoint keys any more');
  }

  #maps(): ReadonlyMap<number, string>[] {
    return [this.#watch.problems, this.#failed, this.#stuck];
  }

  #problemTexts(): ReadonlyMap<number, string> {
    return new Map([...this.#maps(), this.#unsigned.late].toReversed().flatMap((problems) => [...problems]));
  }

  #tell(before: ReadonlyMap<number, string>): void {
    for (const [tenantId, problem] of this.#problemTexts()) {
      if (before.get(tenantId) !== problem)
        this.log.error({ tenantId, problem }, 'the evidence log has stopped');
    }
  }

  async #append(step: Step, tenantId: number, last: Checkpoint | null): Promise<boolean> {
    const log = await LogWriter.open(step, tenantId, this.keys);
    assertNotSetBack(tenantId, log.head, last);
    const batches = await step<Batch>(WAITING_BATCHES, [tenantId, knownKeyIds(this.keys), BATCHES_PER_STEP]);
    const sound = batches.filter((batch) => this.#isSound(tenantId, batch));
    for (const { leaves, accepted, received_at } of sound) {
      log.append(acceptedLeaves(Buffer.from(leaves), accepted), received_at);
      await setImmediate();
    }
    const idsOf = (some: readonly Batch[]) => some.map(({ batch_id }) => batch_id);
    await step(TAKE_BATCHES, [tenantId, idsOf(sound)]);
    const others = batches.filter((batch) => !sound.includes(batch));
    if (others.length > 0) await step(REFUSE_BATCHES, [tenantId, idsOf(others)]);
    const isLimited = batches.length === BATCHES_PER_STEP;
    // Only a head that was sealed so admits events from before the log.
    let backfilled = log.head?.backfilled ?? true;
    let hasBacklog = false;
    // No batch of this snapshot waits any more. Once they are saved, backlog events that are already in the log can be
    // recognized.
    if (!isLimited && !backfilled) {
      await log.save(this.keys, false);
      const leaves = await nextOfBacklog(step, tenantId);
      if (leaves) log.append(leaves, null);
      else backfilled = true;
      hasBacklog = leaves !== null;
    }
    await log.save(this.keys, backfilled);
    return isLimited || hasBacklog;
  }

  #isSound(tenantId: number, { batch_id, leaves, mac, key_id }: Batch): boolean {
    const key = keyAtHand(this.keys, key_id);
    // Without a key here, it is the id of a lost key.
    return !key || sealOf(key, tenantId, batch_id, Buffer.from(leaves)).equals(mac);
  }

  /** @returns the tenants whose log had to be signed */
  async #sign(): Promise<number[]> {
    const nowMs = this.now().getTime();
    const [before, after] = [new Date(nowMs - this.checkpointMs), new Date(nowMs + this.checkpointMs)];
    const found = await this.#rounds.ask((of) =>
      this.owner.models.$queryRawUnsafe<{ tenant_id: number }[]>(
        tenantsToSign(of),
        ...[before, after, knownKeyIds(this.keys), this.keys.own.keyId],
      ),
    );
    // Two instances whose clocks differ would sign in turns at every round.
    const due = found.filter(({ tenant_id }) => this.#isDue(this.#signedAt.get(tenant_id) ?? NEVER));
    for (const { tenant_id: tenantId } of due) {
      const note = await this.#rounds.attempt(tenantId, () =>
        this.#attempt(tenantId, (step, last) => this.#signOne(step, tenantId, last)),
      );
      if (!note) continue;
      this.#signedAt.set(tenantId, this.now());
      this.#unsigned.signed(tenantId);
      await this.memory.remember(tenantId, note);
    }
    return due.map(({ tenant_id }) => tenant_id);
  }

  /** Whether a signature of that time is long ago. One in the future is of a clock that was ahead. */
  #isDue(signedAt: Date): boolean {
    return Math.abs(this.now().getTime() - signedAt.getTime()) >= this.checkpointMs;
  }

  async #signOne(step: Step, tenantId: number, last: Checkpoint | null): Promise<string | null> {
    const head = await loadHead(step, tenantId, this.keys);
    if (!head) return null;
    const isOfEarlierKey = head.keyId !== this.keys.own.keyId;
    if (!isOfEarlierKey && (head.size === head.signedSize || !this.#isDue(head.signedAt))) return null;
    assertNotSetBack(tenantId, head, last);
    await assertGrown(step, head, last);
    const { size, root } = head;
    const [number, signedAt] = [head.checkpoints + 1, this.now()];
    const note = signedNote({ tenantId, size, root, number, time: signedAt.toISOString() }, this.keys.own);
    await step(PUT_CHECKPOINT, [tenantId, number, size, note]);
    await saveHead(step, tenantId, { ...head, checkpoints: number, signedSize: size, signedAt }, this.keys);
    return note;
  }

  /**
   * Takes a tenant's turn, in one transaction. @returns null if another instance has the turn or the log is broken
   * @param work gets the checkpoint that was remembered before the transaction, so it is not newer than the
   * transaction's view
   */
  async #attempt<T>(
    tenantId: number,
    work: (step: Step, last: Checkpoint | null) => Promise<T>,
  ): Promise<T | null> {
    if (this.#watch.problems.has(tenantId)) return null;
    try {
      const last = await this.memory.last(tenantId);
      const done = await this.owner.steps(async (step) => {
        const [turn] = await step(TRY_TURN, [tenantId]);
        return turn?.taken ? { result: await work(step, last) } : null;
      });
      // From here on the entries, or the signature, are in the log. After a crash before, the hashes still wait in the
      // queue: the next instance with the turn appends them.
      if (done) this.#failed.delete(tenantId);
      return done?.result ?? null;
    } catch (error) {
      // Another instance was served between the snapshot and the turn.
      if (isFailure(error, 'serialization_failure', 'unique_violation')) return null;
      if (!isBroken(error)) throw error;
      this.#failed.set(tenantId, error.message);
      return null;
    }
  }
}
