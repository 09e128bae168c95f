import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ThreadFailure } from '../../../asked-thread';
import type { OwnerDoor } from '../../../database/clients';
import { TenantRounds } from '../../../database/distribute/tenant-rounds';
import { DAY_MS, formatTicks } from '../../../event/event-time';
import { LIMITS } from '../../../limits';
import { type Growth, grownMs, Rests } from '../../../rests';
import type { Finding } from '../../../rules/finding';
import type { EngineHost } from '../../../rules/host';
import { openHost } from '../../../rules/thread-host';
import type { ArrivalLimits, ArrivalReader } from '../../../store/log/arrivals/arrival-reader';
import { StepReader } from '../detector/step-reader';
import { type BacktestAnswer, type BacktestStore, type TakenBacktest } from './backtest.store';

const EXAMPLES_MAX = 10;
/** The pause between two steps, in steps. A backtest then uses two sevenths of a processor, which reads hardly notice. */
const REST_SHARE = 2.5;
const REST_MS_MAX = 2_000;
/** The interval at which the progress is stored. */
const NOTE_MS = 700;
/** The number of instances that may be lost while they run a backtest. The backtest itself may be the cause. */
const TRIES_MAX = 3;
const TICKS_PER_US = 10n;
/** A baseline remembers a year at most, for a group that it has known for a year before. */
const KNOWN_DAYS = 2 * 366;
/** The memory of one rule's engine. A backtest that needs more fails. */
const HEAP_MB = 64;
/** How long a backtest waits whose events could not be read, as while the file of a week is away, and how often it does. */
const REST: Growth = { firstMs: 1_000, mostMs: 300_000 };
const READS_MAX = 12;

/**
 * Runs backtests: rules over events that have arrived, each on its own thread. Their findings make no alerts. If an
 * instance is lost or restarts, its backtest begins anew, here or on another instance.
 */
export class Backtests {
  readonly #rounds: TenantRounds;
  readonly #running = new Map<string, Promise<void>>();
  readonly #rests: Rests<string>;
  readonly #stopping = new AbortController();

  constructor(
    private readonly parts: {
      readonly owner: OwnerDoor;
      readonly store: BacktestStore;
      readonly reader: ArrivalReader;
      readonly nowMs: () => number;
      readonly log: Pick<Logger, 'warn'>;
      /** A clock that nobody sets. */
      readonly elapsedMs?: () => number;
      readonly openHost?: (limits: { readonly heapMb: number }) => EngineHost;
    },
  ) {
    this.#rounds = new TenantRounds(parts.owner);
    this.#rests = new Rests(parts.elapsedMs);
  }

  /** Takes waiting backtests while there is room. */
  async run(): Promise<void> {
    const { store } = this.parts;
    const room = () => LIMITS.backtestsMax - this.#running.size;
    if (room() <= 0 || this.#stopping.signal.aborted) return;
    const waiting = await this.#rounds.ask(
      (of) => store.waiting(of('tenant_id'), LIMITS.backtestsMax, this.#rests.resting),
      'in use',
    );
    for (const { tenantId, id } of waiting) {
      if (room() <= 0) break;
      const taken = await this.#rounds.attempt(tenantId, () => store.take(tenantId, id));
      if (!taken) continue;
      const running = this.#run(taken).finally(() => this.#running.delete(id));
      this.#running.set(id, running);
    }
    this.#rounds.end();
  }

  close(): void {
    this.#stopping.abort();
  }

  async stop(): Promise<void> {
    this.close();
    await this.settled();
  }

  /** Waits for the backtests that run. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #run(taken: TakenBacktest): Promise<void> {
    const { store, log } = this.parts;
    const { tenantId, backtestId, tries } = taken;
    const host = (this.parts.openHost ?? openHost)({ heapMb: HEAP_MB });
    try {
      if (tries > TRIES_MAX) throw new ThreadFailure('the instances that ran it ended');
      await this.#read(taken, host);
      this.#rests.end(backtestId);
    } catch (err) {
      const isOver = err instanceof ThreadFailure || this.#hasFailed(backtestId);
      if (!this.#stopping.signal.aborted) log.warn({ err, tenantId, backtestId }, 'a backtest failed');
      await (isOver ? store.note(taken, { ...taken.answer, state: 'failed' }) : store.putBack(taken)).catch(
        // If this fails, the lease expires soon, and the backtest begins anew.
        () => {},
      );
    } finally {
      await host.close();
    }
  }

  /** Has a backtest rest whose events could not be read. @returns whether that happened too often */
  #hasFailed(backtestId: string): boolean {
    if (this.#stopping.signal.aborted) return false;
    const restMs = this.#rests.failed(backtestId, (failures) =>
      failures < READS_MAX ? grownMs(REST, failures) : 0,
    );
    if (restMs === 0) this.#rests.end(backtestId);
    return restMs === 0;
  }

