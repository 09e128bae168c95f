import type { Planning, Prisma, Row, ServiceDoor, Step } from '../../database/clients';
import type { TenantLookup } from '../../database/each-tenant';
import { isFailure } from '../../database/failure';
import { DomainError, TooManyValues } from '../../errors';
import { HOUR_MS } from '../../event/event-time';
import { equals, type FieldTerm, termsOf, type WordTerm } from '../../event/expression/expression';
import { COLUMN_OF, isNumberField } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import type { TenantSet } from '../../tenant-set';
import { type SealedWeeks, sealedIn } from '../archive/archive';
import type { Stretch } from '../archive/questions';
import { floorOfWeek, hoursOfWeek, weekOfMs } from '../rows/partitions';
import { fromStored, toStored } from '../rows/stored-text';
import type { Ask } from './ask';
import { type ColumnField, type GroupField, isColumnField, OUTCOME } from './column-fields';
import { wholeExpression } from './evaluate';
import { type Block, Clock } from './hour-blocks';
import { COUNTS, gather } from './kept-days';
import { ReadOnce } from './read-once';
import { eventGroupsStatement, termValuesStatement } from './statements';
import { addAt, addTo, type Counting, Sums, type Tally } from './tally';
import { TenantCounts } from './tenant-counts';
import { TenantHours } from './tenant-hours';
import { walk } from './walk';

/** Counts by columns, in a snapshot. In hours that the columns do not answer, the events are read. */
export class ColumnCounter {
  readonly #open = new Map<number, TenantHours>();

  constructor(
    readonly ask: Ask,
    readonly tenants: TenantSet,
    readonly filter: AuditEventFilter,
    readonly lookup: TenantLookup,
    /** The weeks whose events lie in files; null: there are none. */
    readonly sealed: SealedWeeks | null = null,
    readonly clock = new Clock(),
    /** What its questions read once. */
    readonly once = new ReadOnce(ask),
  ) {}

  /** A counter of the same question for some of the tenants. */
  of(tenants: TenantSet): ColumnCounter {
    return this.#like(tenants, this.filter);
  }

  /** A counter of another question in the same snapshot. */
  with(filter: AuditEventFilter): ColumnCounter {
    return this.#like(this.tenants, filter);
  }

