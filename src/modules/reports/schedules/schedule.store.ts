import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../../caller/access-log';
import { changeOfTenant } from '../../../caller/access-log.store';
import type { OwnerDoor, Prisma, ServiceDoor } from '../../../database/clients';
import { isFree, isOver, type Leased, Leases, type ReadTime } from '../../../database/lease';
import { guarded } from '../../../database/limited';
import { ofTenants } from '../../../database/tenant-rows';
import { DomainError } from '../../../errors';
import { msOfTime } from '../../../event/event-time';
import { LIMITS } from '../../../limits';
import type { Growth } from '../../../rests';
import { fromStored, toStored } from '../../../store/rows/stored-text';
import { oneTenant } from '../../../tenant-set';
import { hasOtherTimes } from './parameters';
import { type Definition, makerName, type Pending, type Schedule, timesOf } from './schedule';

const SCHEDULES: Leased = {
  table: 'report_schedule',
  key: { tenant_id: 'int', schedule_id: 'uuid' },
  holder: 'holder',
  until: 'held_until',
  /** After this time without a sign, the instance that makes a run counts as lost. */
  ms: 60_000,
};
export const SCHEDULE_LEASE_MS = SCHEDULES.ms;
/** The waits after failures. */
export const RETRY: Growth = { firstMs: 15_000, mostMs: 900_000 };

/** A schedule, by its key. */
export interface ScheduleKey {
  readonly tenantId: number;
  readonly scheduleId: string;
}
type Tx = Prisma.TransactionClient;
type Row = Awaited<ReturnType<Tx['reportSchedule']['findFirst']>>;

/** Changes of a schedule by the instance that holds it. */
export interface Progress {
  readonly pending?: Pending | null;
  readonly dueAt?: Date;
  readonly coveredUntil?: Date;
  readonly asked?: boolean;
  readonly failures?: number;
  readonly error?: string | null;
  readonly retryAt?: Date | null;
  readonly lastRunId?: string;
  readonly lastRunAt?: Date;
}
const ERROR_CHARS_MAX = 512;
/** Clocks that are set right by less leave schedules as they are: a run that was just made would be made again. */
const SET_RIGHT_MS = 900_000;
const SET_BACK_AT_ONCE = 100;

/** The stored schedules. Operators change what they say, and the instance that holds one changes how far it has come. */
export class ScheduleStore {
  readonly #leases: Leases;

  constructor(
    private readonly service: ServiceDoor,
    private readonly owner: OwnerDoor,
    private readonly nowMs: () => number,
    time?: ReadTime,
  ) {
    this.#leases = new Leases(owner.models, SCHEDULES, time);
  }

