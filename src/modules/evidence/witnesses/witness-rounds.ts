import type { Logger } from 'pino';
import type { OwnerDoor } from '../../../database/clients';
import { TenantRounds } from '../../../database/distribute/tenant-rounds';
import { LIMITS } from '../../../limits';
import { grownMs, Rests } from '../../../rests';
import type { EvidenceLog } from '../evidence-log';
import { COSIGN, cosignedLogs, NEWEST, uncosignedLogs } from '../log-statements';
import type { WitnessClient, WitnessOutcome } from './witness-client';

export interface RoundParts {
  readonly owner: OwnerDoor;
  readonly evidence: Pick<EvidenceLog, 'consistency'>;
  readonly log: Logger;
  /** Aborted when the service is told to stop. */
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
}

interface NewestCheckpoint {
  readonly number: number;
  readonly size: bigint | string;
  readonly note: string;
}

/** A log whose newest checkpoint the witness has not signed. */
interface Open {
  readonly sinceMs: number;
  /** Why, for people; null: nothing is known. */
  reason: string | null;
  /** The witness does not serve the log. */
  isUnknown: boolean;
}

const TRIES_MAX = 3;
/** Waits after failures of somebody elsewhere: he does not answer, or does not sign. */
export const AWAY = { firstMs: 5_000, mostMs: 60_000 };
export const REFUSED = { firstMs: 10_000, mostMs: 10 * 60_000 };

/** Sends the newest checkpoints of all logs to one witness, and keeps its signatures beside them. */
export class WitnessRounds {
  readonly #tenants: TenantRounds;
  /** The size that the witness signed last, by tenant, as far as it said. */
  readonly #sizes = new Map<number, number>();
  readonly #open = new Map<number, Open>();
  readonly #rests: Rests<number>;
  readonly #away: Rests<string>;
  #isAway = false;
  #servesSome = false;

  constructor(
    private readonly parts: RoundParts,
    private readonly witness: WitnessClient,
  ) {
    this.#tenants = new TenantRounds(parts.owner);
    this.#rests = new Rests(parts.nowMs);
    this.#away = new Rests(parts.nowMs);
  }

  get name(): string {
    return this.witness.name;
  }

