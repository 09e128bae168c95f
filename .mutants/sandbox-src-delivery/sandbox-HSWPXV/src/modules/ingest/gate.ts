import { DomainError } from '../../errors';

interface GateLimits {
  readonly inWorkMax: number;
  readonly inWorkPerTenantMax: number;
  readonly waitingMax: number;
  readonly waitingPerTenantMax: number;
  readonly waitMs: number;
}

interface Visitor {
  readonly tenantId: number;
  admit(): void;
}

/**
 * Limits how many batches are in work at once, and how many wait for a turn. No tenant gets all turns, and the tenant
 * with the fewest turns is next. A batch that finds no place or waits too long is refused. So memory is bounded, and
 * agents, which keep their events, slow down.
 */
export class IngestGate {
  readonly #inWork: number[] = [];
  #waiting: Visitor[] = [];

  constructor(private readonly limits: GateLimits) {}

  /** @returns a function to call once the batch is answered @throws DomainError `service_unavailable` */
  async enter(tenantId: number): Promise<() => void> {
    if (!this.#hasTurn(tenantId)) await this.#wait(tenantId);
    else this.#inWork.push(tenantId);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#inWork.splice(this.#inWork.indexOf(tenantId), 1);
      this.#callNext();
    };
  }

  #wait(tenantId: number): Promise<void> {
    const { waitingMax, waitingPerTenantMax, waitMs } = this.limits;
    const own = this.#waiting.filter((visitor) => visitor.tenantId === tenantId).length;
    if (own >= waitingPerTenantMax || this.#waiting.length >= waitingMax) throw tooBusy();
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting = this.#waiting.filter((other) => other !== visitor);
      };
      const visitor = {
        tenantId,
        admit: () => {
          leave();
          this.#inWork.push(tenantId);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        leave();
        reject(tooBusy());
      }, waitMs).unref();
      this.#waiting.push(visitor);
    });
  }

  /** Calls the next batch. Among tenants with equally few turns, the one that waits longest is first. */
  #callNext(): void {
    const may = this.#waiting.filter(({ tenantId }) => this.#hasTurn(tenantId));
    const [next] = may.toSorted((a, b) => this.#turnsOf(a.tenantId) - this.#turnsOf(b.tenantId));
    next?.admit();
  }

  #hasTurn(tenantId: number): boolean {
    const { inWorkMax, inWorkPerTenantMax } = this.limits;
    return this.#inWork.length < inWorkMax && this.#turnsOf(tenantId) < inWorkPerTenantMax;
  }

  #turnsOf(tenantId: number): number {
    return this.#inWork.filter((id) => id === tenantId).length;
  }
}

const tooBusy = () =>
  new DomainError('service_unavailable', {
    public: 'The service is taking in as many batches as it can. Send this one again shortly.',
    retryAfterSeconds: 1,
  });
