import type { Cell } from '../../csv';
import { ACTION_NAMES } from '../../event/action-names';
import { DAY_MS, HOUR_MS } from '../../event/event-time';
import { type AnyField, isLifted } from '../../event/fields';
import { liftedValue } from '../../event/lifted';
import { msOfRecordId } from '../../event/record-id';
import { onOneLine } from '../../event/visible-text';
import { WorkTimes } from '../../event/working-hours';
import { type Stretch, stretchFor, type Zone } from '../../event/zone';
import { LIMITS } from '../../limits';
import type { PartOfEvent } from '../../store/rows/event-values';
import type { Section } from './declarations';
import type { Chart, Column, Table } from './document';

/** The value of a field of an event; null: absent. */
export function fieldValue(event: PartOfEvent, field: AnyField): string | boolean | null {
  if (isLifted(field)) return liftedValue(field, event);
  return field === 'actionId' ? event.actionId.trim() : (event[field] ?? null);
}

/** `serverPrincipalName` → `Server principal name`. */
export const titleOf = (field: string): string => {
  const words = field.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);
  return TITLES[field] ?? words.charAt(0).toUpperCase() + words.slice(1);
};
const TITLES: Readonly<Record<string, string>> = {
  eventTime: 'Time',
  actionId: 'Action',
  serverPrincipalName: 'Login',
  databasePrincipalName: 'User',
  serverInstanceName: 'Server',
  databaseName: 'Database',
  schemaName: 'Schema',
  objectName: 'Object',
  applicationName: 'Program',
  hostName: 'Client host',
  clientIp: 'Client address',
  recordId: 'Record',
};

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The values of an event in the order of some fields. */
type Values = readonly Cell[];

/** The fields of which sections read values. */
export const fieldsOf = (sections: readonly Section[]): readonly AnyField[] =>
  [
    ...new Set([
      ...(['recordId', 'eventTime', 'succeeded', 'serverInstanceName'] as const),
      ...sections.flatMap((section): (AnyField | undefined)[] =>
        'by' in section ? [...section.by, section.sum] : [],
      ),
    ]),
  ].filter((field) => field !== undefined);

/** Sums events up for the sections of a report, one event after the other. */
export class Tally {
  readonly #parts: readonly Part[];
  readonly #recordId: number;

  /** @param fields of the values of each event; they have those of `fieldsOf` */
  constructor(
    sections: readonly Section[],
    fields: readonly AnyField[],
    zone: Zone,
    period: Period,
    work: WorkTimes = new WorkTimes([], zone),
  ) {
    const place = (field: AnyField) => fields.indexOf(field);
    this.#recordId = place('recordId');
    this.#parts = sections.map((section) => partOf(section, place, zone, period, work));
  }

  add(values: Values): void {
    const ms = msOfRecordId(values[this.#recordId] as string);
    for (const part of this.#parts) part.add(values, ms);
  }

  sections(): readonly (Table | Chart)[] {
    return this.#parts.map((part) => part.result());
  }
}

interface Part {
  add(values: Values, ms: number): void;
  result(): Table | Chart;
}

/** The place of a field among the values of an event. */
type Place = (field: AnyField) => number;

function partOf(section: Section, place: Place, zone: Zone, period: Period, work: WorkTimes): Part {
  if ('by' in section) return new Groups(section, place, work);
  if (section.over === 'time') return new OverTime(section.title, place, zone, period);
  return new ByHour(section.title, place, zone);
}

interface Group {
  readonly values: readonly (string | null)[];
  succeeded: number;
  failed: number;
  sum: bigint | null;
  first: string;
  last: string;
}

const OTHERS = '(others)';

/** Events by the values of one or two fields, most frequent first. Beyond a number of groups, the rest is one group. */
class Groups implements Part {
  /** By the first value, then by the second one. */
  readonly #groups = new Map<string | null, Map<string | null, Group>>();
  #count = 0;
  #others: Group | null = null;
  readonly #at: {
    readonly first: number;
    readonly second: number | null;
    readonly sum: number | null;
    readonly time: number;
    readonly succeeded: number;
    readonly instance: number;
  };

  constructor(
    private readonly section: Extract<Section, { by: unknown }>,
    place: Place,
    private readonly work: WorkTimes,
  ) {
    const { by, sum } = section;
    const [first, second] = by;
    this.#at = {
      first: place(first),
      second: second === undefined ? null : place(second),
      sum: sum === undefined ? null : place(sum),
      time: place('eventTime'),
      succeeded: place('succeeded'),
      instance: place('serverInstanceName'),
    };
  }

  add(values: Values, ms: number): void {
    const at = this.#at;
    if (
      this.section.when === 'outside-working-hours' &&
      !this.work.isOutside(ms, textOf(values[at.instance]))
    )
      return;
    const time = values[at.time] as string;
    const group = this.#group(
      textOf(values[at.first]),
      at.second === null ? null : textOf(values[at.second]),
      time,
    );
    if (values[at.succeeded] === true) group.succeeded++;
    else group.failed++;
    if (time < group.first) group.first = time;
    if (time > group.last) group.last = time;
    const number = at.sum === null ? null : textOf(values[at.sum]);
    if (number !== null) group.sum = (group.sum ?? 0n) + BigInt(number);
  }

