import { COLUMN_VALUES_MAX, columnText, packCodes, packTimes } from '../../store/columns/codec';
import { COLUMN_FIELDS, type ColumnField, columnOf, OUTCOME } from '../../store/columns/column-fields';

type Value = string | boolean;

/** Builds the columns of an hour from its events, in the order of their records. */
export class HourColumns {
  readonly #fields = COLUMN_FIELDS.map((field) => ({
    field,
    values: new Map<Value, number>(),
    codes: [] as number[],
  }));
  readonly #times: number[] = [];

  /**
   * @param chunk JSON lists of the values of some events by column; `times` has the first digits of their record ids
   */
  add(chunk: Readonly<Record<string, unknown>>, startMs: number): void {
    for (const digits of JSON.parse(String(chunk.times)) as string[])
      this.#times.push(Number.parseInt(digits.slice(0, 8) + digits.slice(9), 16) - startMs);
    for (const { field, values, codes } of this.#fields) {
      if (values.size > COLUMN_VALUES_MAX) continue;
      for (const value of JSON.parse(String(chunk[columnOf(field)])) as Value[]) {
        let code = values.get(value);
        if (code === undefined) {
          code = values.size;
          values.set(value, code);
        }
        codes.push(code);
      }
    }
  }

  /** The columns without the numbers of their values. Most values take a byte or less. */
  pack(): PackedColumns {
    const fields = this.#fields
      .filter(({ values }) => values.size <= COLUMN_VALUES_MAX)
      .map(({ field, values, codes }) => ({
        field,
        values: [...values.keys()],
        packed: packCodes(codes, values.size),
      }));
    return new PackedColumns(packTimes(this.#times), fields);
  }
}

export class PackedColumns {
  constructor(
    readonly times: string,
    private readonly fields: readonly {
      readonly field: ColumnField;
      readonly values: readonly Value[];
      readonly packed: Buffer;
    }[],
  ) {}

  /** The distinct values of a field, in their stored form. */
  valuesOf(field: ColumnField): readonly string[] {
    return (this.fields.find((one) => one.field === field)?.values ?? []) as readonly string[];
  }

  /** @returns null if the hour has too many values, or one without a number */
  textOf(field: ColumnField, numbers: ReadonlyMap<string, number>): string | null {
    const found = this.fields.find((one) => one.field === field);
    if (!found) return null;
    const ids: number[] = [];
    for (const value of found.values) {
      const id =
        typeof value === 'boolean' ? (value ? OUTCOME.succeeded : OUTCOME.failed) : numbers.get(value);
      if (id === undefined) return null;
      ids.push(id);
    }
    return columnText(ids, found.packed);
  }
}
