import { grownMs } from '../../src/rests';
import type { Clock } from '../clock';
import { withDeadline } from '../deadline';
import type { Log } from '../log';
import { Occasionally } from '../occasionally';
import { NO_EVENTS, type QueuedEvents } from '../queued-events';
import type { ServiceProblem } from '../status/database-activity';
import type { AgentTimes } from '../times';
import type { Answer } from './answer';

export type FinalAnswer =
  | Exclude<Answer, { readonly kind: 'busy' | 'refused' | 'unknown' }>
  /** The events were not sent, and the sender does not retry now. */
  | { readonly kind: 'gaveUp'; readonly message: string };

interface SenderOptions {
  readonly database: string;
  send(events: QueuedEvents, abandon: AbortSignal): Promise<Answer>;
  /** Whether to make only a few attempts within a short time, instead of as many as it takes. */
  readonly once: boolean;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the reason why the service accepts no events, and with null once it accepts them. */
  onProblem?(problem: ServiceProblem | null): void;
}

const ONCE_ATTEMPTS = 5;

/** Sends the same events until the service has answered them, with growing pauses of random length. */
export class PatientSender {
  private readonly said: Occasionally;
  private lastProblem = '';

  constructor(private readonly options: SenderOptions) {
    this.said = new Occasionally(options.clock, options.times.repeatMs);
  }

  /** @param abandon ends every attempt and pause */
  async send(events: QueuedEvents, abandon: AbortSignal): Promise<FinalAnswer> {
    const { once, times } = this.options;
    this.lastProblem = 'the agent was stopped';
    if (!once) return this.sendWithin(events, abandon);
    return withDeadline(times.onceBudgetMs, abandon, (signal) => this.sendWithin(events, signal));
  }

  private async sendWithin(events: QueuedEvents, signal: AbortSignal): Promise<FinalAnswer> {
    const { once, times, clock, database, log } = this.options;
    /** Why the service refused events. While set, the sender asks without events before it sends any. */
    let doubt: 'none' | 'everything is refused' | Extract<Answer, { kind: 'unknown' }> = 'none';
    while (!signal.aborted) {
      const answer = await this.backingOff(doubt === 'none' ? events : NO_EVENTS, signal);
      if (answer.kind === 'busy') break;
      if (answer.kind === 'unknown' && doubt === 'none') {
        doubt = answer;
        continue;
      }
      if (answer.kind === 'refused' || answer.kind === 'unknown') {
        doubt = 'everything is refused';
        this.sayRefused(answer);
        if (once) break;
        await clock.wait(times.refusedRetryMs, signal);
        continue;
      }
      this.options.onProblem?.(null);
      if (this.said.reset()) log.info(`${database}: the service takes events again`);
      if (doubt === 'none') return answer;
      // The service accepts requests, so it refused these particular events.
      if (typeof doubt === 'object') return { ...doubt, kind: 'unfit' };
      doubt = 'none';
    }
    return { kind: 'gaveUp', message: this.lastProblem };
  }

  /** The answer is `busy` only if the sender gave up. */
  private async backingOff(events: QueuedEvents, signal: AbortSignal): Promise<Answer> {
    const { once, times, clock, send } = this.options;
    const growth = { firstMs: times.retryFirstMs, mostMs: times.retryMaxMs };
    for (let attempt = 1; ; attempt++) {
      const answer = signal.aborted ? ABANDONED : await send(events, signal);
      if (answer.kind !== 'busy') return answer;
      if (!(await this.mayRetry(answer, signal)) || (once && attempt === ONCE_ATTEMPTS)) return answer;
      // Of random length, so that agents that failed together do not try again together.
      await clock.wait(Math.random() * grownMs(growth, attempt), signal);
    }
  }

  /** Waits as long as the service asks, in addition to the pause between attempts. */
  private async mayRetry(answer: Extract<Answer, { kind: 'busy' }>, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { once, times, clock } = this.options;
    this.say('warn', 'nothing is published for now, trying again', answer.message);
    const { retryAfterMs } = answer;
    if (once && (retryAfterMs ?? 0) > times.onceBudgetMs) return false;
    if (retryAfterMs !== null) await clock.wait(retryAfterMs, signal);
    return !signal.aborted;
  }

  private sayRefused({ kind, message }: Extract<Answer, { kind: 'refused' | 'unknown' }>): void {
    if (kind === 'refused')
      this.say('error', 'the service refuses the agent key, nothing is published', message);
    else this.say('warn', 'the service refuses everything, nothing is published', message);
  }

  private say(level: 'warn' | 'error', text: string, reason: string): void {
    const { database, log } = this.options;
    this.lastProblem = reason;
    this.options.onProblem?.({ kind: level === 'error' ? 'keyRefused' : 'waiting', message: reason });
    if (this.said.isDue(text + reason)) log[level](`${database}: ${text}: ${reason}`);
  }
}

const ABANDONED: Answer = { kind: 'busy', message: 'given up', retryAfterMs: null };