  #group(first: string | null, second: string | null, time: string): Group {
    const known = this.#groups.get(first)?.get(second);
    if (known) return known;
    if (this.#count >= LIMITS.reportGroupsMax) {
      this.#others ??= newGroup([OTHERS, OTHERS], time);
      return this.#others;
    }
    const group = newGroup([first, second], time);
    const same = this.#groups.get(first) ?? new Map<string | null, Group>();
    this.#groups.set(first, same.set(second, group));
    this.#count++;
    return group;
  }

  result(): Table {
    const { by, sum, when } = this.section;
    const title = when ? `${this.section.title} (${onOneLine(this.work.text)})` : this.section.title;
    const groups = [...this.#groups.values()].flatMap((same) => [...same.values()]);
    const sorted = [...groups, ...(this.#others ? [this.#others] : [])].sort(
      (a, b) => eventsOf(b) - eventsOf(a) || (JSON.stringify(a.values) < JSON.stringify(b.values) ? -1 : 1),
    );
    const fields = by.flatMap((field) => (field === undefined ? [] : [field]));
    const number = (name: string, text: string): Column => ({ name, title: text, kind: 'number' });
    const time = (name: string, text: string): Column => ({ name, title: text, kind: 'time' });
    return {
      kind: 'table',
      title,
      columns: [
        ...fields.map((name): Column => ({ name, title: titleOf(name), kind: 'text' })),
        ...[number('events', 'Events'), number('succeeded', 'Succeeded'), number('failed', 'Failed')],
        ...(sum ? [number('sum', titleOf(sum))] : []),
        ...[time('first', 'First'), time('last', 'Last')],
      ],
      rows: sorted
        .slice(0, LIMITS.reportGroupsShown)
        .map((group): readonly Cell[] => [
          ...group.values.slice(0, fields.length),
          ...[eventsOf(group), group.succeeded, group.failed],
          ...(sum ? [group.sum === null ? null : String(group.sum)] : []),
          ...[group.first, group.last],
        ]),
      more: Math.max(0, sorted.length - LIMITS.reportGroupsShown),
    };
  }
}

const newGroup = (values: readonly (string | null)[], time: string): Group => ({
  values,
  succeeded: 0,
  failed: 0,
  sum: null,
  first: time,
  last: time,
});
const eventsOf = ({ succeeded, failed }: Group) => succeeded + failed;
const textOf = (value: Cell | undefined): string | null =>
  typeof value === 'string' ? value : value === null || value === undefined ? null : String(value);

/** The name of an action beside its code, where it is known. */
export const actionText = (code: string): string =>
  ACTION_NAMES[code] ? `${code} (${ACTION_NAMES[code].toLowerCase()})` : code;

interface Outcomes {
  succeeded: number;
  failed: number;
}
const count = (to: Outcomes, succeeded: Cell | undefined) => {
  if (succeeded === true) to.succeeded++;
  else to.failed++;
};

class OverTime implements Part {
  readonly #unit: Stretch;
  readonly #counted = new Map<string, Outcomes>();
  readonly #succeeded: number;

  constructor(
    private readonly title: string,
    place: Place,
    private readonly zone: Zone,
    { fromMs, toMs }: Period,
  ) {
    this.#succeeded = place('succeeded');
    this.#unit = stretchFor(toMs - fromMs);
    // Empty stretches show too. Steps of an hour meet every local day, however long it is; steps of a day every month.
    for (let ms = fromMs; ms < toMs; ms += this.#unit === 'month' ? DAY_MS : HOUR_MS) this.#at(ms);
    if (fromMs < toMs) this.#at(toMs - 1);
  }

  add(values: Values, ms: number): void {
    count(this.#at(ms), values[this.#succeeded]);
  }

  #at(ms: number): Outcomes {
    const label = this.zone.stretchOf(ms, this.#unit);
    const known = this.#counted.get(label);
    if (known) return known;
    const outcomes = { succeeded: 0, failed: 0 };
    this.#counted.set(label, outcomes);
    return outcomes;
  }

  result(): Chart {
    const bars = [...this.#counted]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([label, outcomes]) => ({ label, ...outcomes }));
    return { kind: 'chart', title: this.title, bars };
  }
}

class ByHour implements Part {
  readonly #hours: readonly Outcomes[] = Array.from({ length: 24 }, () => ({ succeeded: 0, failed: 0 }));

  readonly #succeeded: number;

  constructor(
    private readonly title: string,
    place: Place,
    private readonly zone: Zone,
  ) {
    this.#succeeded = place('succeeded');
  }

  add(values: Values, ms: number): void {
    const hour = this.#hours[this.zone.hourOf(ms)];
    if (hour) count(hour, values[this.#succeeded]);
  }

  result(): Chart {
    const bars = this.#hours.map((outcomes, hour) => ({
      label: String(hour).padStart(2, '0'),
      ...outcomes,
    }));
    return { kind: 'chart', title: this.title, bars };
  }
}
