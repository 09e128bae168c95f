import { type OwnerDoor, type Step, stepIn } from '../../database/clients';
import type { TenantRounds } from '../../database/distribute/tenant-rounds';
import { LIMITS } from '../../limits';
import { consistencyProof, isConsistent, rootOf } from '../../store/log/evidence/merkle';
import { MissingNode, nodesOf, tilesFor } from '../../store/log/evidence/tiles';
import { type Checkpoint, signedNote } from './checkpoint';
import { CHECKPOINTS_FOLDER, type CheckpointMemory } from './checkpoint-memory';
import { BrokenLog, type LogHead, type LogKeys, SetBack } from './log-head';
import { HEAD, heads } from './log-statements';
import { assertSealed, type HeadRow, loadHead, loadTiles, toHead } from './log-writer';
import type { UnsignedLogs } from './unsigned-logs';

/**
 * Compares the logs in the database with the remembered checkpoints, whoever signed them. So it notices a log that was
 * set back, replaced or removed, even if nothing is appended. A checkpoint of another instance is remembered once it is
 * proven to continue the remembered one.
 */
export class LogWatch {
  readonly #problems = new Map<number, string>();
  /** The heads of logs at the last look, if they were in order. */
  readonly #seen = new Map<number, HeadRow>();
  /** The epochs of these looks. */
  readonly #seenIn = new Map<number, string>();
  readonly #setBack = new Map<number, KnownLog>();
  readonly #rememberedIn = new Set<string>();
  #from = 0;
  #hasLooked = false;
  /** Noted ends that were proven in this round. */
  #endProofs = 0;
  /** Whether a log of this walk waits for the proof that it goes on from its noted end. */
  #waits = false;

  constructor(
    private readonly owner: OwnerDoor,
    private readonly keys: LogKeys,
    private readonly memory: CheckpointMemory,
    private readonly rounds: TenantRounds,
    private readonly unsigned: Pick<UnsignedLogs, 'look'>,
  ) {}

  /** The tenants whose log differs from the signed one, with the reason. */
  get problems(): ReadonlyMap<number, string> {
    return this.#problems;
  }

  /** The logs that are not those of an earlier look. */
  get setBack(): ReadonlyMap<number, KnownLog> {
    return this.#setBack;
  }

  /** The epochs in which the checkpoints were remembered. */
  get rememberedIn(): ReadonlySet<string> {
    return this.#rememberedIn;
  }

  /** Whether it has looked at every log once. */
  get hasLooked(): boolean {
    return this.#hasLooked;
  }

