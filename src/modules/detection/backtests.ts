import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Finding } from '../../detection/finding';
import type { EngineHost, RuleSource } from '../../detection/host';
import { openHost } from '../../detection/thread-host';
import { DomainError } from '../../errors';
import { DAY_MS, formatTicks } from '../../event/event-time';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import type { ArrivalReader } from '../../trail/arrivals/arrival-reader';
import { toDetectionEvent } from './detector';
import type { BACKTEST } from './work-answers';

type BacktestAnswer = Answer<typeof BACKTEST>;

const EXAMPLES_MAX = 10;
const KEPT_MAX = 50;
/** Between two steps as long as a step took: at most half of a processor is used. */
const REST_MS_MAX = 1_000;
const TICKS_PER_US = 10n;
/** Of one rule's engine; a backtest that needs more fails. */
const HEAP_MB = 64;

/** A rule that need not be one of the tenant's. */
interface TestedRule extends RuleSource {
  readonly title: string;
}

interface Running {
  answer: BacktestAnswer;
  readonly startedMs: number;
}

/**
 * Runs rules over what has arrived, each on a thread of its own. What they find is told to whoever asks, and stored
 * nowhere.
 */
export class Backtests {
  readonly #known = new Map<string, Running>();
  readonly #stopping = new AbortController();

  constructor(
    private readonly reader: ArrivalReader,
    private readonly nowMs: () => number,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** @throws DomainError `service_unavailable` while the tenant has one, or too many run */
  async start(tenantId: number, rule: TestedRule, days: number): Promise<BacktestAnswer> {
    const running = [...this.#known.values()].filter(({ answer }) => answer.state === 'running');
    if (
      running.length >= LIMITS.backtestsMax ||
      running.some(({ answer }) => answer.tenantId === String(tenantId))
    )
      throw new DomainError('service_unavailable', {
        public: 'Another backtest is running. Try again when it is done.',
        retryAfterSeconds: 10,
      });
    const answer: BacktestAnswer = {
      ...{ backtestId: randomUUID(), tenantId: String(tenantId), title: rule.title, state: 'running' },
      ...{ eventsRead: 0, eventsLeft: 0, findingCount: 0, days: [], examples: [] },
    };
    const job: Running = { answer, startedMs: this.nowMs() };
    this.#known.set(answer.backtestId, job);
    if (this.#known.size > KEPT_MAX) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    const host = openHost(HEAP_MB);
    void this.#run(job, { tenantId, rule, days, host })
      .catch((err: Error) => {
        if (!this.#stopping.signal.aborted)
          this.log.warn({ err, tenantId, backtestId: answer.backtestId }, 'a backtest failed');
        job.answer = { ...job.answer, state: 'failed' };
      })
      .finally(() => host.close());
    return answer;
  }

  /** @throws DomainError `not_found` */
  find(backtestId: string, mayTenant: (tenantId: number) => boolean): BacktestAnswer {
    const job = this.#known.get(backtestId);
    if (!job || !mayTenant(Number(job.answer.tenantId)))
      throw new DomainError('not_found', {
        public:
          'There is no such backtest. One that was begun on another instance, or before a restart, is to be begun again.',
      });
    return job.answer;
  }

  close(): void {
    this.#stopping.abort();
  }

  async #run(
    job: Running,
    { tenantId, rule, days, host }: { tenantId: number; rule: TestedRule; days: number; host: EngineHost },
  ): Promise<void> {
    await host.open(tenantId, [rule], []);
    const byDay = new Map<string, number>();
    const examples: Finding[] = [];
    let position = await this.reader.positionAt(tenantId, new Date(this.nowMs() - days * DAY_MS));
    for (let [read, count] = [0, 0]; !this.#stopping.signal.aborted; ) {
      const began = performance.now();
      const step = await this.reader.read(tenantId, position, LIMITS.detectionStep);
      const clock = { nowMs: this.nowMs(), isReady: true, workMs: LIMITS.detectionWorkMs };
      const { findings, seen } = await host.evaluate(tenantId, step.items.map(toDetectionEvent), clock);
      const next = step.items[seen]?.position ?? step.next;
      for (const finding of findings) {
        const day = new Date(finding.lastAt / 1_000).toISOString().slice(0, 10);
        byDay.set(day, (byDay.get(day) ?? 0) + 1);
        if (examples.length < EXAMPLES_MAX) examples.push(finding);
      }
      [read, count, position] = [read + seen, count + findings.length, next];
      const isDone = next >= step.size;
      job.answer = {
        ...job.answer,
        ...{ state: isDone ? 'done' : 'running', eventsRead: read, eventsLeft: step.size - next },
        findingCount: count,
        days: [...byDay].sort().map(([day, of]) => ({ day, findings: of })),
        examples: examples.map(toExample),
      };
      if (isDone) return;
      await delay(Math.min(REST_MS_MAX, performance.now() - began), undefined, {
        signal: this.#stopping.signal,
      });
    }
  }
}

const timeOf = (us: number) => formatTicks(BigInt(us) * TICKS_PER_US);
const toExample = ({ firstAt, lastAt, group, eventCount, recordIds }: Finding) => ({
  ...{ firstEventTime: timeOf(firstAt), lastEventTime: timeOf(lastAt), group, eventCount, recordIds },
});