  #like(tenants: TenantSet, filter: AuditEventFilter): ColumnCounter {
    const { ask, lookup, sealed, clock, once } = this;
    return new ColumnCounter(ask, tenants, filter, lookup, sealed, clock, once);
  }

  async tenantHours(tenantId: number): Promise<TenantHours> {
    const known = this.#open.get(tenantId);
    if (known) return known;
    const { ask, once, clock, lookup, filter } = this;
    const opened = await TenantHours.open({ ask, once, clock, of: lookup }, tenantId, filter);
    this.#open.set(tenantId, opened);
    return opened;
  }

  /** The number of a value; null: the tenant has no such value. */
  async numberOf(tenantId: number, field: ColumnField, text: string): Promise<number | null> {
    if (field === 'succeeded') return text === 'true' ? OUTCOME.succeeded : OUTCOME.failed;
    const term = equals(field, text);
    const [row] = await this.ask(termValuesStatement(tenantId, [term]));
    return row ? Number(row.id) : null;
  }

  async #numbersOf(tenantId: number, { ofValues }: Counting): Promise<ReadonlyMap<number, string>> {
    const numbers = new Map<number, string>();
    for (const text of ofValues?.values ?? []) {
      const number = await this.numberOf(tenantId, ofValues?.field as ColumnField, text);
      if (number !== null) numbers.set(number, text);
    }
    return numbers;
  }

  async count(asked: Counting): Promise<Tally> {
    const sums = new Sums();
    const read = new Map<number, ReadonlySet<number>>();
    for (const tenantId of this.tenants) {
      const hours = await this.tenantHours(tenantId);
      const counts = new TenantCounts(tenantId, asked, sums, await this.#numbersOf(tenantId, asked));
      const wanted = wantedOf(counts, asked);
      const unread = isByDay(asked)
        ? await gather(hours, {
            name: JSON.stringify(asked),
            wanted,
            kept: COUNTS,
            open: () => new TenantCounts(tenantId, asked, new Sums(), new Map()),
            take: (packed) => counts.take(packed),
          })
        : await hours.visit(wanted, (block) => counts.add(block));
      await counts.name(this.once);
      read.set(tenantId, new Set(unread));
      await this.#read(tenantId, unread, asked, sums);
    }
    return { ...sums, read };
  }

  /**
   * Counts for several questions about the same range and tenants, in one walk through the columns of each tenant. Nothing
   * of them is kept, because they are hardly asked twice.
   */
  static async together(
    parts: readonly { readonly counter: ColumnCounter; readonly asked: Counting }[],
  ): Promise<readonly Tally[]> {
    const counting = parts.map((part) => ({
      ...part,
      sums: new Sums(),
      read: new Map<number, ReadonlySet<number>>(),
    }));
    for (const tenantId of counting[0]?.counter.tenants ?? []) {
      const visits = [];
      for (const { counter, asked, sums } of counting) {
        const counts = new TenantCounts(tenantId, asked, sums, await counter.#numbersOf(tenantId, asked));
        const hours = await counter.tenantHours(tenantId);
        visits.push({
          counts,
          hours,
          wanted: wantedOf(counts, asked),
          visit: (block: Block) => counts.add(block),
        });
      }
      const unread = await walk(visits);
      for (const [at, { counter, asked, sums, read }] of counting.entries()) {
        await visits[at]?.counts.name(counter.once);
        read.set(tenantId, new Set(unread[at]));
        await counter.#read(tenantId, unread[at] ?? [], asked, sums);
      }
    }
    return counting.map(({ sums, read }) => ({ ...sums, read }));
  }

  /** Reads and counts the events of some hours by themselves. @throws DomainError */
  async readTally(tenantId: number, hours: readonly number[], asked: Counting): Promise<Sums> {
    const sums = new Sums();
    await this.#read(tenantId, hours, asked, sums);
    return sums;
  }

  /** Reads and counts the events of some hours, as `eventGroupsStatement` says. @throws DomainError */
  async readGroups(
    tenantId: number,
    hours: readonly number[],
    by: Parameters<typeof eventGroupsStatement>[3],
  ): Promise<readonly Row[]> {
    if (hours.length === 0) return [];
    const inFiles = await this.#inFiles(tenantId, hours, { groups: by }, (sealed, filter, stretches) =>
      sealed.groups(tenantId, filter, stretches, by),
    );
    return [...(await this.#groupsOfRows(tenantId, hours, by)), ...inFiles];
  }

  /** Asks the files of some hours. Answers of whole weeks are known from the second time on. */
  async #inFiles<R extends object>(
    tenantId: number,
    hours: readonly number[],
    asked: Readonly<Record<string, unknown>>,
    ask: (
      sealed: SealedWeeks,
      filter: AuditEventFilter,
      stretches: readonly Stretch[],
    ) => Promise<readonly R[]>,
  ): Promise<readonly R[]> {
    const { filter, sealed } = this;
    if (!sealed) return [];
    const tenantHours = await this.tenantHours(tenantId);
    const wanted = new Set(hours);
    const files = (await sealed.list(tenantId)).filter(({ week }) => {
      const [first, end] = hoursOfWeek(week);
      return tenantHours.isWhole(first, end, wanted);
    });
    const weeks = new Set(files.map(({ week }) => week));
    const rest = hours.filter((hour) => !weeks.has(weekOfMs(hour * HOUR_MS)));
    const inRest = rest.length === 0 ? [] : await ask(sealed, filter, tenantHours.stretchesOf(rest));
    if (files.length === 0) return inRest;
    const hashes = files.map(({ sha256 }) => sha256);
    const known = await sealed.counts.of(tenantId, hashes, { filter, ...asked }, () =>
      ask(
        sealed,
        { ...filter, from: null, to: null },
        files.map(({ week }) => ({ from: floorOfWeek(week), to: floorOfWeek(week + 1) })),
      ),
    );
    return [...known, ...inRest];
  }

  async #groupsOfRows(
    tenantId: number,
    hours: readonly number[],
    by: Parameters<typeof eventGroupsStatement>[3],
  ): Promise<readonly Row[]> {
    const { filter, sealed } = this;
    const withRows = sealed ? await sealed.hoursWithRows(tenantId, hours) : hours;
    if (withRows.length === 0) return [];
    return this.ask(eventGroupsStatement(tenantId, withRows, filter, by)).catch(async (error: unknown) => {
      if (!isFailure(error, 'query_canceled')) throw error;
      throw tooMany((await this.tenantHours(tenantId)).eventsIn(withRows), filter, error);
    });
  }

  async #read(tenantId: number, hours: readonly number[], asked: Counting, sums: Sums) {
    if (hours.length === 0) return;
    const { windowMs, fields, ofValues } = asked;
    await this.#readFiles(tenantId, hours, asked, sums);
    const all = ofValues && !fields.includes(ofValues.field) ? [...fields, ofValues.field] : fields;
    for (const row of await this.#groupsOfRows(tenantId, hours, { windowMs, fields: all })) {
      const count = { n: Number(row.n), ok: Number(row.ok) };
      const valueAt = (field: GroupField) => fromStored(String(row[COLUMN_OF[field]]));
      addTo(sums.total, count);
      if (windowMs !== null) addAt(sums.windows, Number(row.w), count);
      for (const field of fields) addAt(sums.valuesOf(field), valueAt(field), count);
      if (ofValues?.values.has(valueAt(ofValues.field)))
        addAt(sums.windowsOf(valueAt(ofValues.field)), Number(row.w), count);
    }
  }

  async #readFiles(tenantId: number, hours: readonly number[], asked: Counting, sums: Sums) {
    const { windowMs, fields, ofValues } = asked;
    const texts = [...(ofValues?.values ?? [])].map(toStored);
    const by = {
      windowMs,
      fields,
      ofValues: ofValues && texts.length > 0 ? { field: ofValues.field, texts } : null,
    };
    const rows = await this.#inFiles(tenantId, hours, { tally: by }, (sealed, filter, stretches) =>
      sealed.tally(tenantId, filter, stretches, by),
    );
    if (rows.length > LIMITS.valuesOfFilesMax) throw new TooManyValues(TOO_MANY);
    for (const row of rows) {
      const { w, n, ok } = row;
      const count = { n, ok };
      if (row.by === 'window') {
        addTo(sums.total, count);
        if (windowMs !== null) addAt(sums.windows, w, count);
      } else if (row.by === 'value') addAt(sums.windowsOf(fromStored(row.text)), w, count);
      else addAt(sums.valuesOf(fields[row.by] as GroupField), fromStored(row.text), count);
    }
  }
}

