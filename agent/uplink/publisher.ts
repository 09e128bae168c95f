import { LIMITS } from '../../src/limits';
import { type QueuedEvents, type RequestLimits, splitIntoRequests } from '../queued-events';
import type { DeadLetters } from './dead-letters';
import type { FinalAnswer } from './patient-sender';
import type { Refusal, Refusals } from './refused-events';
import { ENVELOPE_BYTES } from './request-body';

/** The counts of a database's events by their outcome so far. */
export interface PublishedCounts {
  accepted: number;
  duplicates: number;
  /** Number of events that are kept as dead letters. */
  rejected: number;
}

/** What became of a batch. */
export interface Published {
  /** Null: every event is acknowledged or kept as a dead letter; else why not. */
  readonly problem: string | null;
  /** The events that are kept as dead letters. */
  readonly refusals: Refusals;
}

const EVENT_BYTES_MAX = LIMITS.ingestBodyBytesMax - ENVELOPE_BYTES;

/** Sends the events of a batch, and keeps those that the service will never accept as dead letters. */
export class Publisher {
  readonly tally: PublishedCounts = { accepted: 0, duplicates: 0, rejected: 0 };

  constructor(
    private readonly sender: {
      send(events: QueuedEvents, abandon: AbortSignal): Promise<FinalAnswer>;
    },
    private readonly deadLetters: DeadLetters,
    private readonly limits: RequestLimits,
  ) {}

  async publish(events: QueuedEvents, abandon: AbortSignal): Promise<Published> {
    const refusals = new Map<number, Refusal>();
    for (const request of splitIntoRequests(events, this.limits)) {
      const problem = await this.publishRequest(request, refusals, abandon);
      if (problem !== null) return { problem, refusals };
    }
    return { problem: null, refusals };
  }

  private async publishRequest(
    events: QueuedEvents,
    refusals: Map<number, Refusal>,
    abandon: AbortSignal,
  ): Promise<string | null> {
    if (events.length === 0) return null;
    if (events.sizeOf(0) > EVENT_BYTES_MAX) {
      await this.bury(events, [{ index: 0, code: 'payload_too_large', message: TOO_LARGE }], refusals);
      return null;
    }
    const answer = await this.sender.send(events, abandon);
    if (answer.kind === 'gaveUp') return answer.message;
    if (answer.kind === 'receipt') {
      await this.bury(events, answer.rejected, refusals);
      this.tally.accepted += answer.accepted;
      this.tally.duplicates += answer.duplicates;
      const rest = events.slice(answer.rest ?? events.length, events.length);
      return this.publishRequest(rest, refusals, abandon);
    }
    if (events.length > 1) return this.publishHalves(events, refusals, abandon);
    await this.bury(events, [{ index: 0, code: answer.code, message: answer.message }], refusals);
    return null;
  }

  /** Halves a request until a refused event stands alone, so that it holds up no other event. */
  private async publishHalves(
    events: QueuedEvents,
    refusals: Map<number, Refusal>,
    abandon: AbortSignal,
  ): Promise<string | null> {
    const middle = Math.ceil(events.length / 2);
    return (
      (await this.publishRequest(events.slice(0, middle), refusals, abandon)) ??
      (await this.publishRequest(events.slice(middle, events.length), refusals, abandon))
    );
  }

  private async bury(
    events: QueuedEvents,
    rejected: readonly (Refusal & { readonly index: number })[],
    refusals: Map<number, Refusal>,
  ): Promise<void> {
    await this.deadLetters.append(
      rejected.map(({ index, code, message }) => ({ code, message, json: events.jsonOf(index) })),
    );
    for (const { index, code, message } of rejected) refusals.set(events.placeOf(index), { code, message });
    this.tally.rejected += rejected.length;
  }
}

const TOO_LARGE = `the event alone is larger than the ${LIMITS.ingestBodyBytesMax} bytes the service takes`;
