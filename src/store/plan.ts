import type { OwnerDoor, Planning, ServiceDoor } from '../database/clients';
import { DAY_MS, HOUR_MS, TICKS_PER_MS } from '../event/event-time';
import type { AnyField } from '../event/fields';
import { COUNTED_FIELDS, FILTER_SPECS } from '../event/filters';
import { type AuditEventFilter, givenFilters, isAll, type TimeRange } from '../event/query';
import { countedOf, isByInstance, isHourly } from './counts/dimensions';

/**
 * Where the answer to a question comes from.
 * counts   numbers of events by hour and day; events are read only at the edges of the range
 * words    the search index names the hours that hold the words, and their events are read
 * columns  the values of each field in the hours of the range, without the rows
 * events   every event of the range
 */
export type Access = 'counts' | 'words' | 'columns' | 'events';

/** A question about stored events, with all that decides where its answer comes from. */
export type Question = {
  readonly filter: AuditEventFilter;
  /** Whether weeks of the range may lie in files. */
  readonly reachesFiles?: boolean;
} & (
  | { readonly kind: 'page' | 'summary' | 'groups' | 'export' }
  | { readonly kind: 'histogram'; readonly widthMs: number }
  | { readonly kind: 'facets'; readonly fields: readonly AnyField[] }
);

export interface Plan {
  readonly by: Access;
  /** Whether weeks of the range may lie in files. Times that no file reaches are then planned by themselves. */
  readonly reachesFiles: boolean;
  /** Whether events may have to be read, which takes long: the question waits for its caller's share. */
  readonly isLong: boolean;
  /** When PostgreSQL plans the statements. */
  readonly planning: Planning;
  /** Why, in words. */
  readonly because: string;
}

/**
 * The only place that decides what is read for an answer. Readers switch on `by`.
 */
export function planOf(question: Question): Plan {
  const [by, because] = accessOf(question);
  const reachesFiles = question.reachesFiles === true;
  return { by, reachesFiles, isLong: isLong(question, by), planning: planningOf(question), because };
}

function accessOf(question: Question): readonly [Access, string] {
  const { kind, filter } = question;
  if (question.reachesFiles) return ['columns', 'weeks of the range may lie in files'];
  const uncounted = uncountedOf(filter);
  if (kind === 'summary')
    return isAll(filter)
      ? ['counts', 'every event of the range is wanted']
      : ['columns', 'a summary of some events wants the values of two fields'];
  if (kind === 'groups') return ['columns', 'groups have the times of their first and last event'];
  // Shorter windows than an hour have no counts, and the index names whole hours.
  if (uncounted) return ['columns', uncounted];
  switch (kind) {
    case 'facets': {
      const other = question.fields.find((field) => !isCountedField(field));
      if (other) return ['columns', `counts do not know the field ${other}`];
      break;
    }
    case 'histogram':
      if (question.widthMs < HOUR_MS) return ['events', 'counts are by the hour, and the bars are narrower'];
      if (filter.search.length === 0 && !isCountedBy(filter, question.widthMs))
        return ['events', 'counts of two values together are by the day, and the bars are narrower'];
      break;
    default:
  }
  return filter.search.length > 0
    ? ['words', 'the search index knows in which hours the words are']
    : ['counts', 'counts know every condition'];
}

/** The condition that neither counts nor the search index know, in words; null: there is none. */
function uncountedOf(filter: AuditEventFilter): string | null {
  if (filter.expression !== null) return 'the expression holds more than values and words joined by AND';
  const name = givenFilters(filter).find((each) => FILTER_SPECS[each].countedBy === null);
  return name ? `counts do not know the filter ${name}` : null;
}

/** Whether counts give bars of this width without reading events, except at the edges of the range. */
const isCountedBy = (filter: AuditEventFilter, widthMs: number): boolean =>
  widthMs % DAY_MS === 0 || (widthMs % HOUR_MS === 0 && isHourly(countedOf(filter, 'recordId')));

const isCountedField = (field: AnyField): boolean => (COUNTED_FIELDS as readonly AnyField[]).includes(field);

function isLong({ kind, filter }: Question, by: Access): boolean {
  // The questions of the page and of exports are asked less often than lists, and each may read much.
  if (kind === 'histogram' || kind === 'facets' || kind === 'export' || by !== 'counts') return true;
  // Days that are not counted by instance yet are read.
  return isByInstance(countedOf(filter, 'recordId'));
}

/**
 * Of a word or an expression, PostgreSQL cannot tell how many events hold it, and of a time range that it does not know
 * it expects few. A plan for any values then reads every event of the range, which takes thirty times as long. A page of
 * words of all time knows no range, and planning it takes a third of its time. Counts and lookups by index read little
 * under any plan, and planning them takes half of their time (`npm run bench -- repeats`).
 */
function planningOf({ kind, filter }: Question): Planning {
  const { search, expression, from, to } = filter;
  if (expression !== null) return 'each';
  return search.length === 0 || (kind === 'page' && from === null && to === null) ? 'once' : 'each';
}

/** Later events are in no sealed week, even where clocks differ by a day. */
const NEVER_SEALED_MS = DAY_MS;

/** The tenants whose weeks may lie in files, as an instance knows them (`archive/archived-tenants.ts`). */
export interface KnownFiles {
  readonly tenants: ReadonlySet<number>;
  /** Until then no other tenant has a sealed week, by a clock that never goes back. */
  readonly isSureUntilMs: number;
  /** The later of the clocks of instance and database. */
  readonly wallMs: () => number;
  /** Looks again. */
  read(): Promise<void>;
}

const filesBehind = new WeakMap<ServiceDoor | OwnerDoor, KnownFiles>();

/** Readers behind this door answer from files too. */
export const tellOfFiles = (door: ServiceDoor | OwnerDoor, known: KnownFiles) =>
  void filesBehind.set(door, known);

/** From when on events are in no sealed week. */
export const unsealedFromMs = (door: ServiceDoor | OwnerDoor): number =>
  (filesBehind.get(door)?.wallMs() ?? Date.now()) - NEVER_SEALED_MS;

/**
 * Answers from rows alone, or across rows and files where weeks of the range may lie in files. Of a tenant that was not
 * known to have files, rows are read first and the list of tenants afterwards (`ArchivedTenants`).
 */
export async function byTier<T>(
  door: ServiceDoor | OwnerDoor,
  { tenants, range }: { readonly tenants: readonly number[]; readonly range: Pick<TimeRange, 'from'> },
  rows: () => Promise<T>,
  across: () => Promise<T>,
): Promise<T> {
  const known = filesBehind.get(door);
  if (!known) return rows();
  const { from } = range;
  if (from !== null && from >= BigInt(Math.ceil(unsealedFromMs(door))) * TICKS_PER_MS) return rows();
  const hasSome = () => tenants.some((tenantId) => known.tenants.has(tenantId));
  if (hasSome()) return across();
  const answer = await rows();
  if (performance.now() >= known.isSureUntilMs) await known.read();
  return hasSome() ? across() : answer;
}
