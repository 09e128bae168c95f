import { fold } from '../event/search';
import { type DetectionEvent, type FieldSlot, isAbsent, NO_SLOT, type Value } from './event';
import { SLOTS } from './field-names';
import { windowsView } from './windows-view';

const NONE: readonly never[] = [];

/** An event while rules look at it. The letter case of each text is folded only once. */
export class Seen {
  // Made at their whole length: lists that grow are copied, and leave their copies to be collected.
  readonly #folded = new Array<readonly string[] | undefined>(SLOTS);
  readonly #raw = new Array<readonly Value[] | undefined>(SLOTS);
  #texts: string | null = null;
  #windowsTexts: string | null = null;

  constructor(readonly event: DetectionEvent) {}

  /** The values of a field; empty when the field is absent. */
  values({ slot, read }: FieldSlot): readonly Value[] {
    const known = this.#raw[slot];
    if (known) return known;
    const present = presentOf(read(this.event));
    if (slot !== NO_SLOT) this.#raw[slot] = present;
    return present;
  }

  /** The values of a field as texts, letter case folded. */
  folded(field: FieldSlot): readonly string[] {
    const known = this.#folded[field.slot];
    if (known) return known;
    const texts = this.values(field).map((value) => fold(String(value)));
    if (field.slot !== NO_SLOT) this.#folded[field.slot] = texts;
    return texts;
  }

  /** All values of the event and its messages, in which keywords are searched. */
  texts(): string {
    this.#texts ??= fold(
      [...Object.values(this.event.fields), ...Object.values(this.event.additional)]
        .filter((value) => !isAbsent(value))
        .concat(windowsView.messages(this.event))
        .join('\n'),
    );
    return this.#texts;
  }

  /** The same with what the Windows log has. Its text also has the name of each column. */
  windowsTexts(): string {
    this.#windowsTexts ??= [
      this.texts(),
      ...[...windowsView.data(this.event), ...windowsView.eventIds(this.event)].map(fold),
    ].join('\n');
    return this.#windowsTexts;
  }
}

function presentOf(value: Value | readonly Value[]): readonly Value[] {
  if (!isSeveral(value)) return isAbsent(value) ? NONE : [value];
  return value.some(isAbsent) ? value.filter((one) => !isAbsent(one)) : value;
}

const isSeveral = (value: Value | readonly Value[]): value is readonly Value[] => Array.isArray(value);
