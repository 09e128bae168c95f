import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { DomainError, isFinal } from '../../../errors';
import { formatTicks, TICKS_PER_MS } from '../../../event/event-time';
import { parseParameters } from '../../../event/parse-parameters';
import { type Growth, grownMs } from '../../../rests';
import { oneTenant } from '../../../tenant-set';
import { findReport } from '../declarations';
import type { ReportMaker } from '../maker';
import { MAKE_PARAMETERS } from '../parameters';
import type { RunStore } from '../run.store';
import { Zone } from '../zone';
import type { Delivery } from './deliver';
import { type Pending, type Schedule, timesOf, timingOf } from './schedule';
import { type Progress, SCHEDULE_LEASE_MS, type ScheduleKey, type ScheduleStore } from './schedule.store';
import { periodAt } from './timing';

const RETRY: Growth = { firstMs: 15_000, mostMs: 900_000 };
const AT_ONCE = 10;

interface Parts {
  readonly schedules: ScheduleStore;
  readonly runs: Pick<RunStore, 'find' | 'giveUp'>;
  readonly maker: Pick<ReportMaker, 'make'>;
  readonly delivery: Pick<Delivery, 'send'>;
  /** Whether this instance sends nothing. */
  readonly isDrill: boolean;
  /** Aborted when the service is told to stop. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Makes the runs of schedules, and sends them. The lease of a schedule belongs to one instance at a time, and the id of a
 * run is stored before the run is made: after a crash another instance sends the same run, or makes it anew under another
 * id. A schedule whose times passed while nobody was there has one run, for the last of them.
 */
export class ScheduleRunner {
  constructor(
    private readonly parts: Parts,
    private readonly leaseMs = SCHEDULE_LEASE_MS,
  ) {}

  /** @returns 0: whatever had work, the next round comes after a rest */
  async round(): Promise<number> {
    if (this.parts.isDrill) return 0;
    const due = await this.parts.schedules.due(AT_ONCE);
    for (const key of due) {
      if (this.parts.signal.aborted) break;
      await this.#work(key).catch((err) =>
        this.parts.log.warn({ err, ...key }, 'a schedule of reports failed; it will be retried'),
      );
    }
    return 0;
  }

