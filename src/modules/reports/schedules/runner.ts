import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type AccessEntry, entryOf, ownAttempt, type Result } from '../../../caller/access-log';
import { LeftToOthers } from '../../../delivery/left-to-others';
import { DomainError, isFinal, toDomainError } from '../../../errors';
import { formatTicks, TICKS_PER_MS } from '../../../event/event-time';
import { parseParameters } from '../../../event/parse-parameters';
import { Zone } from '../../../event/zone';
import { LIMITS } from '../../../limits';
import { grownMs } from '../../../rests';
import { oneTenant } from '../../../tenant-set';
import { findReport } from '../declarations';
import type { ReportMaker } from '../maker';
import { MAKE_PARAMETERS } from '../parameters';
import { MAKE_OPERATION } from '../report-rule';
import type { RunStore } from '../run.store';
import type { Delivery } from './deliver';
import { contentOf, makerName, type Pending, type Schedule, timesOf, timingOf } from './schedule';
import {
  type Progress,
  RETRY,
  SCHEDULE_LEASE_MS,
  type ScheduleKey,
  type ScheduleStore,
} from './schedule.store';
import { periodAt } from './timing';

/** The number of failures in a row after which somebody is told. */
const FAILING_TRIES = 4;
/** Tenants for which an instance makes runs at once. */
const AT_ONCE = 4;

/** Receivers wait for a run of a schedule that fails, or do not get it at all. */
export interface ScheduleTrouble {
  readonly tenantId: number;
  /** Each key has at most one open alert. */
  readonly key: string;
  /** Trouble that was resolved is told again only if it began later. */
  readonly since: Date;
  readonly group: Readonly<Record<string, string>>;
}

interface Parts {
  readonly schedules: ScheduleStore;
  readonly runs: Pick<RunStore, 'find' | 'giveUp'>;
  readonly maker: Pick<ReportMaker, 'make'>;
  readonly delivery: Pick<Delivery, 'send'>;
  /** Notes an entry of the access log. */
  readonly note: (entry: AccessEntry) => void;
  /** Makes an alert. */
  readonly tell: (trouble: ScheduleTrouble) => Promise<unknown>;
  /** Whether this instance has the key that signs runs. Others make them while it has not. */
  readonly canSign: () => boolean;
  readonly nowMs: () => number;
  /** Aborted when the service is told to stop. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Makes the runs of schedules, and sends them. The lease of a schedule belongs to one instance at a time, and the id of a
 * run is stored before the run is made: after a crash another instance sends the same run, or makes it anew under another
 * id. A schedule whose times passed while nobody was there has one run, for the last of them. A tenant has one run at a
 * time, so that the schedules of others do not wait for it.
 */
export class ScheduleRunner {
  /** The work for each tenant. It tells whether it came to an end that is stored. */
  readonly #working = new Map<number, Promise<boolean>>();
  /** The schedules to whose receivers this instance may not connect. */
  readonly #left: LeftToOthers;
  /** How often this instance has left the newest run of each of them. */
  readonly #leaves = new Map<string, { readonly runId: string; readonly times: number }>();

  /** @param restMs for how long a round waits for long runs, which then go on */
  constructor(
    private readonly parts: Parts,
    private readonly leaseMs = SCHEDULE_LEASE_MS,
    private readonly restMs: number = LIMITS.reportScheduleMs,
  ) {
    this.#left = new LeftToOthers(parts.nowMs);
  }

  /** @returns above 0: all that began is done, and there may be more */
  async round(): Promise<number> {
    const { schedules, signal, canSign } = this.parts;
    if (!canSign()) return 0;
    for (const schedule of await schedules.setBack()) await this.#tellOfClocks(schedule);
    const free = AT_ONCE - this.#working.size;
    const due = free > 0 ? await schedules.due(free, [...this.#working.keys()], this.#left.resting()) : [];
    for (const key of due) if (!signal.aborted) this.#begin(key);
    const all = Promise.all(this.#working.values());
    let timer: NodeJS.Timeout | undefined;
    const rest = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, this.restMs, null).unref();
    });
    const ended = await Promise.race([all, rest]);
    clearTimeout(timer);
    return ended !== null && ended.length > 0 && ended.every(Boolean) ? 1 : 0;
  }

  /** Resolves when no run is made any more. */
  async stop(): Promise<void> {
    await Promise.all(this.#working.values());
  }

  #begin(key: ScheduleKey): void {
    const work = this.#work(key)
      .catch((err) => {
        this.parts.log.warn({ err, ...key }, 'a schedule of reports failed; it will be retried');
        return false;
      })
      .finally(() => this.#working.delete(key.tenantId));
    this.#working.set(key.tenantId, work);
  }

  /** @returns false: another instance has it */
  async #work(key: ScheduleKey): Promise<boolean> {
    const { schedules } = this.parts;
    const holder = randomUUID();
    const schedule = await schedules.take(key, holder);
    if (!schedule) return false;
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
      const assertHeld = () => {
        if (held.isLost) throw new Error('the lease of the schedule was lost');
        this.parts.signal.throwIfAborted();
      };
      await this.#runOf(schedule, save, { assertHeld, toSend: () => schedules.toSend(key, holder) });
      return true;
    } finally {
      clearInterval(renewing);
      await schedules.release(key, holder);
    }
  }

