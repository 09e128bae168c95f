import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { DAY_MS, HOUR_MS } from '../../event/event-time';
import { toSummaryFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import { inSnapshot } from '../../store/columns/counter';
import { areHabitsMany, Before, habitsBefore, hasFewEvents, NO_HOUR } from '../../store/columns/habits';
import { oneTenant } from '../../tenant-set';
import { extentStatement } from './histogram.statement';
import { PERIOD_DAYS } from './usual';

interface Head {
  readonly tenantId: number;
  /** The entries of its log. */
  readonly size: number;
}

/** A look at a tenant. */
interface Look {
  /** The entries of its log before it; null: further columns may come without a new entry. */
  readonly size: number | null;
  /** The hours that had no columns, as those of weeks in files; null: the look failed. */
  readonly lacking: number | null;
  /** The number of the look, of all tenants. */
  readonly nth: number;
}

/**
 * Counts what logins did on whole days before anybody asks, so that the first answer to "Who normally does this?" is as
 * quick as the others. It looks at tenants with new events, a few in a round. It ends when little room is left, so what
 * was asked for stays.
 */
export class KnownHabits {
  readonly #rounds: TenantRounds;
  readonly #looks = new Map<number, Look>();
  #nth = 0;

  constructor(
    private readonly owner: OwnerDoor,
    private readonly service: ServiceDoor,
    private readonly nowMs: () => number,
  ) {
    this.#rounds = new TenantRounds(owner);
  }

  async run(): Promise<void> {
    const heads = await this.#rounds.ask(
      (of) =>
        this.owner.models.$queryRawUnsafe<Head[]>(
          `SELECT h.tenant_id AS "tenantId", h.size::float8 AS size FROM audit_log_head h WHERE ${of('h.tenant_id')}`,
        ),
      'in use',
    );
    const nthOf = ({ tenantId }: Head) => this.#looks.get(tenantId)?.nth ?? 0;
    const changed = heads
      .filter(({ tenantId, size }) => this.#looks.get(tenantId)?.size !== size)
      .sort((a, b) => nthOf(a) - nthOf(b));
    for (const { tenantId, size } of changed.slice(0, LIMITS.habitsTenantsPerRound)) {
      if (areHabitsMany()) break;
      const lacking = await this.#rounds.attempt(tenantId, () => this.#count(tenantId));
      const isSettled = lacking === 0 || (lacking !== null && lacking === this.#looks.get(tenantId)?.lacking);
      this.#looks.set(tenantId, { size: isSettled ? size : null, lacking, nth: ++this.#nth });
    }
    this.#rounds.end();
  }

  /** Counts the days that are over, of the period before the newest events. @returns hours without columns */
  async #count(tenantId: number): Promise<number> {
    const { service } = this;
    const tenants = oneTenant(tenantId);
    const [row] = await service.ask(extentStatement(service.each(tenants)), tenants);
    if (row?.last === null || row?.last === undefined) return 0;
    const dayAfter = (Math.floor((Number(row.last) * HOUR_MS) / DAY_MS) + 1) * DAY_MS;
    const end = Math.min(dayAfter, Math.floor(this.nowMs() / DAY_MS) * DAY_MS);
    const range = toSummaryFilter({
      filter: undefined,
      startTime: new Date(end - PERIOD_DAYS * DAY_MS).toISOString(),
      endTime: new Date(end).toISOString(),
    });
    return inSnapshot(service, tenants, range, async (counter) => {
      const hours = await counter.tenantHours(tenantId);
      if (!hasFewEvents(hours, LIMITS.habitsEventsMax)) return 0;
      await habitsBefore(hours, NO_HOUR, new Before(new Map()));
      return hours.stored.filter(({ version }) => version === null).length;
    });
  }
}
