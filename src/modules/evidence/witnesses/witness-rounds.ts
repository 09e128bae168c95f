import type { Logger } from 'pino';
import type { OwnerDoor } from '../../../database/clients';
import { TenantRounds } from '../../../database/distribute/tenant-rounds';
import { LIMITS } from '../../../limits';
import type { EvidenceLog } from '../evidence-log';
import { COSIGN, cosignedLogs, NEWEST, uncosignedLogs } from '../log-statements';
import { OpenLogs } from '../open-logs';
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

const TRIES_MAX = 3;

/** Sends the newest checkpoints of all logs to one witness, and keeps its signatures beside them. */
export class WitnessRounds {
  readonly #tenants: TenantRounds;
  /** The size that the witness signed last, by tenant, as far as it said. */
  readonly #sizes = new Map<number, number>();
  readonly #open: OpenLogs;
  /** Tenants whose log the witness does not serve. */
  readonly #unknown = new Set<number>();
  #servesSome = false;

  constructor(
    private readonly parts: RoundParts,
    private readonly witness: WitnessClient,
  ) {
    this.#tenants = new TenantRounds(parts.owner);
    this.#open = new OpenLogs(parts, {
      named: { witness: witness.name },
      texts: {
        away: 'a witness does not answer: checkpoints go on without it',
        again: 'the witness answers again',
        refused: 'a witness does not sign an evidence log',
      },
    });
  }

  get name(): string {
    return this.witness.name;
  }

  /**
   * The tenants whose newest checkpoint the witness has not signed for too long. Logs that it does not serve count only
   * if it serves none: then its address is wrong.
   */
  get late(): readonly number[] {
    return this.#open
      .late(LIMITS.witnessLateMs)
      .filter((tenantId) => !(this.#servesSome && this.#unknown.has(tenantId)));
  }

  async round(): Promise<void> {
    const { models } = this.parts.owner;
    const prefix = `\n${this.witness.linePrefix}`;
    const rows = await this.#tenants.ask((of) =>
      models.$queryRawUnsafe<{ tenant_id: number }[]>(
        uncosignedLogs(of),
        ...[prefix, LIMITS.evidenceWatchedLogs, this.#open.from],
      ),
    );
    const tenants = rows.map(({ tenant_id }) => tenant_id);
    this.#open.keepOnly(tenants);
    for (const tenantId of this.#unknown) if (!this.#open.waits(tenantId)) this.#unknown.delete(tenantId);
    for (const tenantId of tenants) {
      if (this.#open.isOver) break;
      if (!this.#open.isResting(tenantId))
        await this.#tenants.attempt(tenantId, () => this.#submit(tenantId));
    }
    if (this.#unknown.size > 0) {
      const served = await this.#tenants.ask((of) =>
        models.$queryRawUnsafe<object[]>(cosignedLogs(of), prefix),
      );
      this.#servesSome = served.length > 0;
    }
    this.#tenants.end();
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
        if (isNewest) this.#open.refused(tenantId, `it signed ${old} entries of the log, which has ${size}`);
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
    if (outcome.kind === 'failed') return this.#open.wasAway(outcome.message);
    this.#open.answered();
    if (outcome.kind === 'unknown') {
      this.#unknown.add(tenantId);
      return this.#open.isNotServed(tenantId, 'a witness does not serve an evidence log');
    }
    this.#unknown.delete(tenantId);
    if (outcome.kind === 'conflict')
      return this.#open.refused(
        tenantId,
        `it signed another log of ${outcome.size} entries: the log is FORKED`,
      );
    if (outcome.kind === 'refused') return this.#open.refused(tenantId, outcome.message);
    const { line } = outcome;
    const body = note.slice(0, note.indexOf('\n\n') + 2);
    // From here on the signature is kept. After a crash before, the witness signs the same checkpoint again.
    await this.parts.owner.models.$executeRawUnsafe(
      COSIGN,
      ...[tenantId, number, line, `\n${this.witness.linePrefix}`, body],
    );
    this.#sizes.set(tenantId, Number(size));
    this.#open.signed(tenantId);
  }

  async #newest(tenantId: number): Promise<NewestCheckpoint | null> {
    const [row] = await this.parts.owner.models.$queryRawUnsafe<NewestCheckpoint[]>(NEWEST, tenantId);
    return row ?? null;
  }
}
