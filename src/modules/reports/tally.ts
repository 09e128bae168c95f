import type { Cell } from '../../csv';
import { ACTION_NAMES } from '../../event/action-names';
import { type AnyField, isLifted } from '../../event/fields';
import { liftedValue } from '../../event/lifted';
import { msOfRecordId } from '../../event/record-id';
import { onOneLine } from '../../event/visible-text';
import { WorkTimes } from '../../event/working-hours';
import { type Stretch, stretchFor, type Zone } from '../../event/zone';
import { LIMITS } from '../../limits';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { EventReport, Section } from './declarations';
import type { Chart, Column, Table } from './document';

/** The value of a field of an event; null: absent. */
export function fieldValue(event: StoredAuditEvent, field: AnyField): string | boolean | null {
  if (isLifted(field)) return liftedValue(field, event);
  const value = event[field];
  return field === 'actionId' ? String(value).trim() : value;
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

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Sums events up for the sections of a report, one event after the other. */
export class Tally {
  readonly #parts: readonly Part[];

  constructor(
    { sections }: EventReport,
    zone: Zone,
    period: Period,
    work: WorkTimes = new WorkTimes([], zone),
  ) {
    this.#parts = sections.map((section) => partOf(section, zone, period, work));
  }

  add(event: StoredAuditEvent): void {
    const ms = msOfRecordId(event.recordId);
    for (const part of this.#parts) part.add(event, ms);
  }

  sections(): readonly (Table | Chart)[] {
    return this.#parts.map((part) => part.result());
  }
}

interface Part {
  add(event: StoredAuditEvent, ms: number): void;
  result(): Table | Chart;
}

function partOf(section: Section, zone: Zone, period: Period, work: WorkTimes): Part {
  if ('by' in section) return new Groups(section, work);
  if (section.over === 'time') return new OverTime(section.title, zone, period);
  return new ByHour(section.title, zone);
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

  constructor(
    private readonly section: Extract<Section, { by: unknown }>,
    private readonly work: WorkTimes,
  ) {}

  add(event: StoredAuditEvent, ms: number): void {
    const { by, sum, when } = this.section;
    if (when === 'outside-working-hours' && !this.work.isOutside(ms, event.serverInstanceName)) return;
    const [first, second] = by;
    const group = this.#group(
      textOf(fieldValue(event, first)),
      second === undefined ? null : textOf(fieldValue(event, second)),
      event.eventTime,
    );
    if (event.succeeded) group.succeeded++;
    else group.failed++;
    if (event.eventTime < group.first) group.first = event.eventTime;
    if (event.eventTime > group.last) group.last = event.eventTime;
    const number = sum ? liftedValue(sum, event) : null;
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
const textOf = (value: string | boolean | null) => (typeof value === 'boolean' ? String(value) : value);

/** The name of an action beside its code, where it is known. */
export const actionText = (code: string): string =>
  ACTION_NAMES[code] ? `${code} (${ACTION_NAMES[code].toLowerCase()})` : code;

interface Outcomes {
  succeeded: number;
  failed: number;
}
const count = (to: Outcomes, { succeeded }: StoredAuditEvent) => {
  if (succeeded) to.succeeded++;
  else to.failed++;
};

class OverTime implements Part {
  readonly #unit: Stretch;
  readonly #counted = new Map<string, Outcomes>();

  constructor(
    private readonly title: string,
    private readonly zone: Zone,
    { fromMs, toMs }: Period,
  ) {
    this.#unit = stretchFor(toMs - fromMs);
    if (this.#unit === 'month') return;
    // Empty stretches show too. Steps of an hour meet every local day, however long it is.
    for (let ms = fromMs; ms < toMs; ms += 3_600_000) this.#at(ms);
  }

  add(event: StoredAuditEvent, ms: number): void {
    count(this.#at(ms), event);
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

  constructor(
    private readonly title: string,
    private readonly zone: Zone,
  ) {}

  add(event: StoredAuditEvent, ms: number): void {
    const hour = this.#hours[this.zone.hourOf(ms)];
    if (hour) count(hour, event);
  }

  result(): Chart {
    const bars = this.#hours.map((outcomes, hour) => ({
      label: String(hour).padStart(2, '0'),
      ...outcomes,
    }));
    return { kind: 'chart', title: this.title, bars };
  }
}