  async list(tenantId: number): Promise<readonly Schedule[]> {
    const rows = await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), (tx) =>
        tx.reportSchedule.findMany({ where: { tenantId }, orderBy: { scheduleId: 'asc' } }),
      ),
    );
    return rows.map(toSchedule).sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  }

  /** @throws DomainError `invalid_parameter` if the tenant has the most schedules permitted */
  async create(
    tenantId: number,
    definition: Definition,
    createdBy: string,
    attempt: Attempt,
  ): Promise<Schedule> {
    const scheduleId = randomUUID();
    const nowMs = await this.#nowMs();
    const times = timesOf(definition);
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      if ((await tx.reportSchedule.count({ where: { tenantId } })) >= LIMITS.reportSchedulesMax)
        throw new DomainError('invalid_parameter', {
          public: `A tenant has at most ${LIMITS.reportSchedulesMax} schedules.`,
        });
      const row = await tx.reportSchedule.create({
        data: {
          tenantId,
          scheduleId,
          definition: toStored(JSON.stringify(definition)),
          createdBy: toStored(createdBy),
          createdAt: new Date(nowMs),
          paused: false,
          dueAt: new Date(times.next(nowMs)),
          coveredUntil: new Date(times.last(nowMs)),
        },
      });
      return { value: toSchedule(row), subject: scheduleId };
    });
  }

  /** @param next the definition in place of the one that is there now @returns null: there is none */
  async update(
    tenantId: number,
    scheduleId: string,
    next: (former: Definition) => Definition,
    attempt: Attempt,
  ): Promise<Schedule | null> {
    const nowMs = await this.#nowMs();
    return this.#change({ tenantId, scheduleId }, attempt, (former) => {
      const definition = next(former.definition);
      return {
        definition: toStored(JSON.stringify(definition)),
        // A failure may have been of what was changed now: it is tried anew.
        failures: 0,
        retryAt: null,
        ...(hasOtherTimes(former.definition, definition) && {
          dueAt: new Date(timesOf(definition).next(nowMs)),
        }),
      };
    });
  }

  /** @returns null: there is none */
  async setPaused(
    tenantId: number,
    scheduleId: string,
    paused: boolean,
    attempt: Attempt,
  ): Promise<Schedule | null> {
    const nowMs = await this.#nowMs();
    return this.#change({ tenantId, scheduleId }, attempt, (former) => ({
      paused,
      // A run that fails is given up. The next one covers its time, where it covers the time since the last.
      ...(paused && { pending: null, failures: 0, retryAt: null, asked: false }),
      ...(former.paused && !paused && { dueAt: new Date(timesOf(former.definition).next(nowMs)) }),
    }));
  }

  /** Asks for a run now. @returns null: there is none */
  ask(tenantId: number, scheduleId: string, attempt: Attempt) {
    return this.#change({ tenantId, scheduleId }, attempt, () => ({ asked: true, retryAt: null }));
  }

  async remove(tenantId: number, scheduleId: string, attempt: Attempt): Promise<boolean> {
    const removed = await changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      const { count } = await tx.reportSchedule.deleteMany({ where: { tenantId, scheduleId } });
      return count === 0 ? null : { value: true, subject: scheduleId };
    });
    return removed === true;
  }

  #change(
    where: ScheduleKey,
    attempt: Attempt,
    data: (former: Schedule) => Prisma.ReportScheduleUpdateManyMutationInput,
  ): Promise<Schedule | null> {
    return changeOfTenant(this.service, where.tenantId, attempt, async (tx) => {
      // Of two who change it at once, the second one begins with what the first one stored.
      await tx.$executeRawUnsafe(LOCK, where.tenantId, where.scheduleId);
      const former = await tx.reportSchedule.findFirst({ where: { ...where } });
      if (!former) return null;
      await tx.reportSchedule.updateMany({ where: { ...where }, data: data(toSchedule(former)) });
      const row = await tx.reportSchedule.findFirst({ where: { ...where } });
      return row && { value: toSchedule(row), subject: where.scheduleId };
    });
  }

  /**
   * Schedules of tenants that are in use which have work and are free, those that wait longest first, one of each tenant.
   * @param without tenants that are left out
   * @param left schedules that are left to other instances
   */
  async due(
    most: number,
    without: readonly number[] = [],
    left: readonly string[] = [],
  ): Promise<readonly ScheduleKey[]> {
    const [now, farthest] = await this.#leases.times();
    return this.owner.models.$queryRawUnsafe<ScheduleKey[]>(
      `SELECT q.tenant_id AS "tenantId", q.schedule_id::text AS "scheduleId" FROM (
         SELECT s.tenant_id, s.schedule_id, s.due_at,
           row_number() OVER (PARTITION BY s.tenant_id ORDER BY s.due_at, s.schedule_id)::int AS place
         FROM report_schedule s JOIN tenant t ON t.tenant_id = s.tenant_id
         WHERE ${DUE('s', '$4::timestamptz', '$6::timestamptz')} AND ${isFree(SCHEDULES, 's', '$1::timestamptz', '$2::timestamptz')}
           AND t.disabled_at IS NULL AND NOT s.tenant_id = ANY($3::int[])
           AND NOT s.schedule_id = ANY($5::uuid[])) q
       WHERE q.place = 1 ORDER BY q.due_at, q.schedule_id LIMIT ${most}`,
      ...[now, farthest, [...without], this.#earlier(now), [...left], this.#farthestRetry(now)],
    );
  }

  /**
   * Sets schedules back whose runs cover a time that has come by neither clock: both were ahead. Else nothing would be made
   * until that time, and no run would have what happens before it.
   * @returns these schedules as they were
   */
  async setBack(): Promise<readonly Schedule[]> {
    const [now, farthest] = await this.#leases.times();
    const latest = new Date(Math.max(now.getTime(), this.nowMs()));
    const rows = await this.owner.models.reportSchedule.findMany({
      where: { coveredUntil: { gt: new Date(latest.getTime() + SET_RIGHT_MS) } },
      take: SET_BACK_AT_ONCE,
    });
    const done: Schedule[] = [];
    for (const schedule of rows.map(toSchedule)) {
      const { tenantId, scheduleId, coveredUntil, definition, pending } = schedule;
      const isOfLater = pending !== null && !pending.isAsked && pending.toMs > latest.getTime();
      const count = await this.owner.models.$executeRawUnsafe(
        `UPDATE report_schedule AS s SET due_at = $3::timestamptz, covered_until = $4::timestamptz
           ${isOfLater ? ', pending = NULL, failures = 0, retry_at = NULL' : ''}
         WHERE s.tenant_id = $1::int AND s.schedule_id = $2::uuid AND s.covered_until = $5::timestamptz
           AND ${isFree(SCHEDULES, 's', '$6::timestamptz', '$7::timestamptz')}`,
        ...[tenantId, scheduleId, new Date(timesOf(definition).next(latest.getTime()))],
        ...[await this.#coveredBy(schedule, latest), coveredUntil, now, farthest],
      );
      if (count > 0) done.push(schedule);
    }
    return done;
  }

  /** Up to when runs cover a time that has come: the first of those that go beyond it began there. */
  async #coveredBy({ tenantId, definition }: Schedule, latest: Date): Promise<Date> {
    const [first] = await this.owner.models.$queryRawUnsafe<{ from: string | null }[]>(
      `SELECT min(r.manifest::jsonb #>> '{question,startTime}') AS "from" FROM report_run r
       WHERE r.tenant_id = $1::int AND r.report_id = $2 AND r.created_by = $3 AND r.manifest IS NOT NULL
         AND r.manifest::jsonb #>> '{question,endTime}' > $4`,
      ...[tenantId, definition.reportId, toStored(makerName(definition)), latest.toISOString()],
    );
    const fromMs = first?.from ? msOfTime(first.from) : latest.getTime();
    return new Date(Math.min(fromMs, latest.getTime()));
  }

  /**
   * The time by which schedules are due: the earlier of the database's and this instance's. A run whose time has not come
   * would lack the events up to its time, and the next run begins there.
   */
  async now(): Promise<Date> {
    const [now] = await this.#leases.times();
    return this.#earlier(now);
  }

  #earlier(now: Date): Date {
    return new Date(Math.min(now.getTime(), this.nowMs()));
  }

  /** The time as `now` gives it, for what operators say: a clock that is ahead leaves out no time that is to come. */
  async #nowMs(): Promise<number> {
    return (await guarded(() => this.now())).getTime();
  }

  /** An attempt that lies behind this time was set while both clocks were ahead. One clock that is behind makes none early. */
  #farthestRetry(now: Date): Date {
    return new Date(Math.max(now.getTime(), this.nowMs()) + 2 * RETRY.mostMs);
  }

  /** @returns null: another one holds it, or it has no work any more */
  async take({ tenantId, scheduleId }: ScheduleKey, holder: string): Promise<Schedule | null> {
    const [now] = await this.#leases.times();
    const sql = (time: Date) => `'${time.toISOString()}'::timestamptz`;
    const taken = await this.#leases.take([tenantId, scheduleId], holder, {
      where: DUE('l', sql(this.#earlier(now)), sql(this.#farthestRetry(now))),
    });
    return taken && this.#find({ tenantId, scheduleId });
  }

  /** @returns the schedule as it is now; null: the lease is lost, or the schedule was removed */
  async renew(
    { tenantId, scheduleId }: ScheduleKey,
    holder: string,
    progress: Progress = {},
  ): Promise<Schedule | null> {
    const assignments = Object.entries(progress) as [keyof Progress, unknown][];
    const held = await this.#leases.renew([tenantId, scheduleId], holder, {
      ...(assignments.length > 0 && {
        set: (add) =>
          assignments
            .map(([name, value]) => `${COLUMNS[name][0]} = ${add(stored(value))}::${COLUMNS[name][1]}`)
            .join(', '),
      }),
    });
    return held && this.#find({ tenantId, scheduleId });
  }

  /**
   * @returns the schedule as it is now, for who is about to send its run; null: nothing of it may be sent, because the
   * lease is lost, the schedule was removed or its tenant disabled
   */
  async toSend(key: ScheduleKey, holder: string): Promise<Schedule | null> {
    const { tenantId } = key;
    const isInUse = (await this.owner.models.tenant.count({ where: { tenantId, disabledAt: null } })) > 0;
    return isInUse ? this.renew(key, holder) : null;
  }

  release({ tenantId, scheduleId }: ScheduleKey, holder: string): Promise<void> {
    return this.#leases.release([tenantId, scheduleId], holder);
  }

  async #find({ tenantId, scheduleId }: ScheduleKey): Promise<Schedule | null> {
    const row = await this.owner.models.reportSchedule.findFirst({ where: { tenantId, scheduleId } });
    return row && toSchedule(row);
  }
}

