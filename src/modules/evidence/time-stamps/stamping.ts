import { randomUUID } from 'node:crypto';
import { TenantRounds } from '../../../database/distribute/tenant-rounds';
import { type Leased, Leases } from '../../../database/lease';
import { LIMITS } from '../../../limits';
import { stampedBytes } from '../../../package-check/time-stamp';
import type { LogEpoch } from '../../../store/log/epoch/log-epoch';
import { isStampDue, NEWEST, STAMP, unstampedLogs } from '../log-statements';
import { OpenLogs } from '../open-logs';
import type { RoundParts } from '../witnesses/witness-rounds';
import type { AuthorityClient } from './authority-client';

interface StampingParts extends Omit<RoundParts, 'evidence'> {
  readonly epoch: Pick<LogEpoch, 'unlessPaused'>;
}

const STAMPING: Leased = {
  table: 'audit_log_stamping',
  key: { tenant_id: 'int' },
  holder: 'holder',
  until: 'held_until',
  ms: 4 * LIMITS.timeStampAnswerMs,
  made: {},
};

/**
 * Has the newest checkpoint of each log stamped by a time-stamp authority, once an hour. The service goes on when it
 * does not answer, and says so.
 */
export class Stamping {
  readonly #holder = randomUUID();
  readonly #tenants: TenantRounds;
  readonly #leases: Leases;
  readonly #open: OpenLogs;

  /** @param authority null: none is configured */
  constructor(
    private readonly parts: StampingParts,
    private readonly authority: AuthorityClient | null,
  ) {
    this.#tenants = new TenantRounds(parts.owner);
    this.#leases = new Leases(parts.owner.models, STAMPING);
    this.#open = new OpenLogs(parts, {
      named: { authority: authority?.name ?? '' },
      texts: {
        away: 'the time-stamp authority does not answer: checkpoints go on without it',
        again: 'the time-stamp authority answers again',
        refused: 'the time-stamp authority does not stamp an evidence log',
      },
    });
  }

  get healthy(): boolean {
    return this.late === 0;
  }

  /** The number of logs that wait for their stamp for too long. */
  get late(): number {
    return this.#open.late(LIMITS.timeStampLateMs).length;
  }

  /** Nothing is sent in a drill, nor before an operator's go. */
  async run(): Promise<void> {
    const { authority } = this;
    if (authority) await this.parts.epoch.unlessPaused(() => this.#round(authority));
  }

  close(): void {
    this.authority?.close();
  }

  async #round(authority: AuthorityClient): Promise<void> {
    const { models } = this.parts.owner;
    const rows = await this.#tenants.ask((of) =>
      models.$queryRawUnsafe<{ tenant_id: number }[]>(
        unstampedLogs(of),
        ...[LIMITS.evidenceWatchedLogs, this.#open.from],
      ),
    );
    const tenants = rows.map(({ tenant_id }) => tenant_id);
    this.#open.keepOnly(tenants);
    for (const tenantId of tenants) {
      if (this.#open.isOver) break;
      if (!this.#open.isResting(tenantId))
        await this.#tenants.attempt(tenantId, () => this.#stampLog(tenantId, authority));
    }
    this.#tenants.end();
  }

  async #stampLog(tenantId: number, authority: AuthorityClient): Promise<void> {
    const { owner, signal } = this.parts;
    // Another instance may ask at this moment, or have asked since.
    const [now] = await this.#leases.times();
    const [at, before] = [now, new Date(now.getTime() - LIMITS.timeStampEveryMs)].map(
      (time) => `'${time.toISOString()}'::timestamptz`,
    );
    const where = isStampDue('l.stamped_at', at, before);
    if (!(await this.#leases.take([tenantId], this.#holder, { where }))) return;
    let isStamped = false;
    try {
      const [newest] = await owner.models.$queryRawUnsafe<{ number: number; note: string }[]>(
        NEWEST,
        tenantId,
      );
      if (!newest) return;
      const stamped = stampedBytes(newest.note);
      const outcome = await authority.stamp(stamped, signal);
      if (outcome.kind === 'failed') return this.#open.wasAway(outcome.message);
      this.#open.answered();
      if (outcome.kind === 'refused') return this.#open.refused(tenantId, outcome.message);
      const stored = await owner.models.$executeRawUnsafe(
        STAMP,
        ...[tenantId, newest.number, outcome.token, Buffer.from(stamped).toString('utf8')],
      );
      // Another log may have taken its place since.
      if (stored === 0) return;
      isStamped = true;
      this.#open.signed(tenantId);
    } finally {
      await this.#leases.release(
        [tenantId],
        this.#holder,
        isStamped ? { set: () => 'stamped_at = now()' } : {},
      );
    }
  }
}
