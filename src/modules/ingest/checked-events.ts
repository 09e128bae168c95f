import { NOT_LOOKED_AT } from '../../event/audit-record';
import type { Answer, Shape } from '../../event/shape';
import { LIMITS } from '../../limits';
import { EventBytes } from '../../store/bytes/event-bytes';
import type { Checked, Rejection } from './check-event';
import type { NewEvents } from './stored-writer';

export const REJECTED_EVENT = {
  name: 'RejectedEvent',
  doc: 'Why one event of a batch was not stored. The last one may have the code `not_looked_at`: the service did not look at the events from its index on, so send them again.',
  fields: {
    index: { kind: 'integer', doc: '0-based position in the batch.' },
    code: { kind: 'text' },
    message: { kind: 'text' },
  },
} as const satisfies Shape;
type RejectedEvent = Answer<typeof REJECTED_EVENT>;

/** The events of a batch after their check. The valid ones are prepared for storing. */
export class CheckedEvents {
  readonly #rejections: (Rejection & { readonly index: number })[] = [];
  #accepted = 0;
  #left = 0;
  readonly #bytes = new EventBytes();

  constructor(
    readonly tenantId: number,
    private readonly sound: NewEvents,
  ) {}

  get count(): number {
    return this.#accepted + this.#rejections.length + this.#left;
  }

  /** Whether so many events were rejected that no further one is looked at. */
  get isEnough(): boolean {
    return this.#rejections.length >= LIMITS.rejectedEventsMax;
  }

  /** The number of rejected events. */
  get rejections(): number {
    return this.#rejections.length;
  }

  /** Counts events that are not looked at. Nothing may be added after them. */
  leave(count: number): void {
    this.#left = count;
  }

  get accepted(): number {
    return this.#accepted;
  }

  add(checked: Checked): void {
    if ('event' in checked) this.addBytes(this.#bytes.of(checked.event));
    else this.#rejections.push({ index: this.count, ...checked.rejection });
  }

  /** Adds an event that is valid. */
  addBytes(event: EventBytes): void {
    this.sound.add(event);
    this.#accepted++;
  }

  /** Resolves after the commit. @returns the number of accepted events that were new */
  async store(): Promise<number> {
    return this.#accepted > 0 ? this.sound.store() : 0;
  }

  get #rest(): RejectedEvent {
    const index = this.#accepted + this.#rejections.length;
    const [from, last] = [`${LIMITS.rejectedEventsMax} events were rejected`, index + this.#left - 1];
    const rest = this.#left === 1 ? `the event ${index} was` : `the events from ${index} to ${last} were`;
    return {
      index,
      code: NOT_LOOKED_AT,
      message: `And the rest: ${from}, so ${rest} not looked at. Send them again in another batch.`,
    };
  }

  /** The first rejections have whole messages, as long as every other one still has room for a brief message. */
  get rejected(): readonly RejectedEvent[] {
    const { rejectionMessagesBytesMax, rejectionMessageBytesMin } = LIMITS;
    let left = rejectionMessagesBytesMax - this.#rejections.length * rejectionMessageBytesMin;
    const told = this.#rejections.map(({ index, code, message, brief }) => {
      const room = rejectionMessageBytesMin + Math.max(left, 0);
      const shown = [message, brief].find((text) => bytesOf(text) <= room) ?? cutTo(room, brief);
      left -= Math.max(bytesOf(shown) - rejectionMessageBytesMin, 0);
      return { index, code, message: shown };
    });
    return this.#left === 0 ? told : [...told, this.#rest];
  }
}

function cutTo(bytesMax: number, text: string): string {
  let cut = text;
  while (bytesOf(cut) > bytesMax) cut = `${cut.slice(0, cut.length * CUT)}…`;
  return cut;
}
const CUT = 0.75;

/** The size of a text in an answer. */
const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text)) - '""'.length;
