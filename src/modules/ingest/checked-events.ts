import type { Answer, Shape } from '../../event/shape';
import { LIMITS } from '../../limits';
import type { CheckedEvent } from '../../trail/checked-event';
import type { Checked, Rejection } from './check-event';

export const REJECTED_EVENT = {
  name: 'RejectedEvent',
  doc: 'Why one event of a batch was not stored.',
  fields: {
    index: { kind: 'integer', doc: '0-based position in the batch.' },
    code: { kind: 'text' },
    message: { kind: 'text' },
  },
} as const satisfies Shape;
type RejectedEvent = Answer<typeof REJECTED_EVENT>;

/** The events of a batch after the check of each. */
export class CheckedEvents {
  readonly accepted: CheckedEvent[] = [];
  readonly #rejections: (Rejection & { readonly index: number })[] = [];

  get count(): number {
    return this.accepted.length + this.#rejections.length;
  }

  add(checked: Checked): void {
    if ('event' in checked) this.accepted.push(checked.event);
    else this.#rejections.push({ index: this.count, ...checked.rejection });
  }

  /** The first with their whole messages, as long as there is room for a brief one of each other. */
  get rejected(): readonly RejectedEvent[] {
    const { rejectionMessagesBytesMax, rejectionMessageBytesMin } = LIMITS;
    let left = rejectionMessagesBytesMax - this.#rejections.length * rejectionMessageBytesMin;
    return this.#rejections.map(({ index, code, message, brief }) => {
      const room = rejectionMessageBytesMin + Math.max(left, 0);
      const told = [message, brief].find((text) => bytesOf(text) <= room) ?? cutTo(room, brief);
      left -= Math.max(bytesOf(told) - rejectionMessageBytesMin, 0);
      return { index, code, message: told };
    });
  }
}

function cutTo(bytesMax: number, text: string): string {
  let cut = text;
  while (bytesOf(cut) > bytesMax) cut = `${cut.slice(0, cut.length * CUT)}…`;
  return cut;
}
const CUT = 0.75;

/** In an answer. */
const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text)) - '""'.length;
