import { LIMITS } from '../../src/limits';
import type { Clock } from '../clock';
import type { Gap } from '../gaps/gap';
import type { GapStore } from '../gaps/gap-store';
import { errorText, type Log } from '../log';
import { Occasionally } from '../occasionally';
import type { Wanted } from '../settings/kept-settings';
import type { DatabaseActivity } from '../status/database-activity';
import type { DatabaseStatus } from '../status/database-status';
import type { AgentTimes } from '../times';
import type { OfferedPackage } from '../update/offered-package';
import type { ReportClient } from './report-client';
import { type Reporter, toSourceReport } from './source-report';

type Keep = (wanted: Wanted | null) => Promise<void>;

interface ReporterOptions {
  readonly reporter: Reporter;
  readonly client: Pick<ReportClient, 'send'>;
  readonly activity: DatabaseActivity;
  readonly gaps: Pick<GapStore, 'pending' | 'acknowledge' | 'count' | 'isReported'>;
  /** The files that are published whole, where several hosts share the folder; null: they do not. */
  readonly sharing: (() => readonly string[]) | null;
  /** Called before the service is asked: what it returns keeps what the service wants. Null: nothing. */
  readonly asking: () => Keep;
  readonly packages: Pick<OfferedPackage, 'wants' | 'reported' | 'acknowledged'>;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly log: Log;
}

/** Reports to the service on one database. It runs beside publishing and never delays it. */
export class SourceReporter {
  private last: {
    readonly atMs: number;
    readonly wasBehind: boolean;
    readonly wasStandby: boolean;
    readonly ofPackage: string;
  } | null = null;
  private notBeforeMs = 0;
  private isUnknown = false;
  private readonly startedAtMs: number;
  private readonly said: Occasionally;

  constructor(private readonly options: ReporterOptions) {
    this.startedAtMs = options.clock.elapsed();
    this.said = new Occasionally(options.clock, options.times.repeatMs);
  }

  /**
   * Reports whenever a report is due.
   * @param stop ends the reports after the one in flight
   * @param abandon ends the report in flight. If the service has already taken that report, it counts its events twice
   */
  async run(stop: AbortSignal, abandon: AbortSignal): Promise<void> {
    const { clock, times } = this.options;
    // Once abandoned, a report fails at once and stays due: going on would leave no time to anything else.
    while (!stop.aborted && !abandon.aborted) {
      if (this.isDue()) await this.report(abandon);
      if (!this.isDue()) await clock.wait(times.reportPollMs, stop);
    }
  }

  /** Sends a last report, unless the service has just failed to take one. */
  async finish(abandon: AbortSignal): Promise<void> {
    if (this.options.clock.elapsed() < this.notBeforeMs) return;
    do {
      await this.report(abandon);
    } while (this.pendingGaps().length > 0 && this.notBeforeMs === 0 && !abandon.aborted);
  }

  private isDue(): boolean {
    const { activity, clock, times } = this.options;
    const nowMs = clock.elapsed();
    if (nowMs < this.notBeforeMs) return false;
    if (this.pendingGaps().length > 0) return true;
    const sinceMs = nowMs - (this.last?.atMs ?? this.startedAtMs);
    if (sinceMs >= times.reportMaxMs) return true;
    // The first report waits until there is something to tell.
    const status = activity.status();
    if (this.last === null) return activity.hasLooked || status.problem !== null || isStandby(status);
    if (this.last.wasStandby !== isStandby(status)) return true;
    if (this.last.ofPackage !== JSON.stringify(this.options.packages.reported())) return true;
    if (this.last.wasBehind && !isBehind(status)) return true;
    return status.unreportedCount > 0 && sinceMs >= times.reportMinMs;
  }

