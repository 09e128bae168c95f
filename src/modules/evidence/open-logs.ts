import type { Logger } from 'pino';
import { LIMITS } from '../../limits';
import { grownMs, Rests } from '../../rests';

/** Somebody outside who is asked about evidence logs: a witness, or a time-stamp authority. */
interface Outsider {
  /** The fields that name him in the log, e.g. `{ witness: 'w1' }`. */
  readonly named: Readonly<Record<string, string>>;
  readonly texts: { readonly away: string; readonly again: string; readonly refused: string };
}

/** An evidence log that waits for his signature. */
interface OpenLog {
  readonly sinceMs: number;
  /** Why it waits, for people; null: nothing is known. */
  reason: string | null;
}

/** Waits after failures: he does not answer, or does not sign. */
const AWAY = { firstMs: 5_000, mostMs: 60_000 };
const REFUSED = { firstMs: 10_000, mostMs: 10 * 60_000 };
const HIM = 'him';

/**
 * Knows which evidence logs wait for somebody outside, since when and why, and leaves him alone for a while after a
 * failure. Each reason is logged once.
 */
export class OpenLogs {
  readonly #open = new Map<number, OpenLog>();
  readonly #rests: Rests<number>;
  readonly #away: Rests<typeof HIM>;
  #isAway = false;
  #from = 0;

  constructor(
    private readonly parts: {
      readonly log: Logger;
      /** Aborted when the service is told to stop. */
      readonly signal: AbortSignal;
      readonly nowMs: () => number;
    },
    private readonly outsider: Outsider,
  ) {
    this.#rests = new Rests(parts.nowMs);
    this.#away = new Rests(parts.nowMs);
  }

  /** The tenant after which the next round looks. */
  get from(): number {
    return this.#from;
  }

  /**
   * @param tenants the next ones, in order, whose log is to be signed: at most `LIMITS.evidenceWatchedLogs`. Others of that
   * stretch wait no longer. If there are very many, the next round continues behind them
   */
  keepOnly(tenants: readonly number[]): void {
    const open = new Set(tenants);
    const isLast = tenants.length < LIMITS.evidenceWatchedLogs;
    const end = isLast ? Number.POSITIVE_INFINITY : (tenants.at(-1) ?? 0);
    for (const tenantId of this.#open.keys())
      if (tenantId > this.#from && tenantId <= end && !open.has(tenantId)) this.#open.delete(tenantId);
    this.#from = isLast ? 0 : end;
    const sinceMs = this.parts.nowMs();
    for (const tenantId of tenants)
      if (!this.#open.has(tenantId)) this.#open.set(tenantId, { sinceMs, reason: null });
    this.#rests.keepOnly(new Set(this.#open.keys()));
  }

  /** Whether the log waits, as far as a round has seen. */
  waits(tenantId: number): boolean {
    return this.#open.has(tenantId);
  }

  /** The tenants whose log waits for at least some time, whichever way the clock was set. */
  late(ms: number): number[] {
    const nowMs = this.parts.nowMs();
    return [...this.#open]
      .filter(([, { sinceMs }]) => Math.abs(nowMs - sinceMs) >= ms)
      .map(([tenantId]) => tenantId);
  }

  /** Whether the round is over: he does not answer, or the service stops. */
  get isOver(): boolean {
    return this.parts.signal.aborted || this.#away.isResting(HIM);
  }

  isResting(tenantId: number): boolean {
    return this.#rests.isResting(tenantId);
  }

  signed(tenantId: number): void {
    this.#open.delete(tenantId);
    this.#rests.end(tenantId);
  }

  wasAway(reason: string): void {
    // The service itself ended the attempt.
    if (this.parts.signal.aborted) return;
    const { named, texts } = this.outsider;
    if (!this.#isAway) this.parts.log.warn({ ...named, reason }, texts.away);
    this.#isAway = true;
    this.#away.failed(HIM, (failures) => grownMs(AWAY, failures));
  }

  answered(): void {
    const { named, texts } = this.outsider;
    if (this.#isAway) this.parts.log.info({ ...named }, texts.again);
    this.#isAway = false;
    this.#away.end(HIM);
  }

  refused(tenantId: number, reason: string): void {
    this.#rests.failed(tenantId, (failures) => grownMs(REFUSED, failures));
    if (this.#isNews(tenantId, reason))
      this.parts.log.error({ ...this.outsider.named, tenantId, reason }, this.outsider.texts.refused);
  }

  /** Leaves a log alone for long that he does not serve. */
  isNotServed(tenantId: number, text: string): void {
    this.#rests.failed(tenantId, () => REFUSED.mostMs);
    if (this.#isNews(tenantId, text)) this.parts.log.warn({ ...this.outsider.named, tenantId }, text);
  }

  #isNews(tenantId: number, reason: string): boolean {
    const open = this.#open.get(tenantId);
    if (!open || open.reason === reason) return false;
    open.reason = reason;
    return true;
  }
}
