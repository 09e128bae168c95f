import type { Logger } from 'pino';
import { LIMITS } from '../../../limits';

export type Lane = 'quick' | 'slow';

/**
 * Sorts tenants by the time that their rules take. Those whose step took long run on a thread of their own, so that the
 * findings of the others do not wait for them. They stay there until their steps have been quick for some minutes.
 */
export class Lanes {
  readonly #slowUntil = new Map<number, number>();

  constructor(
    private readonly nowMs: () => number,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  of(tenantId: number): Lane {
    return (this.#slowUntil.get(tenantId) ?? 0) > this.nowMs() ? 'slow' : 'quick';
  }

  /** Notes the time of a tenant's step; infinite: it did not end. */
  note(tenantId: number, tookMs: number): void {
    if (tookMs < LIMITS.detectionSlowMs) return;
    if (this.of(tenantId) === 'quick')
      this.log.warn(
        { tenantId, tookMs: Number.isFinite(tookMs) ? Math.round(tookMs) : null },
        'the rules of a tenant are slow: they now run beside those of the other tenants',
      );
    this.#slowUntil.set(tenantId, this.nowMs() + LIMITS.detectionSlowForMs);
  }

  /** The tenants in the slow lane. */
  get slow(): readonly number[] {
    return [...this.#slowUntil.keys()].filter((tenantId) => this.of(tenantId) === 'slow');
  }
}