  /**
   * The tenants whose newest checkpoint the witness has not signed for too long. Logs that it does not serve count only
   * if it serves none: then its address is wrong.
   */
  get late(): readonly number[] {
    const nowMs = this.parts.nowMs();
    return [...this.#open]
      .filter(([, { sinceMs, isUnknown }]) => {
        const isLong = Math.abs(nowMs - sinceMs) >= LIMITS.witnessLateMs;
        return isLong && !(isUnknown && this.#servesSome);
      })
      .map(([tenantId]) => tenantId);
  }

  async round(): Promise<void> {
    const { models } = this.parts.owner;
    const prefix = `\n${this.witness.linePrefix}`;
    const rows = await this.#tenants.ask((of) =>
      models.$queryRawUnsafe<{ tenant_id: number }[]>(
        uncosignedLogs(of),
        ...[prefix, LIMITS.evidenceWatchedLogs],
      ),
    );
    const tenants = rows.map(({ tenant_id }) => tenant_id);
    this.#note(tenants);
    for (const tenantId of tenants) {
      if (this.parts.signal.aborted || this.#away.isResting(this.name)) break;
      if (!this.#rests.isResting(tenantId))
        await this.#tenants.attempt(tenantId, () => this.#submit(tenantId));
    }
    if ([...this.#open.values()].some(({ isUnknown }) => isUnknown)) {
      const served = await this.#tenants.ask((of) =>
        models.$queryRawUnsafe<object[]>(cosignedLogs(of), prefix),
      );
      this.#servesSome = served.length > 0;
    }
    this.#tenants.end();
  }

  /** @param tenants those with a newest checkpoint that the witness has not signed */
  #note(tenants: readonly number[]): void {
    const open = new Set(tenants);
    for (const tenantId of this.#open.keys()) if (!open.has(tenantId)) this.#open.delete(tenantId);
    this.#rests.keepOnly(open);
    const sinceMs = this.parts.nowMs();
    for (const tenantId of tenants)
      if (!this.#open.has(tenantId)) this.#open.set(tenantId, { sinceMs, reason: null, isUnknown: false });
  }

  async #submit(tenantId: number): Promise<void> {
    const newest = await this.#newest(tenantId);
    if (!newest) return;
    const size = Number(newest.size);
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const old = this.#sizes.get(tenantId) ?? 0;
      if (old > size) {
        // Another instance may have signed, and sent, a newer checkpoint meanwhile.
        const isNewest = (await this.#newest(tenantId))?.number === newest.number;
        if (isNewest) this.#refused(tenantId, `it signed ${old} entries of the log, which has ${size}`);
        return;
      }
      const proof =
        old === 0 || old === size ? [] : await this.parts.evidence.consistency(tenantId, old, size);
      const outcome = await this.witness.add(old, proof, newest.note, this.parts.signal);
      if (outcome.kind !== 'conflict' || outcome.size === old) return this.#settle(tenantId, newest, outcome);
      this.#sizes.set(tenantId, outcome.size);
    }
  }

  async #settle(
    tenantId: number,
    { number, size, note }: NewestCheckpoint,
    outcome: WitnessOutcome,
  ): Promise<void> {
    if (outcome.kind === 'failed') return this.#wasAway(outcome.message);
    this.#answered();
    if (outcome.kind === 'conflict')
      return this.#refused(tenantId, `it signed another log of ${outcome.size} entries: the log is FORKED`);
    if (outcome.kind === 'unknown') return this.#isUnknown(tenantId);
    if (outcome.kind === 'refused') return this.#refused(tenantId, outcome.message);
    const { line } = outcome;
    const body = note.slice(0, note.indexOf('\n\n') + 2);
    // From here on the signature is kept. After a crash before, the witness signs the same checkpoint again.
    await this.parts.owner.models.$executeRawUnsafe(
      COSIGN,
      ...[tenantId, number, line, `\n${this.witness.linePrefix}`, body],
    );
    this.#sizes.set(tenantId, Number(size));
    this.#open.delete(tenantId);
    this.#rests.end(tenantId);
  }

  async #newest(tenantId: number): Promise<NewestCheckpoint | null> {
    const [row] = await this.parts.owner.models.$queryRawUnsafe<NewestCheckpoint[]>(NEWEST, tenantId);
    return row ?? null;
  }

  #wasAway(reason: string): void {
    // The service itself ended the attempt.
    if (this.parts.signal.aborted) return;
    if (!this.#isAway)
      this.parts.log.warn(
        { witness: this.name, reason },
        'a witness does not answer: checkpoints go on without it',
      );
    this.#isAway = true;
    this.#away.failed(this.name, (failures) => grownMs(AWAY, failures));
  }

  #answered(): void {
    if (this.#isAway) this.parts.log.info({ witness: this.name }, 'the witness answers again');
    this.#isAway = false;
    this.#away.end(this.name);
  }

  #refused(tenantId: number, reason: string): void {
    this.#rests.failed(tenantId, (failures) => grownMs(REFUSED, failures));
    const open = this.#open.get(tenantId);
    if (!open || open.reason === reason) return;
    this.parts.log.error({ witness: this.name, tenantId, reason }, 'a witness does not sign an evidence log');
    Object.assign(open, { reason, isUnknown: false });
  }

  #isUnknown(tenantId: number): void {
    this.#rests.failed(tenantId, () => REFUSED.mostMs);
    const open = this.#open.get(tenantId);
    if (!open || open.isUnknown) return;
    this.parts.log.warn({ witness: this.name, tenantId }, 'a witness does not serve an evidence log');
    Object.assign(open, { reason: null, isUnknown: true });
  }
}
