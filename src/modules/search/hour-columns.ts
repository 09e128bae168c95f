import { isNumberField } from '../../event/fields';
import { COLUMN_VALUES_MAX, columnText, packCodes, packNumbers, packTimes } from '../../store/columns/codec';
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
        ...(isNumberField(field) ? packedNumbers(values, codes) : packedValues(values, codes)),
      }));
    return new PackedColumns(packTimes(this.#times), fields);
  }
}

function packedValues(values: ReadonlyMap<Value, number>, codes: readonly number[]): Packed {
  return { values: [...values.keys()], numbers: null, packed: packCodes(codes, values.size) };
}

/** Numbers stand in the column itself, so they have no numbers of values. */
function packedNumbers(values: ReadonlyMap<Value, number>, codes: readonly number[]): Packed {
  const { sorted, text } = packNumbers([...values.keys()].map(String));
  const places = new Int32Array(sorted.length);
  for (const [place, value] of sorted.entries()) places[values.get(value) as number] = place;
  const packed = packCodes(
    codes.map((code) => places[code] as number),
    sorted.length,
  );
  return { values: [], numbers: text, packed };
}

interface Packed {
  /** The values that have numbers. */
  readonly values: readonly Value[];
  /** The text of the values of a number field; null: they are in `values`. */
  readonly numbers: string | null;
  readonly packed: Buffer;
}

export class PackedColumns {
  constructor(
    readonly times: string,
    private readonly fields: readonly (Packed & { readonly field: ColumnField })[],
  ) {}

  /** The distinct values of a field, in their stored form. */
  valuesOf(field: ColumnField): readonly string[] {
    return (this.fields.find((one) => one.field === field)?.values ?? []) as readonly string[];
  }

  /** @returns null if the hour has too many values, or one without a number */
  textOf(field: ColumnField, numbers: ReadonlyMap<string, number>): string | null {
    const found = this.fields.find((one) => one.field === field);
    if (!found) return null;
    if (found.numbers !== null) return columnText(found.numbers, found.packed);
    const ids: number[] = [];
    for (const value of found.values) {
      const id =
        typeof value === 'boolean' ? (value ? OUTCOME.succeeded : OUTCOME.failed) : numbers.get(value);
      if (id === undefined) return null;
      ids.push(id);
    }
    return columnText(ids.join(','), found.packed);
  }
}
