import { backOff } from 'exponential-backoff';
import type { QueuedEvent } from '../batch/queued-event';
import type { Clock } from '../clock';
import type { Log } from '../log';
import { Occasionally } from '../occasionally';
import type { AgentTimes } from '../times';
import type { Answer } from './answer';
import { unlessAborted, withDeadline } from './deadline';

export type FinalAnswer =
  | Exclude<Answer, { readonly kind: 'busy' | 'refused' }>
  /** Not sent, and not to be tried again now. */
  | { readonly kind: 'gaveUp'; readonly message: string };

export interface SenderOptions {
  readonly database: string;
  send(events: readonly QueuedEvent[], abandon: AbortSignal): Promise<Answer>;
  /** Few attempts within a short time, instead of as many as it takes. */
  readonly once: boolean;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly log: Log;
  /** Hears what the service has against taking events, and null once it takes them. */
  onTrouble?(trouble: { readonly kind: 'waiting' | 'keyRefused'; readonly message: string } | null): void;
}

const ONCE_ATTEMPTS = 5;

class Busy extends Error {
  constructor(readonly answer: Extract<Answer, { kind: 'busy' }>) {
    super(answer.message);
  }
}

/** Sends the same events until the service has answered them, with growing pauses of random length. */
export class PatientSender {
  private readonly said: Occasionally;
  private lastProblem = '';

  constructor(private readonly options: SenderOptions) {
    this.said = new Occasionally(options.clock, options.times.repeatMs);
  }

  /** @param abandon ends every attempt and pause */
  async send(events: readonly QueuedEvent[], abandon: AbortSignal): Promise<FinalAnswer> {
    const { once, times } = this.options;
    this.lastProblem = 'the agent was stopped';
    if (!once) return this.sendWithin(events, abandon);
    return withDeadline(times.onceBudgetMs, abandon, (signal) => this.sendWithin(events, signal));
  }

  private async sendWithin(events: readonly QueuedEvent[], signal: AbortSignal): Promise<FinalAnswer> {
    const { once, times, clock, database, log } = this.options;
    // A key that was refused is tried without events: they are not for a service that does not take them.
    let isRefused = false;
    while (!signal.aborted) {
      const answer = await this.backingOff(isRefused ? [] : events, signal);
      if (answer.kind === 'busy') break;
      if (answer.kind === 'refused') {
        isRefused = true;
        this.say('error', 'the service refuses the agent key, nothing is published', answer.message);
        if (once) break;
        await clock.wait(times.refusedRetryMs, signal);
        continue;
      }
      this.options.onTrouble?.(null);
      if (this.said.reset()) log.info(`${database}: the service takes events again`);
      if (!isRefused) return answer;
      isRefused = false;
    }
    return { kind: 'gaveUp', message: this.lastProblem };
  }

  /** The answer is busy only where it gave up. */
  private async backingOff(events: readonly QueuedEvent[], signal: AbortSignal): Promise<Answer> {
    const { once, times, send } = this.options;
    const attempts = backOff(
      async () => {
        const answer = signal.aborted ? ABANDONED : await send(events, signal);
        if (answer.kind === 'busy') throw new Busy(answer);
        return answer;
      },
      {
        numOfAttempts: once ? ONCE_ATTEMPTS : Number.POSITIVE_INFINITY,
        startingDelay: times.retryFirstMs,
        maxDelay: times.retryMaxMs,
        jitter: 'full',
        retry: (error: unknown) => error instanceof Busy && this.mayRetry(error.answer, signal),
      },
    ).catch((error: unknown) => {
      if (error instanceof Busy) return error.answer;
      throw error;
    });
    // The library's pauses cannot be cut short: after the signal they run out with nobody listening.
    return unlessAborted(attempts, signal, () => ABANDONED);
  }

  /** Waits as long as the service asks for; the pause of the back-off comes on top. */
  private async mayRetry(answer: Extract<Answer, { kind: 'busy' }>, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { once, times, clock } = this.options;
    this.say('warn', 'nothing is published for now, trying again', answer.message);
    const { retryAfterMs } = answer;
    if (once && (retryAfterMs ?? 0) > times.onceBudgetMs) return false;
    if (retryAfterMs !== null) await clock.wait(retryAfterMs, signal);
    return !signal.aborted;
  }

  private say(level: 'warn' | 'error', text: string, reason: string): void {
    const { database, log } = this.options;
    this.lastProblem = reason;
    this.options.onTrouble?.({ kind: level === 'error' ? 'keyRefused' : 'waiting', message: reason });
    if (this.said.isDue(text + reason)) log[level](`${database}: ${text}: ${reason}`);
  }
}

const ABANDONED: Answer = { kind: 'busy', message: 'given up', retryAfterMs: null };
