import type { Step } from '../../database/clients';
import { COLUMN_FIELDS, type ColumnField, kindOf, OWN_FIELDS } from '../../store/columns/column-fields';
import { numberValues } from '../../store/counts/fold';
import type { PackedColumns } from './hour-columns';

/**
 * Finds the numbers of values. If another transaction removes a value meanwhile, this one starts again, since its
 * columns would name a number that is gone or belongs to another value.
 */
const FIND = `
SELECT m.value, m.dim_id FROM audit_dim m
WHERE m.tenant_id = $1::int AND m.kind = $2::smallint AND m.value = ANY($3::text[]) FOR KEY SHARE`;

const NUMBER = new Map(
  OWN_FIELDS.map((field) => [
    field as ColumnField,
    numberValues(
      kindOf(field) as number,
      'SELECT o.value COLLATE "C" AS value FROM unnest($2::text[]) AS o(value)',
    ),
  ]),
);

/** The numbers of a tenant's values, found once in a transaction that has the tenant's turn of indexing. */
export class ValueNumbers {
  readonly #known = new Map<ColumnField, Map<string, number>>();

  constructor(
    private readonly step: Step,
    private readonly tenantId: number,
  ) {}

  of(field: ColumnField): ReadonlyMap<string, number> {
    return this.#known.get(field) ?? new Map();
  }

  /** Finds the numbers of all values of these hours. Values of fields that are not counted get their numbers here. */
  async learn(hours: readonly PackedColumns[]): Promise<void> {
    for (const field of COLUMN_FIELDS) {
      const kind = kindOf(field);
      if (kind === null) continue;
      const known = this.#known.get(field) ?? new Map<string, number>();
      this.#known.set(field, known);
      const isNew = (value: string) => !known.has(value);
      const values = [...new Set(hours.flatMap((hour) => hour.valuesOf(field)))].filter(isNew);
      if (values.length === 0) continue;
      await this.#find(kind, values, known);
      const number = NUMBER.get(field);
      const missing = values.filter(isNew);
      if (!number || missing.length === 0) continue;
      await this.step(number, [this.tenantId, missing]);
      await this.#find(kind, missing, known);
    }
  }

  async #find(kind: number, values: readonly string[], known: Map<string, number>): Promise<void> {
    const rows = await this.step(FIND, [this.tenantId, kind, values]);
    for (const { value, dim_id } of rows) known.set(value as string, dim_id as number);
  }
}
