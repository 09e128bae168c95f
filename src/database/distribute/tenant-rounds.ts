import { Rests } from '../../rests';
import type { OwnerDoor } from '../clients';
import { hadNoRoom } from '../disk-room';
import { isServersOwn, isStatementsOwn } from '../failure';

/** The most tenants that one round asks one by one. */
const ASKED_MAX = 250;
/**
 * How long a tenant is skipped after its node failed. Each attempt may take as long as a connection attempt. After any
 * other failure a tenant is skipped for as long as its attempt took, so that it takes at most half of the time.
 */
const REST_MS = 15_000;

/**
 * Makes the condition that a column is the tenant's id. In a query of all tenants the condition is true for each row.
 */
export type OfTenant = (column: string) => string;
const OF_ALL: OfTenant = () => 'true';
/** SQL: the tenants that operators have disabled. */
export const DISABLED_TENANTS = 'SELECT x.tenant_id FROM tenant x WHERE x.disabled_at IS NOT NULL';
const OF_THOSE_IN_USE: OfTenant = (column) => `${column} NOT IN (${DISABLED_TENANTS})`;

/**
 * Runs a background task for each tenant that has work. A tenant whose work fails waits, and the others continue. While
 * a node of a distributed database is away, a query of all tenants fails. The tenants are then asked one by one, and
 * those on that node wait. On one database, a failure of the server itself ends the round.
 */
export class TenantRounds {
  readonly #rests: Rests<number>;
  #from = 0;
  #failure: unknown = null;

  /**
   * @param isCallers whether a failure is the caller's own and not the database's: no tenant is skipped after such a
   * failure
   * @param steadyMs a clock that nobody sets
   */
  constructor(
    private readonly owner: OwnerDoor,
    private readonly isCallers: (error: unknown) => boolean = () => false,
    private readonly steadyMs: () => number = () => performance.now(),
  ) {
    this.#rests = new Rests(steadyMs);
  }

  /**
   * @param question finds the tenants that have work; called with the condition for all tenants, and if that fails,
   * with the condition of each tenant
   * @param which of the tenants that are in use, or of all
   */
  async ask<T>(
    question: (of: OfTenant) => Promise<readonly T[]>,
    which: 'all' | 'in use' = 'all',
  ): Promise<readonly T[]> {
    const all = which === 'all' ? OF_ALL : OF_THOSE_IN_USE;
    try {
      return await question(all);
    } catch (error) {
      if (!this.owner.isDistributed) throw error;
    }
    const found: T[] = [];
    for (const tenantId of await this.#next()) {
      const isOne = (column: string) => `${column} = ${tenantId}`;
      // Asks the tenant's own node: another one may be away.
      const isInUse = `NOT EXISTS (${DISABLED_TENANTS} AND x.tenant_id = ${tenantId})`;
      const one: OfTenant = which === 'all' ? isOne : (column) => `${isOne(column)} AND ${isInUse}`;
      const rows = await this.attempt(tenantId, () => question(one));
      found.push(...(rows ?? []));
    }
    return found;
  }

  /**
   * Does the work of one tenant.
   * @returns null: the work failed, or waits after it failed; the others continue
   * @throws a failure of the caller's own, or of a server that does not answer or has a full disk
   */
  async attempt<T>(tenantId: number, work: () => Promise<T>): Promise<T | null> {
    const startedMs = this.steadyMs();
    if (this.#rests.isResting(tenantId)) return null;
    try {
      const done = await work();
      this.#rests.end(tenantId);
      return done;
    } catch (error) {
      if (this.isCallers(error)) throw error;
      const tookMs = this.steadyMs() - startedMs;
      const { isDistributed } = this.owner;
      if (!(await this.#answers()) || (!isDistributed && isServersOwn(error))) throw error;
      const mayBeAway = isDistributed && !isStatementsOwn(error) && !hadNoRoom(error);
      this.#rests.failed(tenantId, () => (mayBeAway ? REST_MS : tookMs));
      this.#failure ??= error;
      return null;
    }
  }

  #answers(): Promise<boolean> {
    return this.owner.models.$queryRaw`SELECT 1`.then(
      () => true,
      () => false,
    );
  }

  /** Ends a round. @throws the first failure of the round, after every other tenant had its turn */
  end(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
  }

  /** Tenants whose events are stored had an agent key. The keys are on the coordinator. */
  async #next(): Promise<readonly number[]> {
    const tenants = await this.owner.models.$queryRaw<{ id: number }[]>`
      SELECT DISTINCT u.id FROM api_key k CROSS JOIN unnest(k.tenant_ids) AS u(id)
      WHERE k.kind = 'agent' AND u.id > ${this.#from}::int ORDER BY u.id LIMIT ${ASKED_MAX}::int`;
    this.#from = tenants.length < ASKED_MAX ? 0 : (tenants.at(-1)?.id ?? 0);
    return tenants.map(({ id }) => id);
  }
}
