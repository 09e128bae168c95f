import { DomainError } from '../../errors';
import { LIMITS } from '../../limits';

/** How many statements that may take long run at once. */
interface Shares {
  /** The rest of the connections is left to what is answered at once. */
  readonly inAll: number;
  readonly perTenant: number;
  readonly perKey: number;
}

/** Of a database with so many connections: half in all, a quarter to a tenant, half of that to a key; one at least. */
export function sharesOf(connections: number): Shares {
  const perTenant = Math.max(1, Math.floor(connections / 4));
  return {
    inAll: Math.max(1, Math.floor(connections / 2)),
    perTenant,
    perKey: Math.max(1, Math.floor(perTenant / 2)),
  };
}

/**
 * Of changes that tenants make, and of lists of rules: one after the other of a tenant, which costs nothing where they are
 * quick. Most wait for a row of the tenant, and hold a connection meanwhile.
 */
export const CHANGE_SHARES: Shares = { inAll: 3, perTenant: 1, perKey: 1 };

/** Who wants a turn. */
export interface Asker {
  /** A key or a person, see `holderOf`. */
  readonly holder: string;
  /** Those the statement reads: it counts for each. */
  readonly tenants: readonly number[];
}

/** Whose share is used up. */
type Share = 'key' | 'tenant' | 'all';

interface Waiter extends Asker {
  readonly start: () => void;
}

/**
 * Lets statements that may take long run by turns: bounded for each key and each tenant, so that nobody takes the
 * database from the others. Keys that wait are served in rotation, however many statements one of them has waiting.
 */
export class FairShare {
  #waiting: Waiter[] = [];
  readonly #running = new Set<Asker>();
  readonly #refused: Record<Share, number> = { key: 0, tenant: 0, all: 0 };

  /** @param what is run, in the plural: for those who are refused */
  constructor(
    private readonly shares: Shares,
    private readonly what = 'searches, counts or exports',
  ) {}

  /** For metrics. */
  get figures() {
    return { running: this.#running.size, waiting: this.#waiting.length, refused: { ...this.#refused } };
  }

  /** @throws DomainError `service_unavailable` when no turn comes in time */
  async run<T>(
    asker: Asker,
    work: () => Promise<T>,
    waitMs: number = LIMITS.longStatementWaitMs,
  ): Promise<T> {
    const turn = await this.#turn(asker, waitMs);
    try {
      return await work();
    } finally {
      this.#running.delete(turn);
      this.#goBehind(asker.holder);
      this.#admit();
    }
  }

  #turn(asker: Asker, waitMs: number): Promise<Asker> {
    const before = this.#waiting.filter(({ holder }) => holder === asker.holder);
    if (before.length >= LIMITS.longStatementsWaitingPerKey) throw this.#refusal('key', asker);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ...asker,
        start: () => {
          clearTimeout(timer);
          resolve(waiter);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(this.#refusal(new InUse(this.#running).shareUsedUp(waiter, this.shares) ?? 'tenant', waiter));
        this.#admit();
      }, waitMs);
      this.#waiting.push(waiter);
      this.#admit();
    });
  }

  /** What else a key that had its turn has waiting goes behind everybody. */
  #goBehind(holder: string): void {
    const isOwn = (waiter: Waiter) => waiter.holder === holder;
    this.#waiting = [...this.#waiting.filter((waiter) => !isOwn(waiter)), ...this.#waiting.filter(isOwn)];
  }

  /** Starts, in their order, those who may. */
  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const started = next;
      this.#waiting = this.#waiting.filter((waiter) => waiter !== started);
      this.#running.add(started);
      started.start();
    }
  }

  #next(): Waiter | undefined {
    const inUse = new InUse(this.#running);
    for (const waiter of this.#waiting) {
      const usedUp = inUse.shareUsedUp(waiter, this.shares);
      if (usedUp === null) return waiter;
      if (usedUp === 'all') return undefined;
      // Who needs a turn of several tenants would wait for ever if others took each as it became free.
      if (usedUp === 'tenant') inUse.keep(waiter);
    }
    return undefined;
  }

  #refusal(share: Share, { holder, tenants }: Asker): DomainError {
    this.#refused[share]++;
    return new DomainError('service_unavailable', {
      public: textOf(share, this.what),
      internal: { share, holder, tenants: tenants.slice(0, TENANTS_LOGGED_MAX) },
      retryAfterSeconds: LIMITS.longStatementWaitMs / 1000,
    });
  }
}

const TENANTS_LOGGED_MAX = 20;
const textOf = (share: Share, what: string): string =>
  ({
    key: `This key has as many ${what} running as a key may have. Ask one after the other.`,
    tenant: `Keys of your tenant have as many ${what} running as may run at once. Try again shortly.`,
    all: `As many ${what} are running as may run at once. Try again shortly.`,
  })[share];

/** How many turns are taken, of each key and tenant. */
class InUse {
  readonly #ofKey = new Map<string, number>();
  readonly #ofTenant = new Map<number, number>();

  constructor(private readonly running: ReadonlySet<Asker>) {
    for (const asker of running) this.keep(asker);
  }

  /** Counts a turn that is taken, or kept for somebody. */
  keep({ holder, tenants }: Asker): void {
    this.#ofKey.set(holder, (this.#ofKey.get(holder) ?? 0) + 1);
    for (const tenant of tenants) this.#ofTenant.set(tenant, (this.#ofTenant.get(tenant) ?? 0) + 1);
  }

  /** What keeps somebody from a turn; null: nothing. */
  shareUsedUp({ holder, tenants }: Asker, shares: Shares): Share | null {
    if (this.running.size >= shares.inAll) return 'all';
    if ((this.#ofKey.get(holder) ?? 0) >= shares.perKey) return 'key';
    return tenants.some((tenant) => (this.#ofTenant.get(tenant) ?? 0) >= shares.perTenant) ? 'tenant' : null;
  }
}