  async #work(key: ScheduleKey): Promise<void> {
    const { schedules } = this.parts;
    const holder = randomUUID();
    const schedule = await schedules.take(key, holder);
    if (!schedule) return;
    const held = { isLost: false };
    const renewing = setInterval(() => {
      schedules.renew(key, holder).then(
        (there) => {
          held.isLost ||= there === null;
        },
        () => {}, // the lease lasts for longer than one renewal
      );
    }, this.leaseMs / 3).unref();
    const save = async (progress: Progress) => {
      const saved = await schedules.renew(key, holder, progress);
      if (!saved) throw new Error('the lease of the schedule was lost');
      return saved;
    };
    try {
      await this.#runOf(schedule, save, () => {
        if (held.isLost) throw new Error('the lease of the schedule was lost');
        this.parts.signal.throwIfAborted();
      });
    } finally {
      clearInterval(renewing);
      await schedules.release(key, holder);
    }
  }

  async #runOf(
    schedule: Schedule,
    save: (progress: Progress) => Promise<Schedule>,
    assertHeld: () => void,
  ): Promise<void> {
    const now = await this.parts.schedules.now();
    const planned = this.#planned(schedule, now.getTime());
    if (!planned) return;
    const pending = await this.#made(schedule, planned, save, assertHeld).catch(async (error: Error) => {
      // The run is no failure: it is made again by an instance that is there.
      if (this.parts.signal.aborted) return null;
      if (isFinal(error)) {
        // It would fail in the same way each time: the next run is of the next time.
        await save({ ...this.#over(schedule, planned), error: error.message });
        return null;
      }
      const shown = error instanceof DomainError ? error.message : 'the run could not be made: see the log';
      await this.#failed(schedule, planned, { shown, err: error }, save);
      return null;
    });
    if (!pending) return;
    const sent = await this.parts.delivery.send(schedule, pending);
    if (sent.failure !== null) {
      await this.#failed(schedule, { ...pending, told: sent.told }, { shown: sent.failure }, save);
      return;
    }
    const done = await save({
      ...this.#over(schedule, pending),
      failures: 0,
      error: sent.note,
      lastRunId: pending.runId,
      lastRunAt: await this.parts.schedules.now(),
    });
    // From here on nobody sends this run again. A crash before it sends it once more, under the same ids.
    if (JSON.stringify(done.definition) !== JSON.stringify(schedule.definition))
      await save({ dueAt: new Date(timesOf(done.definition).next(now.getTime())) });
  }

  /** What is to be made or sent; null: nothing. */
  #planned(schedule: Schedule, nowMs: number): Pending | null {
    const { definition, pending, paused, asked, dueAt, coveredUntil } = schedule;
    const isDue = !paused && dueAt.getTime() <= nowMs;
    const dueMs = isDue ? timesOf(definition).last(nowMs) : nowMs;
    // A run that could not be made or sent until the next time gives way to the next one.
    if (pending && !(isDue && !pending.isAsked && dueMs > pending.dueMs)) return pending;
    if (!isDue && !asked) return null;
    const { period } = timingOf(definition);
    const zone = new Zone(definition.timeZone);
    return {
      runId: randomUUID(),
      dueMs,
      ...periodAt({ period, zone }, dueMs, coveredUntil.getTime()),
      isAsked: !isDue,
      told: [],
    };
  }

  /** The run, which is made unless it is there. */
  async #made(
    schedule: Schedule,
    planned: Pending,
    save: (progress: Progress) => Promise<Schedule>,
    assertHeld: () => void,
  ): Promise<Pending> {
    const { tenantId, scheduleId, definition } = schedule;
    const { runs, maker } = this.parts;
    const isKnown = schedule.pending?.runId === planned.runId;
    const tenants = oneTenant(tenantId);
    if (isKnown && (await runs.find(tenants, planned.runId))) return planned;
    // The instance that began it may still be at work: it cannot end it from here on.
    if (isKnown) await runs.giveUp(tenantId, planned.runId);
    const pending = isKnown ? { ...planned, runId: randomUUID() } : planned;
    await save({ pending });
    const report = findReport(definition.reportId);
    if (!report)
      throw new DomainError('invalid_parameter', { public: `There is no report ${definition.reportId}.` });
    const at = (ms: number) => formatTicks(BigInt(ms) * TICKS_PER_MS);
    await maker.make({
      report,
      tenants,
      values: parseParameters(MAKE_PARAMETERS, {
        ...definition.parameters,
        format: definition.formats.includes('pdf') ? 'pdf' : 'html',
        startTime: at(pending.fromMs),
        endTime: at(pending.toMs),
        timeZone: definition.timeZone,
      }),
      holder: `schedule ${scheduleId}`,
      createdBy: `schedule ${definition.name}`,
      assertAllowed: async () => assertHeld(),
      run: { runId: pending.runId, ...(definition.keepDays !== null && { days: definition.keepDays }) },
    });
    return pending;
  }

  /** What is stored when a run is over. */
  #over({ definition }: Schedule, { isAsked, dueMs, toMs }: Pending): Progress {
    const ended = { pending: null, retryAt: null, asked: false };
    if (isAsked) return ended;
    return {
      ...ended,
      dueAt: new Date(timesOf(definition).next(dueMs)),
      coveredUntil: new Date(toMs),
    };
  }

  async #failed(
    { scheduleId, tenantId, failures }: Schedule,
    planned: Pending,
    { shown, err }: { readonly shown: string; readonly err?: Error },
    save: (progress: Progress) => Promise<Schedule>,
  ): Promise<void> {
    const waitMs = grownMs(RETRY, failures + 1);
    this.parts.log.warn(
      { tenantId, scheduleId, waitMs, error: shown, err },
      'a scheduled report failed; it will be retried',
    );
    const now = await this.parts.schedules.now();
    await save({
      pending: planned,
      failures: failures + 1,
      error: shown,
      retryAt: new Date(now.getTime() + waitMs),
    });
  }
}
