import { LIMITS } from '../../src/limits';
import { type QueuedEvents, type RequestLimits, splitIntoRequests } from '../queued-events';
import type { DeadLetter, DeadLetters } from './dead-letters';
import type { FinalAnswer } from './patient-sender';
import { ENVELOPE_BYTES } from './request-body';

/** The counts of a database's events by their outcome so far. */
export interface Tally {
  accepted: number;
  duplicates: number;
  /** Number of events that are kept as dead letters. */
  rejected: number;
}

const EVENT_BYTES_MAX = LIMITS.ingestBodyBytesMax - ENVELOPE_BYTES;

/** Sends the events of a batch, and keeps those that the service will never accept as dead letters. */
export class Publisher {
  readonly tally: Tally = { accepted: 0, duplicates: 0, rejected: 0 };

  constructor(
    private readonly sender: {
      send(events: QueuedEvents, abandon: AbortSignal): Promise<FinalAnswer>;
    },
    private readonly deadLetters: DeadLetters,
    private readonly limits: RequestLimits,
  ) {}

  /** @returns null if every event is acknowledged or kept as a dead letter, else why not */
  async publish(events: QueuedEvents, abandon: AbortSignal): Promise<string | null> {
    for (const request of splitIntoRequests(events, this.limits)) {
      const problem = await this.publishRequest(request, abandon);
      if (problem !== null) return problem;
    }
    return null;
  }

  private async publishRequest(events: QueuedEvents, abandon: AbortSignal): Promise<string | null> {
    if (events.length === 0) return null;
    if (events.sizeOf(0) > EVENT_BYTES_MAX) {
      await this.bury([{ code: 'payload_too_large', message: TOO_LARGE, json: events.jsonOf(0) }]);
      return null;
    }
    const answer = await this.sender.send(events, abandon);
    if (answer.kind === 'gaveUp') return answer.message;
    if (answer.kind === 'receipt') {
      await this.bury(
        answer.rejected.map(({ index, code, message }) => ({ code, message, json: events.jsonOf(index) })),
      );
      this.tally.accepted += answer.accepted;
      this.tally.duplicates += answer.duplicates;
      return null;
    }
    if (events.length > 1) return this.publishHalves(events, abandon);
    await this.bury([{ code: answer.code, message: answer.message, json: events.jsonOf(0) }]);
    return null;
  }

  /** Halves a request until a refused event stands alone, so that it holds up no other event. */
  private async publishHalves(events: QueuedEvents, abandon: AbortSignal): Promise<string | null> {
    const middle = Math.ceil(events.length / 2);
    return (
      (await this.publishRequest(events.slice(0, middle), abandon)) ??
      (await this.publishRequest(events.slice(middle, events.length), abandon))
    );
  }

  private async bury(letters: readonly DeadLetter[]): Promise<void> {
    await this.deadLetters.append(letters);
    this.tally.rejected += letters.length;
  }
}

const TOO_LARGE = `the event alone is larger than the ${LIMITS.ingestBodyBytesMax} bytes the service takes`;
