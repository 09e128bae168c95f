import { giveUpAfter } from '../../deadline';
import { CallerGone, NoTurn } from '../../errors';
import { LIMITS } from '../../limits';

/** How many long statements may run at once. */
interface Shares {
  /** The other connections are left for short statements. */
  readonly inAll: number;
  readonly perTenant: number;
  readonly perKey: number;
}

/**
 * The shares of a database with this many connections: half in all, a quarter for a tenant, half of that for a key, at
 * least one.
 */
export function sharesOf(connections: number): Shares {
  const perTenant = Math.max(1, Math.floor(connections / 4));
  return {
    inAll: Math.max(1, Math.floor(connections / 2)),
    perTenant,
    perKey: Math.max(1, Math.floor(perTenant / 2)),
  };
}

/**
 * The shares of changes by tenants, and of lists of rules. Those of one tenant run one after the other, which costs
 * nothing if they are quick. Most of them wait for a row of the tenant, and hold a connection meanwhile.
 */
export const CHANGE_SHARES: Shares = { inAll: 3, perTenant: 1, perKey: 1 };

/** The shares of reading large statements: of one tenant, one at a time is read. */
export const LARGE_SHARES: Shares = { inAll: 2, perTenant: 1, perKey: 1 };

/**
 * The shares of runs of reports that callers ask for. One thread makes the files of all runs of an instance, and has room
 * for eight large ones: half of it is left for schedules. The second run of a key has a turn and is then refused, since a
 * key makes one at a time.
 */
export const REPORT_SHARES: Shares = { inAll: 4, perTenant: 2, perKey: 2 };

/** A caller that wants a turn. */
export interface Asker {
  /** A key or a person, see `holderOf`. */
  readonly holder: string;
  /** The tenants that the statement reads. The turn counts for each of them. */
  readonly tenants: readonly number[];
  /** Aborted when nobody waits for the answer any more. Not given: somebody always does. */
  readonly gone?: AbortSignal;
}

/** The share that is used up. */
type Share = 'key' | 'tenant' | 'all';

interface Waiter extends Asker {
  readonly start: () => void;
}

/**
 * Lets long statements run in turns. Their number is limited for each key and each tenant, so that nobody takes the
 * database from the others. Waiting keys are served in rotation, however many statements one of them has waiting.
 */
export class FairShare {
  #waiting: Waiter[] = [];
  readonly #running = new Set<Asker>();
  readonly #refused: Record<Share, number> = { key: 0, tenant: 0, all: 0 };

  /** @param what the name of the statements in the plural, for messages of refusal */
  constructor(
    private readonly shares: Shares,
    private readonly what = 'searches, counts or exports',
  ) {}

  /** For metrics. */
  get figures() {
    return { running: this.#running.size, waiting: this.#waiting.length, refused: { ...this.#refused } };
  }

  /**
   * @throws NoTurn `service_unavailable` if no turn comes in time
   * @throws CallerGone if the caller leaves before its turn
   */
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
    const { gone } = asker;
    if (gone?.aborted) throw new CallerGone();
    const before = this.#waiting.filter(({ holder }) => holder === asker.holder);
    if (before.length >= LIMITS.longStatementsWaitingPerKey) throw this.#refusal('key', asker);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ...asker,
        start: () => {
          clear();
          resolve(waiter);
        },
      };
      const clear = giveUpAfter(waitMs, gone, (isLate) => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        const usedUp = new InUse(this.#running).shareUsedUp(waiter, this.shares) ?? 'tenant';
        reject(isLate ? this.#refusal(usedUp, waiter) : new CallerGone());
        this.#admit();
      });
      this.#waiting.push(waiter);
      this.#admit();
    });
  }

  /** Moves the other waiting statements of a key that had its turn to the end. */
  #goBehind(holder: string): void {
    const isOwn = (waiter: Waiter) => waiter.holder === holder;
    this.#waiting = [...this.#waiting.filter((waiter) => !isOwn(waiter)), ...this.#waiting.filter(isOwn)];
  }

  /** Starts the waiting statements that may run, in their order. */
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
      // A statement over several tenants would wait for ever if others took each tenant's turn as it became free.
      if (usedUp === 'tenant') inUse.keep(waiter);
    }
    return undefined;
  }

  #refusal(share: Share, { holder, tenants }: Asker): NoTurn {
    this.#refused[share]++;
    return new NoTurn({
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

/** The number of turns in use, by key and tenant. */
class InUse {
  readonly #ofKey = new Map<string, number>();
  readonly #ofTenant = new Map<number, number>();

  constructor(private readonly running: ReadonlySet<Asker>) {
    for (const asker of running) this.keep(asker);
  }

  /** Counts a turn that is in use, or kept for a statement. */
  keep({ holder, tenants }: Asker): void {
    this.#ofKey.set(holder, (this.#ofKey.get(holder) ?? 0) + 1);
    for (const tenant of tenants) this.#ofTenant.set(tenant, (this.#ofTenant.get(tenant) ?? 0) + 1);
  }

  /** @returns the share that prevents a turn; null: none does */
  shareUsedUp({ holder, tenants }: Asker, shares: Shares): Share | null {
    if (this.running.size >= shares.inAll) return 'all';
    if ((this.#ofKey.get(holder) ?? 0) >= shares.perKey) return 'key';
    return tenants.some((tenant) => (this.#ofTenant.get(tenant) ?? 0) >= shares.perTenant) ? 'tenant' : null;
  }
}
