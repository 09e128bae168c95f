import { type DetectionEvent, type FieldSlot, foldCase, isAbsent, NO_SLOT, type Value } from './event';
import { windowsView } from './windows-view';

/** An event while rules look at it. The letter case of each text is folded only once. */
export class Seen {
  readonly #folded: (readonly string[] | undefined)[] = [];
  readonly #raw: (readonly Value[] | undefined)[] = [];
  #texts: string | null = null;
  #windowsTexts: string | null = null;

  constructor(readonly event: DetectionEvent) {}

  /** The values of a field; empty when the field is absent. */
  values({ slot, read }: FieldSlot): readonly Value[] {
    const known = this.#raw[slot];
    if (known) return known;
    const value = read(this.event);
    const values = Array.isArray(value) ? (value as Value[]) : [value as Value];
    const present = values.some(isAbsent) ? values.filter((one) => !isAbsent(one)) : values;
    if (slot !== NO_SLOT) this.#raw[slot] = present;
    return present;
  }

  /** The values of a field as texts, letter case folded. */
  folded(field: FieldSlot): readonly string[] {
    const known = this.#folded[field.slot];
    if (known) return known;
    const texts = this.values(field).map((value) => foldCase(String(value)));
    if (field.slot !== NO_SLOT) this.#folded[field.slot] = texts;
    return texts;
  }

  /** All values of the event and its messages, in which keywords are searched. */
  texts(): string {
    this.#texts ??= foldCase(
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
      ...[...windowsView.data(this.event), ...windowsView.eventIds(this.event)].map(foldCase),
    ].join('\n');
    return this.#windowsTexts;
  }
}
