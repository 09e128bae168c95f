import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OwnerDb } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import type { Finding } from '../../detection/finding';
import type { EngineHost } from '../../detection/host';
import { EngineFailure, openHost } from '../../detection/thread-host';
import { DAY_MS, formatTicks } from '../../event/event-time';
import { LIMITS } from '../../limits';
import type { ArrivalLimits, ArrivalReader } from '../../trail/arrivals/arrival-reader';
import type { BacktestAnswer, BacktestStore, TakenBacktest } from './backtest.store';
import { toDetectionEvent } from './detector';

const EXAMPLES_MAX = 10;
/** Between two steps twice as long as a step took: a third of a processor is used, so that reads hardly notice. */
const REST_SHARE = 2;
const REST_MS_MAX = 2_000;
/** How often it is told how far one is. */
const NOTE_MS = 700;
/** Instances that may end while they run one: it may be what ends them. */
const TRIES_MAX = 3;
const TICKS_PER_US = 10n;
/** A rule knows what was a year ago at most, of a group that it has known for a year before. */
const KNOWN_DAYS = 2 * 366;
/** Of one rule's engine; a backtest that needs more fails. */
const HEAP_MB = 64;

/**
 * Runs backtests: rules over what has arrived, each on a thread of its own. What they find makes no alerts. One whose
 * instance ends is begun anew by another, or after the restart.
 */
export class Backtests {
  readonly #rounds: TenantRounds;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(
    private readonly parts: {
      readonly owner: OwnerDb;
      readonly store: BacktestStore;
      readonly reader: ArrivalReader;
      readonly nowMs: () => number;
      readonly log: Pick<Logger, 'warn'>;
      readonly openHost?: (heapMb: number) => EngineHost;
    },
  ) {
    this.#rounds = new TenantRounds(parts.owner);
  }

  /** Takes what waits, as long as there is room. */
  async run(): Promise<void> {
    const { owner, store, nowMs } = this.parts;
    const room = () => LIMITS.backtestsMax - this.#running.size;
    if (room() <= 0 || this.#stopping.signal.aborted) return;
    const waiting = await this.#rounds.ask((of) =>
      owner.$queryRawUnsafe<{ tenant_id: number; id: string }[]>(
        `SELECT tenant_id, backtest_id::text AS id FROM backtest WHERE state = 'running'
           AND (held_until IS NULL OR held_until < $1::timestamptz) AND ${of('tenant_id')}
         ORDER BY created_at LIMIT ${LIMITS.backtestsMax}`,
        new Date(nowMs()),
      ),
    );
    for (const { tenant_id, id } of waiting) {
      if (room() <= 0) break;
      const taken = await this.#rounds.attempt(tenant_id, () => store.take(tenant_id, id));
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
    await Promise.all(this.#running.values());
  }

  async #run(taken: TakenBacktest): Promise<void> {
    const { store, log } = this.parts;
    const { tenantId, backtestId, tries } = taken;
    const host = (this.parts.openHost ?? openHost)(HEAP_MB);
    try {
      if (tries > TRIES_MAX) throw new EngineFailure('the instances that ran it ended');
      await this.#read(taken, host);
    } catch (err) {
      const isOver = err instanceof EngineFailure;
      if (!this.#stopping.signal.aborted) log.warn({ err, tenantId, backtestId }, 'a backtest failed');
      await (isOver ? store.note(taken, { ...taken.answer, state: 'failed' }) : store.putBack(taken)).catch(
        // Its time is over soon; then it is begun anew.
        () => {},
      );
    } finally {
      await host.close();
    }
  }

  async #read(taken: TakenBacktest, host: EngineHost): Promise<void> {
    const { tenantId, rule, since } = taken;
    const { reader, store, nowMs } = this.parts;
    const { actions, learns } = await host.open(tenantId, [rule, ...(rule.others ?? [])], []);
    // Most rules are about few actions: the events of others are not even read.
    const limits = { ...LIMITS.detectionStep, actions: actions ?? undefined };
    const byDay = new Map<string, number>();
    const examples: Finding[] = [];
    let position = await reader.positionAt(tenantId, since);
    if (learns && !(await this.#learn(taken, host, { ...limits, end: position }))) return;
    for (let [read, count, notedMs] = [0, 0, 0]; ; ) {
      this.#stopping.signal.throwIfAborted();
      const began = performance.now();
      const step = await reader.read(tenantId, position, limits);
      // Of what is decided by the clock too, the time is over at the end; until then events alone tell it.
      const clock = { nowMs: nowMs(), isReady: true, workMs: LIMITS.detectionWorkMs, isBehind: true };
      const { findings, seen } = await host.evaluate(tenantId, step.items.map(toDetectionEvent), clock);
      const next = step.items[seen]?.position ?? step.next;
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
          ...{ state: isDone ? 'done' : 'running', eventsRead: read, eventsLeft: step.size - next },
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

  /** What is usual is known from the time before. @returns false: it is another instance's */
  async #learn(
    taken: TakenBacktest,
    host: EngineHost,
    limits: ArrivalLimits & { end: number },
  ): Promise<boolean> {
    const { tenantId, since } = taken;
    const { reader, store } = this.parts;
    let position = await reader.positionAt(tenantId, new Date(since.getTime() - KNOWN_DAYS * DAY_MS));
    for (let notedMs = performance.now(); position < limits.end; ) {
      this.#stopping.signal.throwIfAborted();
      const began = performance.now();
      const step = await reader.read(tenantId, position, limits);
      const events = step.items.map(toDetectionEvent);
      const { seen } = await host.learn(tenantId, events, LIMITS.detectionWorkMs);
      position = step.items[seen]?.position ?? Math.max(step.next, position + 1);
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
  ...{ firstEventTime: timeOf(firstAt), lastEventTime: timeOf(lastAt), group, eventCount, recordIds },
});
