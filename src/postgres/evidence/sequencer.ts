import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sealOf } from '../../evidence/batch-seal';
import { signedNote } from '../../evidence/checkpoint';
import type { CheckpointMemory } from '../../evidence/checkpoint-memory';
import { consistencyProof, isConsistent } from '../../evidence/merkle';
import { MissingNode, nodesOf, tilesFor } from '../../evidence/tiles';
import { LIMITS } from '../../limits';
import type { Prisma, PrismaClient } from '../database';
import { sqlStateOf } from '../failure';
import { nextOfBacklog } from './backfill';
import {
  PUT_CHECKPOINT,
  REFUSE_BATCHES,
  TAKE_BATCHES,
  TENANTS_TO_SIGN,
  TENANTS_WITH_WORK,
  WAITING_BATCHES,
} from './log-statements';
import {
  acceptedLeaves,
  BrokenLog,
  type LogKeys,
  LogWriter,
  loadHead,
  loadTiles,
  saveHead,
} from './log-writer';

const TENANTS_PER_RUN = 50;
/** Read, and hashed, in one transaction: the hashing takes about 100 ms. */
const BATCHES_PER_STEP = 8;
/** Beside the numbers of folding, indexing and retention. */
const TURN = 702_200;
const LATE = ['40001', '23505'];
const STEP = { isolationLevel: 'RepeatableRead', timeout: 60_000, maxWait: 10_000 } as const;

interface Batch {
  readonly batch_id: string;
  readonly leaves: Uint8Array;
  readonly accepted: string[] | null;
  readonly key_id: string;
  readonly mac: Uint8Array;
}

/**
 * Takes what waits into the logs, and signs them. Any number of instances may run it: a tenant that another one serves
 * is passed over. A log that is not as it was left is not touched: what is wrong with it stands in `problems`.
 */
export class Sequencer {
  readonly #problems = new Map<number, string>();
  #from = 0;

  constructor(
    private readonly prisma: PrismaClient,
    private readonly keys: LogKeys,
    private readonly memory: CheckpointMemory,
    private readonly log: Logger,
    private readonly checkpointMs: number = LIMITS.checkpointMs,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Tenants whose log this instance does not go on with, and why. */
  get problems(): ReadonlyMap<number, string> {
    return this.#problems;
  }

  /** Whether it goes on with every log. */
  get healthy(): boolean {
    return this.#problems.size === 0;
  }

  /** @returns how many tenants have more that waits */
  async run(): Promise<number> {
    const keyIds = [this.keys.own.keyId, ...this.keys.former];
    const tenants = await this.prisma.$queryRawUnsafe<{ tenant_id: number }[]>(
      TENANTS_WITH_WORK,
      ...[this.#from, TENANTS_PER_RUN, keyIds],
    );
    this.#from = tenants.length < TENANTS_PER_RUN ? 0 : (tenants.at(-1)?.tenant_id ?? 0);
    let unfinished = 0;
    for (const { tenant_id } of tenants) {
      const hasMore = await this.#attempt(tenant_id, (tx) => this.#append(tx, tenant_id, keyIds));
      if (hasMore === true) unfinished++;
    }
    await this.#sign();
    return unfinished;
  }

  async #append(tx: Prisma.TransactionClient, tenantId: number, keyIds: string[]): Promise<boolean> {
    const log = await LogWriter.open(tx, tenantId, this.keys);
    const batches = await tx.$queryRawUnsafe<Batch[]>(WAITING_BATCHES, tenantId, keyIds, BATCHES_PER_STEP);
    const sound = batches.filter((batch) => this.#isSound(tenantId, batch));
    for (const { leaves, accepted } of sound) {
      log.append(acceptedLeaves(Buffer.from(leaves), accepted));
      await setImmediate();
    }
    const idsOf = (some: readonly Batch[]) => some.map(({ batch_id }) => batch_id);
    await tx.$executeRawUnsafe(TAKE_BATCHES, tenantId, idsOf(sound));
    const others = batches.filter((batch) => !sound.includes(batch));
    if (others.length > 0) await tx.$executeRawUnsafe(REFUSE_BATCHES, tenantId, idsOf(others));
    const isLimited = batches.length === BATCHES_PER_STEP;
    let backfilled = log.head?.backfilled ?? false;
    let hasBacklog = false;
    // Nothing of this snapshot waits any more: what of the backlog is in the log already can be told, once it is saved.
    if (!isLimited && !backfilled) {
      await log.save(this.keys, false);
      const leaves = await nextOfBacklog(tx, tenantId);
      if (leaves) log.append(leaves);
      else backfilled = true;
      hasBacklog = leaves !== null;
    }
    await log.save(this.keys, backfilled);
    return isLimited || hasBacklog;
  }

  #isSound(tenantId: number, { batch_id, leaves, mac, key_id }: Batch): boolean {
    const { own, former } = this.keys;
    return former.includes(key_id) || sealOf(own, tenantId, batch_id, Buffer.from(leaves)).equals(mac);
  }

  async #sign(): Promise<void> {
    const before = new Date(this.now().getTime() - this.checkpointMs);
    const due = await this.prisma.$queryRawUnsafe<{ tenant_id: number }[]>(TENANTS_TO_SIGN, before);
    for (const { tenant_id: tenantId } of due) {
      const note = await this.#attempt(tenantId, (tx) => this.#signOne(tx, tenantId, before));
      if (note) await this.memory.remember(tenantId, note);
    }
  }