  private async report(abandon: AbortSignal): Promise<void> {
    const { activity, client, clock, gaps, packages, reporter, sharing } = this.options;
    const status = activity.status();
    const pending = this.pendingGaps();
    // A gap of which the service is not told yet may lie before this time.
    const caughtUpAt = pending.length < gaps.count ? null : status.caughtUpAt;
    const ofPackage = packages.reported();
    const report = toSourceReport(
      { ...reporter, ofPackage },
      { ...status, caughtUpAt },
      pending,
      sharing?.() ?? null,
    );
    const keep = this.options.asking();
    const answer = await client.send(report, abandon);
    if (answer.kind === 'unknown') return this.unknown();
    if (answer.kind === 'failed') return abandon.aborted ? undefined : this.fail(answer.message);
    this.last = {
      atMs: clock.elapsed(),
      wasBehind: isBehind(status),
      wasStandby: isStandby(status),
      ofPackage: JSON.stringify(ofPackage),
    };
    // Of a gap that the service has, only the end is news.
    const again = pending.filter(({ gapId }) => gaps.isReported(gapId)).length;
    activity.reported(report.publishedCount, Math.max(0, answer.gapsKept - again));
    if (answer.wanted !== undefined) await this.want(keep, answer.wanted);
    packages.wants(answer.offer);
    if (isHealthy(status)) packages.acknowledged();
    if (answer.gapsKept !== pending.length) {
      return this.fail(`the service kept ${answer.gapsKept} of ${pending.length} gaps`);
    }
    await this.acknowledge(pending);
  }

  /** Where several hosts share the folder, the others have the time to say first what they published. */
  private pendingGaps(): readonly Gap[] {
    const { clock, gaps, sharing, times } = this.options;
    const pending = gaps.pending(LIMITS.reportGapsMax);
    if (sharing === null) return pending;
    const before = new Date(clock.now() - times.sharedGapWaitMs).toISOString();
    return pending.filter(({ detectedAt }) => detectedAt <= before);
  }

  private async want(keep: Keep, wanted: Wanted | null): Promise<void> {
    const { log } = this.options;
    try {
      await keep(wanted);
    } catch (error) {
      const reason = `the settings of the service cannot be saved: ${errorText(error)}`;
      if (this.said.isDue(reason)) log.warn(`${this.name}: ${reason}`);
    }
  }

  private async acknowledge(reported: readonly Gap[]): Promise<void> {
    const { gaps, log } = this.options;
    try {
      await gaps.acknowledge(reported);
      this.notBeforeMs = 0;
      this.isUnknown = false;
      if (this.said.reset()) log.info(`${this.name}: the service takes reports again`);
    } catch (error) {
      this.fail(`the acknowledged report cannot be saved: ${errorText(error)}`);
    }
  }

  /** The service is too old for reports. Nobody needs to do anything, so the log says it once. */
  private unknown(): void {
    const { clock, log, times } = this.options;
    this.notBeforeMs = clock.elapsed() + times.reportUnknownMs;
    if (!this.isUnknown)
      log.warn(`${this.name}: the service takes no reports yet; events are published all the same`);
    this.isUnknown = true;
  }

  /** Logs a failure rarely, since publishing meets the same problems and logs them. */
  private fail(reason: string): void {
    const { activity, clock, log, times } = this.options;
    const isRefused = activity.serviceProblem?.kind === 'keyRefused';
    this.notBeforeMs = clock.elapsed() + (isRefused ? times.reportMaxMs : times.reportMinMs);
    if (this.said.isDue(reason)) log.warn(`${this.name}: the status could not be reported: ${reason}`);
  }

  private get name(): string {
    return this.options.activity.name;
  }
}

/** Events were acknowledged, or there are none to send. */
const isHealthy = ({ tally, waitingBytes, waitingRecords, problem, state }: DatabaseStatus): boolean =>
  tally.accepted + tally.duplicates > 0 ||
  (waitingBytes === 0 && waitingRecords === 0 && (problem === null || state === 'off'));
const isStandby = ({ state }: DatabaseStatus): boolean => state === 'standby';
const isBehind = ({ waitingBytes, waitingRecords, caughtUpAt }: DatabaseStatus): boolean =>
  waitingBytes > 0 || waitingRecords > 0 || caughtUpAt === null;
