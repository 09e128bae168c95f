import type { Logger } from 'pino';
import type { OwnerDoor } from '../../../database/clients';
import type { Leases } from '../../../database/lease';
import { type Progress, putProgress, type StoredProgress, takeProgress, turnsOf } from './progress';
import type { ProgressSeal } from './progress-seal';

/** Tells people that somebody changed how far the rules of a tenant are. */
export type TellOfChange = (tenantId: number, problem: string) => Promise<unknown>;

/**
 * Takes the turns of tenants, and trusts progress only if this service stored it. Rules go on where they were, as far
 * as this process knows.
 */
export class TrustedProgress {
  readonly #turns: Leases;

  constructor(
    private readonly parts: {
      readonly owner: OwnerDoor;
      readonly seal: ProgressSeal;
      readonly tell: TellOfChange;
      readonly log: Pick<Logger, 'error'>;
    },
  ) {
    this.#turns = turnsOf(parts.owner);
  }

  get seal(): ProgressSeal {
    return this.parts.seal;
  }

  /** @returns null: the turn is another instance's, or the progress changed meanwhile */
  async take(tenantId: number, holder: string): Promise<Progress | null> {
    const { owner, seal } = this.parts;
    const stored = await takeProgress(this.#turns, tenantId, holder);
    if (!stored) return null;
    const origin = seal.originOf(tenantId, stored);
    if (origin === 'sealed') {
      seal.note(tenantId, stored);
      return stored;
    }
    const progress =
      origin === 'changed' ? await this.#mended(tenantId, stored) : await this.#counted(tenantId, stored);
    if (!(await putProgress(owner.models, tenantId, { from: stored, to: progress }, seal))) return null;
    seal.note(tenantId, progress);
    return progress;
  }

  async #counted(tenantId: number, stored: StoredProgress): Promise<Progress> {
    const [row] = await this.parts.owner.models.$queryRawUnsafe<{ count: bigint }[]>(
      'SELECT count(*) AS count FROM finding WHERE tenant_id = $1::int',
      tenantId,
    );
    return { ...stored, findings: Number(row?.count ?? 0) };
  }

  /** The progress from which rules go on after somebody changed it. People are told first. */
  async #mended(tenantId: number, stored: StoredProgress): Promise<Progress> {
    const { seal, owner, tell, log } = this.parts;
    const known = seal.known(tenantId);
    const [head] = await owner.models.$queryRawUnsafe<{ size: bigint }[]>(
      'SELECT size FROM audit_log_head WHERE tenant_id = $1::int',
      tenantId,
    );
    const size = Number(head?.size ?? 0);
    const within = (progress: Progress): Progress => {
      const learnUntil = Math.min(progress.learnUntil, size);
      const learned = Math.min(progress.learned, learnUntil);
      return { ...progress, position: Math.min(progress.position, size), learned, learnUntil };
    };
    const progress = within(
      known ? { ...known, revision: stored.revision } : await this.#counted(tenantId, stored),
    );
    const problem = known
      ? `How far the rules are was changed in the database, from ${known.position} entries of the log to ${stored.position}. They go on at ${progress.position}`
      : `How far the rules are was changed in the database, to ${stored.position} entries of the log, before this instance started: test the rules on the events of before`;
    log.error({ tenantId, known: known?.position ?? null, found: stored.position }, problem);
    seal.noteChange();
    await tell(tenantId, problem);
    return progress;
  }
}