  /** Looks at the logs once. If there are very many, it continues with the next ones at the next call. */
  async round(): Promise<void> {
    this.#endProofs = 0;
    if (this.#from === 0) this.#waits = false;
    const rows = await this.rounds.ask((of) =>
      this.owner.models.$queryRawUnsafe<HeadRow[]>(heads(of), this.#from, LIMITS.evidenceWatchedLogs),
    );
    const end =
      rows.length < LIMITS.evidenceWatchedLogs ? Number.POSITIVE_INFINITY : (rows.at(-1)?.tenant_id ?? 0);
    this.unsigned.look(rows, { from: this.#from, end });
    const found = new Set(rows.map(({ tenant_id }) => tenant_id));
    const known = new Set([...(await this.memory.tenants()), ...this.memory.ends.tenants]);
    const gone = [...known].filter(
      (tenantId) => tenantId > this.#from && tenantId <= end && !found.has(tenantId),
    );
    // A log whose node is away is not missing. It is judged when its node can be asked.
    for (const tenantId of gone) await this.rounds.attempt(tenantId, () => this.#look(tenantId, null));
    let proofs = 0;
    for (const row of rows) {
      const mayProve = proofs < LIMITS.evidenceProofsPerRound;
      if (await this.rounds.attempt(row.tenant_id, () => this.#look(row.tenant_id, row, mayProve))) proofs++;
    }
    this.#from = Number.isFinite(end) ? end : 0;
    // Who reads waits until each log was compared.
    if (this.#from === 0 && !this.#waits) this.#hasLooked = true;
    await this.memory.ends.save();
  }

  /**
   * Looks at one log now: whether it is sealed, and goes on from the remembered checkpoint.
   * @returns its end; null: there is no log @throws BrokenLog, MissingNode
   */
  async examine(tenantId: number): Promise<LogHead | null> {
    // Read first: what is remembered later may be newer than the head.
    const last = await this.memory.last(tenantId);
    const step = stepIn(this.owner.models);
    const head = await loadHead(step, tenantId, this.keys);
    assertNotSetBack(tenantId, head, last);
    if (head) await assertGrown(step, head, last);
    return head;
  }

  /** @returns whether it found a new checkpoint */
  async #look(tenantId: number, row: HeadRow | null, mayProve = true): Promise<boolean> {
    const seen = this.#seen.get(tenantId);
    if (row && seen && !this.#problems.has(tenantId) && isSame(seen, row)) return false;
    if (this.#isProofPutOff(tenantId, row)) return false;
    try {
      return await this.#check(tenantId, row, mayProve);
    } catch (error) {
      if (!isBroken(error)) throw error;
    }
    // Another instance on this data folder may have remembered a newer checkpoint, or an operator may have replaced it.
    if (await this.memory.reread(tenantId).catch(isBroken)) this.#seen.delete(tenantId);
    try {
      const [now] = await this.owner.models.$queryRawUnsafe<HeadRow[]>(HEAD, tenantId);
      return await this.#check(tenantId, now ?? null, mayProve);
    } catch (error) {
      if (!isBroken(error)) throw error;
      // In the epoch that begins now, such a log goes on: no signature says otherwise.
      const isEndLost = error instanceof EndLost;
      if (!isEndLost) this.#problems.set(tenantId, error.message);
      if (error instanceof SetBack) {
        const epoch = isEndLost
          ? this.memory.currentEpoch
          : (this.#seenIn.get(tenantId) ?? (await this.memory.epochOf(tenantId)));
        this.#setBack.set(tenantId, { epoch, found: `tenant ${tenantId}: ${error.message}` });
      }
      return false;
    }
  }

  /** Whether the log needs a proof that it goes on from its noted end, and this round has made enough. */
  #isProofPutOff(tenantId: number, row: HeadRow | null): boolean {
    const end = this.memory.ends.noted(tenantId);
    if (!end || Number(row?.size ?? 0) <= end.size) return false;
    this.#endProofs += 1;
    if (this.#endProofs <= LIMITS.evidenceProofsPerRound) return false;
    this.#waits = true;
    return true;
  }

  async #check(tenantId: number, row: HeadRow | null, mayProve: boolean): Promise<boolean> {
    const last = await this.memory.last(tenantId);
    if (last) this.#rememberedIn.add(await this.memory.epochOf(tenantId));
    const head = row && toHead(row);
    const isUnseen = row !== null && this.keys.former.includes(row.key_id);
    if (row && head && !isUnseen) assertSealed(tenantId, row, head, this.keys);
    assertNotSetBack(tenantId, head, last, this.#seen.get(tenantId));
    await this.#assertGoesOnFromEnd(tenantId, head);
    this.#setBack.delete(tenantId);
    if (!row || !head) {
      this.#problems.delete(tenantId);
      return false;
    }
    const isNew = !isUnseen && head.checkpoints > 0 && !(last && isOf(head, last));
    if (isNew && !mayProve) return false;
    if (isNew) await this.#remember(tenantId, head, last);
    const covered = (await this.memory.last(tenantId))?.size ?? 0;
    this.memory.ends.is(tenantId, head, covered >= head.size);
    this.#seen.set(tenantId, row);
    this.#seenIn.set(tenantId, this.memory.currentEpoch);
    this.#problems.delete(tenantId);
    return isNew;
  }

  /** @throws EndLost if the log does not go on from the end that an earlier run noted */
  async #assertGoesOnFromEnd(tenantId: number, head: LogHead | null): Promise<void> {
    const end = this.memory.ends.noted(tenantId);
    if (!end) return;
    const size = head?.size ?? 0;
    if (head && size >= end.size && (await this.#continues(tenantId, end, head))) return;
    throw new EndLost(
      `the log lacks entries or has others: this instance noted ${end.size} entries before it was stopped, and the log has ${size}`,
    );
  }

  /** Whether a log goes on from an end. Where hashes are missing nobody can tell, and the next signature says so. */
  async #continues(
    tenantId: number,
    end: Pick<Checkpoint, 'size' | 'root'>,
    head: LogHead,
  ): Promise<boolean> {
    if (end.size === head.size) return end.root.equals(head.root);
    const tiles = tilesFor((node) => consistencyProof(end.size, head.size, node));
    const node = nodesOf(await loadTiles(stepIn(this.owner.models), tenantId, tiles));
    try {
      return isConsistent(end, head, consistencyProof(end.size, head.size, node));
    } catch (error) {
      if (error instanceof MissingNode) return true;
      throw error;
    }
  }

  /**
   * Remembers a checkpoint of another instance by the head and not by its note, because nobody can seal a head without
   * a key. The root is computed from hashes that are proven to be the log's.
   */
  async #remember(tenantId: number, head: LogHead, last: Checkpoint | null): Promise<void> {
    const { checkpoints: number, signedSize: size, signedAt } = head;
    const tiles = tilesFor((node) => {
      rootOf(size, node);
      consistencyProof(size, head.size, node);
      if (last) consistencyProof(last.size, size, node);
    });
    const node = nodesOf(await loadTiles(stepIn(this.owner.models), tenantId, tiles));
    const signed = { size, root: rootOf(size, node) };
    if (!isConsistent(signed, head, consistencyProof(size, head.size, node)))
      throw new BrokenLog('hashes of the log were changed in the database');
    assertGoesOn(last, signed, () => (last ? consistencyProof(last.size, size, node) : []));
    const checkpoint = { tenantId, ...signed, number, time: signedAt.toISOString() };
    await this.memory.remember(tenantId, signedNote(checkpoint, this.keys.own));
  }
}

/** A log lacks entries that no remembered checkpoint covers. */
class EndLost extends SetBack {}

/** What is known of a log that was set back. */
export interface KnownLog {
  /** The epoch as of which it is known. */
  readonly epoch: string;
  readonly found: string;
}

/** @param last the remembered checkpoint @param seen the log at an earlier look @throws BrokenLog */
export function assertNotSetBack(
  tenantId: number,
  head: LogHead | null,
  last: Checkpoint | null,
  seen?: HeadRow,
): void {
  const before = Math.max(last?.size ?? 0, Number(seen?.size ?? 0));
  const [size, number] = [head?.size ?? 0, head?.checkpoints ?? 0];
  const isOther = seen && head && size === Number(seen.size) && !head.root.equals(seen.root);
  if (size >= before && number >= (last?.number ?? 0) && !isOther) return;
  const signed = last ? ` (checkpoint ${last.number} of ${last.time}: ${last.size})` : '';
  throw new SetBack(
    `the log was set back or replaced: it has ${size} entries and ${number} checkpoints, and had ${before} entries${signed}. ` +
      `If an older backup was restored on purpose, take ${fileOf(tenantId)} out of each instance's DATA_DIR`,
  );
}

/** @throws BrokenLog if the log does not continue the remembered checkpoint */
function assertGoesOn(
  last: Checkpoint | null,
  now: { readonly size: number; readonly root: Buffer },
  proof: () => readonly Buffer[],
): void {
  if (last && !isConsistent(last, now, proof()))
    throw new SetBack(
      `the log was replaced: it is not the one whose ${last.size} entries were signed at ${last.time} (checkpoint ${last.number}). ` +
        `If another backup was restored on purpose, take ${fileOf(last.tenantId)} out of each instance's DATA_DIR`,
    );
}

/** Checks that a log is consistent with the remembered checkpoint, in the transaction of the change that follows. */
export async function assertGrown(step: Step, head: LogHead, last: Checkpoint | null): Promise<void> {
  if (!last) return;
  const tiles = tilesFor((node) => consistencyProof(last.size, head.size, node));
  const node = nodesOf(await loadTiles(step, last.tenantId, tiles));
  assertGoesOn(last, head, () => consistencyProof(last.size, head.size, node));
}

export const isBroken = (error: unknown): error is Error =>
  error instanceof BrokenLog || error instanceof MissingNode;

const fileOf = (tenantId: number) => `${CHECKPOINTS_FOLDER}/tenant-${tenantId}`;

/** Whether the checkpoint is the newest of this log. */
const isOf = ({ checkpoints, signedSize, signedAt }: LogHead, last: Checkpoint) =>
  last.number === checkpoints && last.size === signedSize && last.time === signedAt.toISOString();

const isSame = (seen: HeadRow, row: HeadRow) =>
  seen.size === row.size &&
  seen.checkpoints === row.checkpoints &&
  seen.signed_size === row.signed_size &&
  seen.signed_at.getTime() === row.signed_at.getTime() &&
  seen.backfilled === row.backfilled &&
  seen.key_id === row.key_id &&
  Buffer.compare(seen.root, row.root) === 0 &&
  Buffer.compare(seen.mac, row.mac) === 0;