  async #read(taken: TakenBacktest, host: EngineHost): Promise<void> {
    const { tenantId, rule, since } = taken;
    const { reader, store, nowMs } = this.parts;
    const rows = new StepReader(reader);
    const { actions, learns } = await host.open(tenantId, [rule, ...(rule.others ?? [])], []);
    // Most rules concern few actions, so events of other actions are not read.
    const limits = { ...LIMITS.detectionStep, actions: actions ?? undefined };
    const byDay = new Map<string, number>();
    const examples: Finding[] = [];
    let position = await reader.positionAt(tenantId, since);
    if (learns && !(await this.#learn(taken, { host, rows }, { ...limits, end: position }))) return;
    for (let [read, count, unread, notedMs] = [0, 0, 0, 0]; ; ) {
      this.#stopping.signal.throwIfAborted();
      const began = performance.now();
      const step = await rows.read(tenantId, 'joined', position, limits);
      // For rules that depend on the clock, time has passed at the end of the log. Before that, only events move the
      // clock.
      const clock = { nowMs: nowMs(), isReady: true, workMs: LIMITS.detectionWorkMs, isBehind: true };
      const { findings, seen, unread: failed } = await host.evaluate(tenantId, step.items, clock);
      unread += failed.length;
      const next = rows.seen(tenantId, 'joined', step, seen);
      const isDone = next >= step.size;
      const over = { ...clock, nowMs: Number.POSITIVE_INFINITY, isBehind: false };
      const last = isDone ? (await host.evaluate(tenantId, [], over)).findings : [];
      for (const finding of [...findings, ...last]) {
        const day = new Date(finding.lastAt / 1_000).toISOString().slice(0, 10);
        byDay.set(day, (byDay.get(day) ?? 0) + 1);
        if (examples.length < EXAMPLES_MAX) examples.push(finding);
      }
      [read, count, position] = [
        read + next - position - step.skipped,
        count + findings.length + last.length,
        next,
      ];
      if (isDone || performance.now() - notedMs > NOTE_MS) {
        notedMs = performance.now();
        const answer: BacktestAnswer = {
          ...taken.answer,
          state: isDone ? 'done' : 'running',
          eventsRead: read,
          eventsLeft: step.size - next,
          eventsUnread: unread,
          findingCount: count,
          days: [...byDay].sort().map(([day, of]) => ({ day, findings: of })),
          examples: examples.map(toExample),
        };
        const isOurs = await store.note(taken, answer);
        if (isDone || !isOurs) return;
      }
      await this.#rest(performance.now() - began);
    }
  }

  #rest(tookMs: number): Promise<void> {
    return delay(Math.min(REST_MS_MAX, REST_SHARE * tookMs), undefined, { signal: this.#stopping.signal });
  }

  /** Learns baselines from the time before. @returns false if another instance has taken the backtest */
  async #learn(
    taken: TakenBacktest,
    { host, rows }: { readonly host: EngineHost; readonly rows: StepReader },
    limits: ArrivalLimits & { end: number },
  ): Promise<boolean> {
    const { tenantId, since } = taken;
    const { reader, store } = this.parts;
    let position = await reader.positionAt(tenantId, new Date(since.getTime() - KNOWN_DAYS * DAY_MS));
    for (let notedMs = performance.now(); position < limits.end; ) {
      this.#stopping.signal.throwIfAborted();
      const began = performance.now();
      const step = await rows.read(tenantId, 'joined', position, limits);
      const { seen } = await host.learn(tenantId, step.items, LIMITS.detectionWorkMs);
      position = Math.max(rows.seen(tenantId, 'joined', step, seen), position + 1);
      if (performance.now() - notedMs > NOTE_MS) {
        notedMs = performance.now();
        if (!(await store.note(taken, taken.answer))) return false;
      }
      await this.#rest(performance.now() - began);
    }
    return true;
  }
}

const timeOf = (us: number) => formatTicks(BigInt(us) * TICKS_PER_US);
const toExample = ({ firstAt, lastAt, group, eventCount, recordIds }: Finding) => ({
  firstEventTime: timeOf(firstAt),
  lastEventTime: timeOf(lastAt),
  group,
  eventCount,
  recordIds,
});
