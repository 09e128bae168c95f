import { type OwnerDoor, type Prisma, stepIn } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { isFailure } from '../../database/failure';
import { HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { recordIdFloor } from '../../event/record-id';
import { LIMITS } from '../../limits';
import { BOTH_COUNTS, COUNTED_BY_INSTANCE, NO_MORE_NUMBERS, UNCOUNTED } from './by-instance';
import { COUNTED_COLUMNS, DIMENSIONS, HOURS_PER_DAY } from './dimensions';
import { addByInstance, foldTenant, numberValues } from './fold';
import { tryTurn } from './turns';

const TENANTS_PER_STEP = 50;
/** Days of one tenant, before the next tenant has its turn. */
const DAYS_PER_STEP = 10;
/** The time to count a day of a very large tenant. */
const COUNTING_MS_MAX = 3_600_000;

/** Days with events that are not counted by instance, except days $2, newest first. None when the numbers ran out. */
const OPEN_DAYS = `
SELECT c.bucket AS day FROM audit_count c
WHERE c.tenant_id = $1::int AND ${BOTH_COUNTS} AND c.bucket <> ALL($2::int[])
  AND NOT EXISTS (${NO_MORE_NUMBERS})
GROUP BY c.bucket HAVING ${UNCOUNTED} <> 0 ORDER BY c.bucket DESC LIMIT ${DAYS_PER_STEP + 1}`;

/** $2 a day: how many of its events are not counted by instance, and whether it has any such counts. */
const STATE = `
SELECT coalesce(${UNCOUNTED}, 0)::float8 AS uncounted, coalesce(bool_or(c.a = ${COUNTED_BY_INSTANCE}), false) AS begun
FROM audit_count c WHERE c.tenant_id = $1::int AND ${BOTH_COUNTS} AND c.bucket = $2::int`;

/** Removes the counts by instance of day $2. */
const CLEAR = `
DELETE FROM audit_count c WHERE c.tenant_id = $1::int AND c.a < 0
  AND ((c.grain = 2 AND c.bucket = $2::int)
    OR (c.grain = 1 AND c.bucket >= $2::int * ${HOURS_PER_DAY} AND c.bucket < ($2::int + 1) * ${HOURS_PER_DAY}))`;

const HOURS = `
SELECT c.bucket AS hour FROM audit_count c WHERE c.tenant_id = $1::int AND c.grain = 1 AND c.a = 0 AND c.d = 0 AND c.p = 0
  AND c.bucket >= $2::int * ${HOURS_PER_DAY} AND c.bucket < ($2::int + 1) * ${HOURS_PER_DAY} AND c.n > 0 ORDER BY c.bucket`;

/** Events from record id $2 on and before $3. */
const EVENTS = `audit_event e WHERE e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid`;
const NUMBER_INSTANCES = numberValues(
  DIMENSIONS.instance.kind,
  `SELECT DISTINCT e.${DIMENSIONS.instance.column} AS value FROM ${EVENTS}`,
);
/** $4: the hour of the events. */
const COUNT_HOUR = addByInstance(`
  SELECT e.tenant_id, $4::int AS hour, ${COUNTED_COLUMNS}, count(*)::int AS n,
    (count(*) FILTER (WHERE e.succeeded))::int AS ok
  FROM ${EVENTS} GROUP BY e.tenant_id, ${COUNTED_COLUMNS}`);

/**
 * Counts days by instance that are not counted so yet: days that a build without such counts stored, before an upgrade
 * or beside this one. It goes with 0.3.0. It visits all tenants in rounds and rests between rounds. Any number of
 * instances may run it: a tenant whose turn is taken is skipped. While a day is counted, the tenant is not folded, so
 * its answers stay exact.
 */
export class InstanceFiller {
  readonly #rounds: TenantRounds;
  #after = 0;
  /** In this round: the number of days counted, and whether days are left that could be counted next. */
  #filled = 0;
  #hasMore = false;
  #restsUntil = 0;
  /** The days of each tenant whose stored events differ from the counted ones. Each day is tried once in a round. */
  readonly #differing = new Map<number, number[]>();

  constructor(
    private readonly owner: OwnerDoor,
    private readonly log: Warns,
    private readonly restMs: number = LIMITS.fillRestMs,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#rounds = new TenantRounds(owner);
  }

  /** One step of a round. @returns 0 when there is nothing to do just now */
  async run(): Promise<number> {
    if (this.now() < this.#restsUntil) return 0;
    const tenants = await this.#rounds.ask((of) =>
      this.owner.models.$queryRawUnsafe<{ tenant_id: number }[]>(
        `SELECT tenant_id FROM tenant WHERE tenant_id > $1::int AND ${of('tenant_id')} ORDER BY tenant_id LIMIT ${TENANTS_PER_STEP}`,
        this.#after,
      ),
    );
    for (const { tenant_id } of tenants) {
      // Set before the attempt: a tenant that fails must not hold up the others.
      this.#after = tenant_id;
      await this.#rounds.attempt(tenant_id, () => this.#fillTenant(tenant_id));
    }
    if (tenants.length === TENANTS_PER_STEP) return 1;
    const [filled, hasMore] = [this.#filled, this.#hasMore];
    [this.#after, this.#filled, this.#hasMore] = [0, 0, false];
    if (!hasMore) {
      this.#restsUntil = this.now() + this.restMs;
      this.#differing.clear();
    }
    this.#rounds.end();
    return hasMore ? filled : 0;
  }

  async #fillTenant(tenantId: number): Promise<void> {
    const differing = this.#differing.get(tenantId) ?? [];
    const open = await this.owner.models.$queryRawUnsafe<{ day: number }[]>(OPEN_DAYS, tenantId, differing);
    if (open.length > DAYS_PER_STEP) this.#hasMore = true;
    for (const { day } of open.slice(0, DAYS_PER_STEP)) {
      const outcome = await this.#fillDay(tenantId, day).catch(busyIfChanged);
      if (outcome === 'filled') this.#filled++;
      if (outcome === 'busy') this.#hasMore = true;
      if (outcome === 'differs')
        this.#differing.set(tenantId, [...(this.#differing.get(tenantId) ?? []), day]);
    }
  }

  #fillDay(tenantId: number, day: number): Promise<Outcome> {
    return this.owner.models.$transaction(
      async (tx) => {
        if (!(await tryTurn(stepIn(tx), 'folding', tenantId))) return 'busy';
        // Then all events of this snapshot are counted: events and counts are of the same moment.
        await foldTenant(tx, tenantId);
        const before = await dayStateOf(tx, tenantId, day);
        if (before.uncounted === 0) return 'filled';
        if (before.begun) await tx.$executeRawUnsafe(CLEAR, tenantId, day);
        const hours = await tx.$queryRawUnsafe<{ hour: number }[]>(HOURS, tenantId, day);
        for (const { hour } of hours) {
          const events = [tenantId, idOfHour(hour), idOfHour(hour + 1)];
          await tx.$executeRawUnsafe(NUMBER_INSTANCES, ...events);
          await tx.$executeRawUnsafe(COUNT_HOUR, ...events, hour);
        }
        const { uncounted } = await dayStateOf(tx, tenantId, day);
        if (uncounted === 0) return 'filled';
        this.log.warn({ tenantId, day, uncounted }, 'a day has other events than were counted');
        return 'differs';
      },
      // One snapshot. Each hour is a statement: a day of a very large tenant takes longer than one statement may.
      { isolationLevel: 'RepeatableRead', timeout: COUNTING_MS_MAX, maxWait: 10_000 },
    );
  }
}

/** The log for what people must look at. */
interface Warns {
  warn(about: object, text: string): void;
}

/** `busy`: somebody has the tenant's turn, or changed its counts. `differs`: the day stays uncounted by instance. */
type Outcome = 'filled' | 'busy' | 'differs';

function busyIfChanged(error: unknown): Outcome {
  if (isFailure(error, 'serialization_failure')) return 'busy';
  throw error;
}

async function dayStateOf(tx: Prisma.TransactionClient, tenantId: number, day: number) {
  const [state] = await tx.$queryRawUnsafe<{ uncounted: number; begun: boolean }[]>(STATE, tenantId, day);
  return state ?? { uncounted: 0, begun: false };
}

const idOfHour = (hour: number): string => recordIdFloor(BigInt(hour * HOUR_MS) * TICKS_PER_MS);