  async #signOne(tx: Prisma.TransactionClient, tenantId: number, before: Date): Promise<string | null> {
    const head = await loadHead(tx, tenantId, this.keys);
    if (!head || head.size === head.signedSize || head.signedAt > before) return null;
    await this.#assertGrown(tx, tenantId, head);
    const { size, root } = head;
    const [number, signedAt] = [head.checkpoints + 1, this.now()];
    const note = signedNote({ tenantId, size, root, number, time: signedAt.toISOString() }, this.keys.own);
    await tx.$executeRawUnsafe(PUT_CHECKPOINT, tenantId, number, size, note);
    await saveHead(tx, tenantId, { ...head, checkpoints: number, signedSize: size, signedAt }, this.keys);
    return note;
  }

  /** A database that was set back to an earlier state has a log of its own: it must not be signed. */
  async #assertGrown(
    tx: Prisma.TransactionClient,
    tenantId: number,
    head: { readonly size: number; readonly root: Buffer },
  ): Promise<void> {
    const last = await this.memory.last(tenantId);
    if (!last) return;
    if (last.size > head.size)
      throw new BrokenLog(`the log has ${head.size} entries, and had ${last.size} when it was signed last`);
    const tiles = tilesFor((node) => consistencyProof(last.size, head.size, node));
    const proof = consistencyProof(last.size, head.size, nodesOf(await loadTiles(tx, tenantId, tiles)));
    if (!isConsistent(last, head, proof))
      throw new BrokenLog(`the log is not the one whose ${last.size} entries were signed last`);
  }

  /** One tenant's turn, in one transaction; null: somebody else has it, or the log is broken. */
  async #attempt<T>(tenantId: number, work: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T | null> {
    try {
      const done = await this.prisma.$transaction(async (tx) => {
        const [turn] = await tx.$queryRawUnsafe<{ taken: boolean }[]>(
          `SELECT pg_try_advisory_xact_lock(${TURN}, $1::int) AS taken`,
          tenantId,
        );
        return turn?.taken ? { result: await work(tx) } : null;
      }, STEP);
      if (done) this.#problems.delete(tenantId);
      return done?.result ?? null;
    } catch (error) {
      // Another instance was served between the snapshot and the turn.
      if (LATE.includes(sqlStateOf(error) ?? '')) return null;
      if (!(error instanceof BrokenLog || error instanceof MissingNode)) throw error;
      if (this.#problems.get(tenantId) !== error.message)
        this.log.error({ tenantId, problem: error.message }, 'the evidence log is not gone on with');
      this.#problems.set(tenantId, error.message);
      return null;
    }
  }
}
