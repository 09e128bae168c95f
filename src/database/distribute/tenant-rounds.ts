import type { OwnerDb } from '../clients';
import { isDistributed } from './distribute';

/** Tenants asked one by one in a round. */
const ASKED_MAX = 250;
/** How long a tenant whose node is away is left alone: each try may take as long as a connection may take. */
const REST_MS = 15_000;

/** The condition that a column is the tenant's, or, of a question to all, that it is anybody's. */
export type OfTenant = (column: string) => string;
const OF_ALL: OfTenant = () => 'true';

/**
 * How a background task goes through the tenants of a distributed database. With one node away a question of all
 * tenants has no answer: they are then asked one by one, and those on that node wait. On one database a failure is
 * everybody's, and ends the round.
 */
export class TenantRounds {
  readonly #resting = new Map<number, number>();
  #from = 0;
  #failure: unknown = null;

  /** @param isCallers whether a failure is the caller's own, not the database's: no tenant is left alone for it */
  constructor(
    private readonly prisma: OwnerDb,
    private readonly isCallers: (error: unknown) => boolean = () => false,
  ) {}

  /** @param question who has work; it takes the condition for all tenants, and for each of them if need be */
  async ask<T>(question: (of: OfTenant) => Promise<readonly T[]>): Promise<readonly T[]> {
    try {
      return await question(OF_ALL);
    } catch (error) {
      if (!(await isDistributed(this.prisma))) throw error;
    }
    const found: T[] = [];
    for (const tenantId of await this.#next()) {
      const rows = await this.attempt(tenantId, () => question((column) => `${column} = ${tenantId}`));
      found.push(...(rows ?? []));
    }
    return found;
  }

  /** Does one tenant's work. @returns null: its node failed, and the others go on @throws what is the caller's own */
  async attempt<T>(tenantId: number, work: () => Promise<T>): Promise<T | null> {
    if ((this.#resting.get(tenantId) ?? 0) > Date.now()) return null;
    try {
      const done = await work();
      this.#resting.delete(tenantId);
      return done;
    } catch (error) {
      if (this.isCallers(error) || !(await isDistributed(this.prisma))) throw error;
      this.#resting.set(tenantId, Date.now() + REST_MS);
      this.#failure ??= error;
      return null;
    }
  }

  /** At the end of a round. @throws what failed first in it, once every other tenant had its turn */
  end(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
  }

  /** Whoever has stored anything had a key for it, and the keys are on the coordinator. */
  async #next(): Promise<readonly number[]> {
    const tenants = await this.prisma.$queryRaw<{ id: number }[]>`
      SELECT DISTINCT u.id FROM api_key k CROSS JOIN unnest(k.tenant_ids) AS u(id)
      WHERE k.kind = 'agent' AND u.id > ${this.#from}::int ORDER BY u.id LIMIT ${ASKED_MAX}::int`;
    this.#from = tenants.length < ASKED_MAX ? 0 : (tenants.at(-1)?.id ?? 0);
    return tenants.map(({ id }) => id);
  }
}