const wantedOf = ({ columns }: TenantCounts, { windowMs }: Counting) => ({
  fields: columns,
  hasTimes: windowMs !== null && windowMs < HOUR_MS,
});

/** Whether counts of days can be kept. Numbers have no numbers of values that a later question knows. */
const isByDay = ({ fields, ofValues }: Counting) => !ofValues && !fields.some(isNumberField);

const TOO_MANY = `There are more than ${LIMITS.valuesOfFilesMax} different values: narrow the time range or the filter, or count by another field.`;

const TERMS_SHOWN = 3;
const TERM_CHARS_SHOWN = 40;

/** The error names the expensive part: terms that no column answers, or hours without columns. */
function tooMany(events: number, filter: AuditEventFilter, cause: unknown): DomainError {
  const expression = wholeExpression(filter);
  const read = (expression ? termsOf(expression) : []).filter((term) => !isOfColumns(term));
  const shown = read.slice(0, TERMS_SHOWN).map((term) => {
    const text = term.kind === 'words' ? term.term.text : term.text;
    return JSON.stringify(text.slice(0, TERM_CHARS_SHOWN));
  });
  const reason =
    shown.length > 0
      ? `${shown.join(', ')} can only be looked for in the events themselves`
      : 'these hours are not in columns yet';
  return new DomainError('service_unavailable', {
    public: `The question took too long to answer. The expensive part: ${events} events have to be read, since ${reason}. Narrow the time range, or add a condition on another field.`,
    retryAfterSeconds: 5,
    cause,
  });
}

const isOfColumns = (term: FieldTerm | WordTerm) =>
  term.kind === 'field' && (term.field === 'tenantId' || isColumnField(term.field));

/** Asks by the steps of a transaction. */
export const askBy =
  (step: Step): Ask =>
  <R extends object>({ text, values }: Prisma.Sql, planning?: Planning) =>
    step<R>(text, values, planning);

/** Runs a question by columns in one snapshot. */
export function inSnapshot<T>(
  service: ServiceDoor,
  tenants: TenantSet,
  filter: AuditEventFilter,
  work: (counter: ColumnCounter) => Promise<T>,
): Promise<T> {
  return service.snapshot(tenants, (step) => {
    const ask = askBy(step);
    return work(new ColumnCounter(ask, tenants, filter, service.each(tenants), sealedIn(service, ask)));
  });
}
