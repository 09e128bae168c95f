import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { DAY_MS, HOUR_MS } from '../../event/event-time';
import { toSummaryFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import { inSnapshot } from '../../store/columns/counter';
import { Before, habitsBefore, hasFewEvents, NO_HOUR } from '../../store/columns/habits';
import { oneTenant, type TenantSet } from '../../tenant-set';
import { extentStatement } from './histogram.statement';
import { PERIOD_DAYS } from './usual';

interface Head {
  readonly tenantId: number;
  /** The entries of its log. */
  readonly size: number;
}

/** A look at a tenant. */
interface Look {
  /** The log and the day of which everything is counted; null: further columns may come without a new entry. */
  readonly known: string | null;
  /** The hours that had no columns, as those of weeks in files; null: the look failed. */
  readonly lacking: number | null;
  /** The events of the counted days. */
  readonly events: number;
  /** The number of the look, of all tenants. */
  readonly nth: number;
}

const NOTHING = { lacking: 0, events: 0 };

/** After so many looks the question is answered. At the first of them, a new tenant has few events. */
const REHEARSALS = 3;

/**
 * Counts what logins did on whole days before anybody asks, so that the first answer to "Who normally does this?" need not
 * read all of them. It looks at tenants with new events, a few in a round, and at all of them once a day is over. The
 * events of all of them together are bounded, so that their habits fit into the room for habits. After the first looks it
 * answers the question itself, since the first answers of a process take several times as long as later ones.
 */
export class KnownHabits {
  readonly #rounds: TenantRounds;
  readonly #looks = new Map<number, Look>();
  #nth = 0;
  #rehearsed = 0;

  /** @param answer answers the question about the newest events of a tenant */
  constructor(
    private readonly owner: OwnerDoor,
    private readonly service: ServiceDoor,
    private readonly answer: (tenants: TenantSet) => Promise<void>,
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
    const inUse = new Set(heads.map(({ tenantId }) => tenantId));
    for (const tenantId of this.#looks.keys()) if (!inUse.has(tenantId)) this.#looks.delete(tenantId);
    const today = Math.floor(this.nowMs() / DAY_MS) * DAY_MS;
    const nameOf = ({ size }: Head) => `${size} ${today}`;
    const nthOf = ({ tenantId }: Head) => this.#looks.get(tenantId)?.nth ?? 0;
    const changed = heads
      .filter((head) => this.#looks.get(head.tenantId)?.known !== nameOf(head))
      .sort((a, b) => nthOf(a) - nthOf(b));
    for (const head of changed.slice(0, LIMITS.habitsTenantsPerRound)) {
      const { tenantId } = head;
      const last = this.#looks.get(tenantId);
      this.#looks.delete(tenantId);
      const counted = await this.#rounds.attempt(tenantId, () => this.#count(tenantId, today));
      const { lacking = null, events = last?.events ?? 0 } = counted ?? {};
      const isSettled = lacking === 0 || (lacking !== null && lacking === last?.lacking);
      this.#looks.set(tenantId, {
        known: isSettled ? nameOf(head) : null,
        ...{ lacking, events, nth: ++this.#nth },
      });
      if (events > 0 && this.#rehearsed < REHEARSALS) {
        this.#rehearsed++;
        // Where it fails, whoever asks is told.
        await this.answer(oneTenant(tenantId)).catch(() => {});
      }
    }
    this.#rounds.end();
  }

  /** Counts the days that are over, of the period before the newest events. */
  async #count(tenantId: number, today: number): Promise<Pick<Look, 'lacking' | 'events'>> {
    const { service } = this;
    const tenants = oneTenant(tenantId);
    const [row] = await service.ask(extentStatement(service.each(tenants)), tenants);
    if (row?.last === null || row?.last === undefined) return NOTHING;
    const dayAfter = (Math.floor((Number(row.last) * HOUR_MS) / DAY_MS) + 1) * DAY_MS;
    const end = Math.min(dayAfter, today);
    const range = toSummaryFilter({
      filter: undefined,
      startTime: new Date(end - PERIOD_DAYS * DAY_MS).toISOString(),
      endTime: new Date(end).toISOString(),
    });
    return inSnapshot(service, tenants, range, async (counter) => {
      const hours = await counter.tenantHours(tenantId);
      const counted = [...this.#looks.values()].reduce((sum, { events }) => sum + events, 0);
      if (!hasFewEvents(hours, LIMITS.habitsEventsMax - counted)) return NOTHING;
      await habitsBefore(hours, NO_HOUR, new Before(new Map()));
      return {
        lacking: hours.stored.filter(({ version }) => version === null).length,
        events: hours.stored.reduce((sum, { n }) => sum + n, 0),
      };
    });
  }
}