/** The condition that a schedule has work. @param now SQL, as is `farthest`: no attempt is set for later */
const DUE = (alias: string, now: string, farthest: string) =>
  `((NOT ${alias}.paused AND ${alias}.due_at <= ${now}) OR ${alias}.asked OR ${alias}.pending IS NOT NULL)
   AND ${isOver(`${alias}.retry_at`, now, farthest)}`;

const LOCK = 'SELECT FROM report_schedule WHERE tenant_id = $1::int AND schedule_id = $2::uuid FOR UPDATE';

const COLUMNS: Readonly<Record<keyof Progress, readonly [string, string]>> = {
  pending: ['pending', 'text'],
  dueAt: ['due_at', 'timestamptz'],
  coveredUntil: ['covered_until', 'timestamptz'],
  asked: ['asked', 'boolean'],
  failures: ['failures', 'int'],
  error: ['error', 'text'],
  retryAt: ['retry_at', 'timestamptz'],
  lastRunId: ['last_run_id', 'uuid'],
  lastRunAt: ['last_run_at', 'timestamptz'],
};

function stored(value: unknown): unknown {
  if (typeof value === 'string') return toStored(value.slice(0, ERROR_CHARS_MAX));
  return value === null || value instanceof Date || typeof value !== 'object' ? value : JSON.stringify(value);
}

function toSchedule(row: NonNullable<Row>): Schedule {
  const { definition, createdBy, pending, error, ...rest } = row;
  return {
    ...rest,
    definition: JSON.parse(fromStored(definition)) as Definition,
    createdBy: fromStored(createdBy),
    pending: pending === null ? null : (JSON.parse(pending) as Pending),
    error: error === null ? null : fromStored(error),
  };
}
