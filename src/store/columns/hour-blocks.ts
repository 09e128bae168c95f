import type { Planning, Prisma, Row } from '../../database/clients';
import { Pauses } from '../../deadline';
import { DomainError } from '../../errors';
import { isNumberField } from '../../event/fields';
import { LIMITS } from '../../limits';
import { type Bits, placesOf } from './bits';
import { type Column, type NumberColumn, readColumn, readNumberColumn, readTimes } from './codec';
import { type ColumnField, columnOf } from './column-fields';
import type { HourOfColumns } from './evaluate';
import type { NumberNames } from './number-names';

/** Runs a statement in one snapshot. @param planning not given: `each` */
export type Ask = <R extends object = Row>(
  statement: Prisma.Sql,
  planning?: Planning,
) => Promise<readonly R[]>;

/** The events of an hour that pass a filter. */
export class Block {
  #places: Uint32Array | undefined;

  constructor(
    readonly columns: HourOfColumns,
    readonly count: number,
    /** The bits of these events among those of the hour, with none set behind the last event. Null: all events. */
    readonly bits: Bits | null,
  ) {}

  get hour(): number {
    return this.columns.hour;
  }

  /** The places of these events among those of the hour, in order. Null: all events. */
  get places(): Uint32Array | null {
    if (!this.bits) return null;
    this.#places ??= placesOf(this.bits, this.count);
    return this.#places;
  }
}

/** The data of each event that the blocks must have besides those that the filter needs. */
export interface Wanted {
  readonly fields: readonly ColumnField[];
  readonly hasTimes: boolean;
}

/** Interrupts the work for other requests, and ends work that takes too long. */
export class Clock extends Pauses {
  readonly #start = performance.now();

  /** @throws DomainError `service_unavailable` */
  override async take(): Promise<void> {
    if (performance.now() - this.#start > LIMITS.databaseStatementMs)
      throw new DomainError('service_unavailable', TOO_LONG);
    await super.take();
  }
}

const TOO_LONG = {
  // The machine may be busy with other work: the time says nothing about the number of events.
  public: 'The question took too long to answer. Narrow the time range, or ask again shortly.',
  retryAfterSeconds: 5,
};

export class ReadHour implements HourOfColumns {
  readonly #read = new Map<ColumnField, Column>();
  readonly #numbers = new Map<ColumnField, NumberColumn>();
  #times: Int32Array | null = null;
  #row: Readonly<Record<string, unknown>>;

  constructor(
    readonly hour: number,
    readonly n: number,
    row: Readonly<Record<string, unknown>>,
    private readonly names: NumberNames,
  ) {
    this.#row = row;
  }

  add(row: Readonly<Record<string, unknown>>): void {
    this.#row = { ...this.#row, ...row };
  }

  has(field: ColumnField): boolean {
    return typeof this.#row[columnOf(field)] === 'string';
  }

  get times(): Int32Array | null {
    if (typeof this.#row.times === 'string') this.#times ??= readTimes(this.#row.times, this.n);
    return this.#times;
  }

  column(field: ColumnField): Column | null {
    const known = this.#read.get(field);
    const text = this.#row[columnOf(field)];
    if (known || typeof text !== 'string') return known ?? null;
    const column = isNumberField(field) ? this.#named(field) : readColumn(text, this.n);
    if (column) this.#read.set(field, column);
    return column;
  }

  #named(field: ColumnField): Column | null {
    const numbers = this.numbers(field);
    return numbers && { ...numbers, ids: Int32Array.from(numbers.values, (value) => this.names.idOf(value)) };
  }

  numbers(field: ColumnField): NumberColumn | null {
    const known = this.#numbers.get(field);
    const text = this.#row[columnOf(field)];
    if (known || typeof text !== 'string') return known ?? null;
    const column = readNumberColumn(text, this.n);
    this.#numbers.set(field, column);
    return column;
  }
}
