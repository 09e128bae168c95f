import type { Row } from '../../database/clients';
import type { FieldTerm } from '../../event/expression/expression';
import { isNumberField } from '../../event/fields';
import type { HourSpan } from '../counts/dimensions';
import { fromStored } from '../rows/stored-text';
import type { Ask } from './ask';
import { COLUMN_FIELDS, type ColumnField, columnOf, kindOf, OUTCOME } from './column-fields';
import type { NumberedValue } from './evaluate';
import { NumberNames } from './number-names';
import { columnsStatement, hoursStatement, numberedValuesStatement, termValuesStatement } from './statements';
import { hoursOf, type StoredHour } from './stored-hours';

interface Listed {
  readonly span: HourSpan;
  readonly hours: Promise<readonly StoredHour[]>;
}

/** What is known of a tenant in the snapshot. */
interface Known {
  readonly listed: Listed[];
  /** Terms of all questions so far, and those whose values were asked for. */
  readonly terms: FieldTerm[];
  asked: {
    readonly terms: ReadonlySet<FieldTerm>;
    readonly values: Promise<readonly NumberedValue[]>;
  } | null;
  /** Values by kind and number. */
  readonly names: Map<number, Map<number, string>>;
  /** Numbers of numbers, as its questions gave them. */
  readonly numbers: NumberNames;
  /** All columns of hours. */
  readonly rows: Map<number, Row>;
}

/** What the questions of one snapshot read once, by tenant. */
export class ReadOnce {
  /** Whether an hour that a range cuts is read with all of its columns, because further questions need it. */
  hasSeveral = false;
  readonly #known = new Map<number, Known>();

  constructor(private readonly ask: Ask) {}

  /** The hours of a span that have events, in order. */
  async hours(tenantId: number, span: HourSpan): Promise<readonly StoredHour[]> {
    const { listed } = this.#of(tenantId);
    const wider = listed.find((one) => holds(one.span, span));
    if (wider) {
      const { from, to } = span;
      const all = await wider.hours;
      return all.filter(({ hour }) => (from === null || hour >= from) && (to === null || hour < to));
    }
    // Its plan is good for any span and tenant, and planning it takes half of its time.
    const hours = this.ask(hoursStatement(tenantId, span), 'once').then(hoursOf);
    listed.push({ span, hours });
    return hours;
  }

  /** Says which terms the values of a tenant are wanted for, if they are: those of several questions are asked for together. */
  expect(tenantId: number, terms: readonly FieldTerm[]): void {
    this.#of(tenantId).terms.push(...terms);
  }

  /** Numbers and values that terms may be about, and others. */
  async values(tenantId: number, terms: readonly FieldTerm[]): Promise<readonly NumberedValue[]> {
    if (terms.length === 0) return [];
    const known = this.#of(tenantId);
    if (!known.asked || !terms.every((term) => known.asked?.terms.has(term))) {
      const all = [...known.terms];
      known.asked = {
        terms: new Set(all),
        values: this.ask<NumberedValue>(termValuesStatement(tenantId, all)),
      };
    }
    return known.asked.values;
  }

  /** All columns of some hours. */
  async rows(tenantId: number, hours: readonly number[]): Promise<readonly Row[]> {
    const { rows } = this.#of(tenantId);
    const missing = hours.filter((hour) => !rows.has(hour));
    if (missing.length > 0)
      for (const row of await this.ask(columnsStatement(tenantId, missing, COLUMN_FIELDS, true)))
        rows.set(Number(row.hour), row);
    return hours.map((hour) => rows.get(hour)).filter((row) => row !== undefined);
  }

  /** Reads the values of some numbers, those of all fields together. */
  async learn(
    tenantId: number,
    wanted: readonly { readonly field: ColumnField; readonly ids: Iterable<number> }[],
  ): Promise<void> {
    const { names } = this.#of(tenantId);
    const missing = wanted.flatMap(({ field, ids }) => {
      const kind = kindOf(field);
      if (kind === null) return [];
      const own = names.get(kind);
      const unknown = [...new Set(ids)].filter((id) => !own?.has(id));
      return unknown.length > 0 ? [{ kind, ids: unknown }] : [];
    });
    if (missing.length === 0) return;
    for (const { kind, id, value } of await this.ask<NumberedValue>(
      numberedValuesStatement(tenantId, missing),
    )) {
      const own = names.get(Number(kind)) ?? new Map<number, string>();
      names.set(Number(kind), own.set(Number(id), fromStored(String(value))));
    }
  }

  /** Numbers of the numbers that the questions count by. */
  numbers(tenantId: number): NumberNames {
    return this.#of(tenantId).numbers;
  }

  /** The values of some numbers of a field. */
  async namesOf(
    tenantId: number,
    field: ColumnField,
    ids: Iterable<number>,
  ): Promise<(id: number) => string> {
    if (field === 'succeeded') return (id) => String(id === OUTCOME.succeeded);
    if (isNumberField(field)) return (id) => this.numbers(tenantId).textOf(id) ?? '';
    await this.learn(tenantId, [{ field, ids }]);
    const names = this.#of(tenantId).names.get(kindOf(field) as number);
    return (id) => {
      const name = names?.get(id);
      if (name === undefined) throw new Error(`no value has the number ${id} of ${columnOf(field)}`);
      return name;
    };
  }

  #of(tenantId: number): Known {
    const known = this.#known.get(tenantId) ?? {
      listed: [],
      terms: [],
      asked: null,
      names: new Map(),
      numbers: new NumberNames(),
      rows: new Map(),
    };
    this.#known.set(tenantId, known);
    return known;
  }
}

const holds = (outer: HourSpan, inner: HourSpan) =>
  (outer.from === null || (inner.from !== null && inner.from >= outer.from)) &&
  (outer.to === null || (inner.to !== null && inner.to <= outer.to));
