import { DomainError } from '../../errors';
import { LIMITS } from '../../limits';

/** Numbers of the numbers that a question counts by. They are given in the order in which the hours show them. */
export class NumberNames {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];

  /** @param value null: absent @throws DomainError `invalid_parameter` */
  idOf(value: number | bigint | null): number {
    const text = String(value ?? '');
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    if (this.#texts.length === LIMITS.numbersCountedMax) throw new DomainError('invalid_parameter', TOO_MANY);
    this.#ids.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  /** Empty: absent. */
  textOf(id: number): string | undefined {
    return this.#texts[id];
  }
}

const TOO_MANY = {
  public: `There are more than ${LIMITS.numbersCountedMax} different numbers: narrow the time range or the filter, or count by another field.`,
};