  async #runOf(
    schedule: Schedule,
    save: (progress: Progress) => Promise<Schedule>,
    {
      assertHeld,
      toSend,
    }: { readonly assertHeld: () => void; readonly toSend: () => Promise<Schedule | null> },
  ): Promise<void> {
    const now = await this.parts.schedules.now();
    const planned = this.#planned(schedule, now.getTime());
    if (!planned) return;
    // Its id is kept where it could not be made: it may be there though the answer about its end was lost.
    let attempted = planned;
    const begin = (progress: Progress) => {
      attempted = progress.pending ?? attempted;
      return save(progress);
    };
    const pending = await this.#made(schedule, planned, begin, assertHeld).catch(async (error: Error) => {
      // The run is no failure: it is made again by an instance that is there.
      if (this.parts.signal.aborted) return null;
      if (isFinal(error)) {
        await this.#giveUp(schedule, attempted, error.message, save);
        return null;
      }
      const shown = error instanceof DomainError ? error.message : 'the run could not be made: see the log';
      await this.#failed(schedule, attempted, { shown, err: error }, save);
      return null;
    });
    if (!pending) return;
    // Making takes minutes: who changed the schedule meanwhile means this run too. A pause gives it up.
    const current = await toSend();
    if (current?.pending?.runId !== pending.runId || !isMeant(pending, current)) return;
    const sent = await this.parts.delivery.send(current, pending).catch(async (err: Error) => {
      await this.#failed(schedule, pending, { shown: 'the run could not be sent: see the log', err }, save);
      return null;
    });
    if (!sent) return;
    if (sent.failure !== null && sent.isOfInstance) {
      await this.#leave(schedule, pending, sent.failure, save);
      return;
    }
    this.#left.end(schedule.scheduleId);
    this.#leaves.delete(schedule.scheduleId);
    if (sent.failure !== null) {
      await this.#failed(schedule, { ...pending, told: sent.told }, { shown: sent.failure }, save);
      return;
    }
    const over = { ...this.#over(schedule, pending), failures: 0, error: sent.note };
    const lastRunAt = await this.parts.schedules.now();
    await this.#end(schedule, { ...over, lastRunId: pending.runId, lastRunAt }, save);
    // From here on nobody sends this run again. A crash before it sends it once more, under the same ids.
  }

  /** Ends a run. The times of a schedule that was changed meanwhile hold from now on. */
  async #end(
    { definition }: Schedule,
    progress: Progress,
    save: (progress: Progress) => Promise<Schedule>,
  ): Promise<void> {
    const done = await save(progress);
    if (JSON.stringify(done.definition) === JSON.stringify(definition)) return;
    const now = await this.parts.schedules.now();
    await save({ dueAt: new Date(timesOf(done.definition).next(now.getTime())) });
  }

  /** What is to be made or sent; null: nothing. */
  #planned(schedule: Schedule, nowMs: number): Pending | null {
    const { definition, pending, paused, asked, dueAt, coveredUntil } = schedule;
    const isDue = !paused && dueAt.getTime() <= nowMs;
    const dueMs = isDue ? timesOf(definition).last(nowMs) : nowMs;
    const planned = (runDueMs: number, isAsked: boolean): Pending => {
      const { period } = timingOf(definition);
      const zone = new Zone(definition.timeZone);
      return {
        runId: randomUUID(),
        dueMs: runDueMs,
        ...periodAt({ period, zone }, runDueMs, coveredUntil.getTime()),
        isAsked,
        told: [],
        content: contentOf(definition),
      };
    };
    // A run that could not be made or sent until the next time gives way to the next one.
    if (pending && !(isDue && !pending.isAsked && dueMs > pending.dueMs))
      return isMeant(pending, schedule) ? pending : planned(pending.dueMs, pending.isAsked);
    if (!isDue && !asked) return null;
    return planned(dueMs, !isDue);
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
    // An erasure removes the files of runs, and so does time: then it is made anew.
    if (isKnown && (await runs.find(tenants, planned.runId))?.state === 'done') return planned;
    // The instance that began it may still be at work: it cannot end it from here on.
    if (isKnown) await runs.giveUp(tenantId, planned.runId);
    const pending = isKnown ? { ...planned, runId: randomUUID() } : planned;
    await save({ pending });
    const report = findReport(definition.reportId);
    if (!report)
      throw new DomainError('invalid_parameter', { public: `There is no report ${definition.reportId}.` });
    const at = (ms: number) => formatTicks(BigInt(ms) * TICKS_PER_MS);
    const asked = {
      ...definition.parameters,
      format: definition.formats.includes('pdf') ? 'pdf' : 'html',
      startTime: at(pending.fromMs),
      endTime: at(pending.toMs),
      timeZone: definition.timeZone,
    };
    const { reportId, name } = definition;
    const attempt = {
      ...ownAttempt(MAKE_OPERATION, new Date(this.parts.nowMs()), {
        scheduleId,
        schedule: name,
        reportId,
        ...asked,
      }),
      tenantIds: [tenantId],
    };
    const note = (outcome: Result['outcome'], rows: number | null) =>
      this.parts.note(entryOf(attempt, { outcome, rows, subject: pending.runId }));
    const making = maker.make({
      report,
      tenants,
      values: parseParameters(MAKE_PARAMETERS, asked),
      holder: `schedule ${scheduleId}`,
      createdBy: makerName(definition),
      assertAllowed: async () => assertHeld(),
      run: { runId: pending.runId, ...(definition.keepDays !== null && { days: definition.keepDays }) },
    });
    await making.catch((error: unknown) => {
      note(toDomainError(error).code, null);
      throw error;
    });
    note('ok', 1);
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

  /** Gives up a run that would fail in the same way each time: the next run is of the next time. */
  async #giveUp(
    schedule: Schedule,
    planned: Pending,
    error: string,
    save: (progress: Progress) => Promise<Schedule>,
  ): Promise<void> {
    const { tenantId, scheduleId } = schedule;
    const period = { from: new Date(planned.fromMs), to: new Date(planned.toMs) };
    const said = { tenantId, scheduleId, ...period, error };
    this.parts.log.warn(said, 'a scheduled report can never be made; its receivers do not get it');
    const since = await this.parts.schedules.now();
    try {
      await this.#tell(schedule, { since, problem: 'A scheduled report can never be made', error });
    } catch (err) {
      // It is made once more, so that somebody is told.
      return this.#failed(schedule, planned, { shown: error, err: err as Error }, save);
    }
    // What comes after a crash in between tells the same: an alert that is open is not made again.
    await this.#end(schedule, { ...this.#over(schedule, planned), error }, save);
  }

  #tell(
    { tenantId, scheduleId, definition }: Schedule,
    { since, problem, error }: { readonly since: Date; readonly problem: string; readonly error: string },
  ): Promise<unknown> {
    const group = { problem, schedule: definition.name, error };
    return this.parts.tell({ tenantId, key: `report schedule ${scheduleId}`, since, group });
  }

  /** Tells once of a run that its receivers wait for. */
  #tellOfWait(schedule: Schedule, { dueMs }: Pending, error: string): Promise<unknown> {
    const since = new Date(dueMs);
    return this.#tell(schedule, { since, problem: 'A scheduled report cannot be made or sent', error });
  }

  async #tellOfClocks(schedule: Schedule): Promise<void> {
    const { tenantId, scheduleId, coveredUntil } = schedule;
    const said = { tenantId, scheduleId, coveredUntil };
    this.parts.log.warn(
      said,
      'a scheduled report covers a time that has not come; the schedule goes on from now',
    );
    await this.#tell(schedule, {
      since: await this.parts.schedules.now(),
      problem: 'A scheduled report covers a time that has not come',
      error: `it was made while the clocks were ahead, and covers the time until ${coveredUntil.toISOString()}`,
    });
  }

  /** Leaves a run to other instances, at once: this one may not connect to its receiver. */
  async #leave(
    schedule: Schedule,
    pending: Pending,
    error: string,
    save: (progress: Progress) => Promise<Schedule>,
  ): Promise<void> {
    const { tenantId, scheduleId } = schedule;
    const waitMs = this.#left.leave(scheduleId);
    const said = { tenantId, scheduleId, waitMs, error };
    this.parts.log.warn(said, 'a scheduled report is left to other instances; it will be retried');
    await save({ pending, error, retryAt: null });
    const { runId } = pending;
    const before = this.#leaves.get(scheduleId);
    const times = before?.runId === runId ? before.times + 1 : 1;
    this.#leaves.set(scheduleId, { runId, times });
    if (times >= FAILING_TRIES) await this.#tellOfWait(schedule, pending, error);
  }

  async #failed(
    schedule: Schedule,
    planned: Pending,
    { shown, err }: { readonly shown: string; readonly err?: Error },
    save: (progress: Progress) => Promise<Schedule>,
  ): Promise<void> {
    const { scheduleId, tenantId, failures, paused } = schedule;
    const waitMs = grownMs(RETRY, failures + 1);
    this.parts.log.warn(
      { tenantId, scheduleId, waitMs, error: shown, err },
      'a scheduled report failed; it will be retried',
    );
    const now = await this.parts.schedules.now();
    const failed = await save({
      pending: planned,
      failures: failures + 1,
      error: shown,
      retryAt: new Date(now.getTime() + waitMs),
    });
    // Who pauses a schedule during an attempt means its run too.
    if (failed.paused && !paused) await save({ pending: null, failures: 0, retryAt: null });
    else if (failures + 1 >= FAILING_TRIES) await this.#tellOfWait(schedule, planned, shown);
  }
}

/** Whether a run is of what its schedule says now. The receivers may be others than those for whom it was made. */
const isMeant = ({ content }: Pending, { definition }: Schedule): boolean =>
  content === undefined || content === contentOf(definition);
