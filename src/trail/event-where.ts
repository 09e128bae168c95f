import { Prisma } from '../database/clients';
import { toSnakeCase } from '../event/fields';
import { FILTERS, givenFilters } from '../event/filters';
import type { AuditEventFilter, TimeRange } from '../event/query';
import { recordIdFloor } from '../event/record-id';
import { needleOf, type SearchTerm } from '../event/search-terms';
import { tellingApart } from './alike-characters';
import { toStored } from './stored-text';

/** The conditions of a filter on `audit_event e`, all but the tenant's. */
export function whereOf(filter: AuditEventFilter): Prisma.Sql {
  const conditions = rangeConditions(filter);
  for (const name of givenFilters(filter)) {
    const [column, value] = [Prisma.raw(`e.${toSnakeCase(FILTERS[name].field)}`), filter[name]];
    conditions.push(Prisma.sql`${column} = ${typeof value === 'string' ? toStored(value) : value}`);
  }
  conditions.push(...filter.search.map(conditionOf));
  return all(conditions);
}

/** The conditions of a time range: on the record id, which begins with the time and chooses the partitions. */
export function whereInRange(range: TimeRange): Prisma.Sql {
  return all(rangeConditions(range));
}

function rangeConditions({ from, to }: TimeRange): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (from !== null) conditions.push(Prisma.sql`e.record_id >= ${recordIdFloor(from)}::uuid`);
  if (to !== null) conditions.push(Prisma.sql`e.record_id < ${recordIdFloor(to)}::uuid`);
  return conditions;
}

const all = (conditions: readonly Prisma.Sql[]) =>
  conditions.length === 0 ? Prisma.sql`true` : Prisma.join([...conditions], ' AND ');

/**
 * Plain comparisons, not LIKE: nothing in the text is a pattern. strpos compares from the end of what it looks for,
 * which of a whole word is a mark that stands in the text once a word: its time grows with the text alone. For parts of
 * words it may compare all of them at each character, and is replaced by the search in bytes, which does that by the
 * processor's widest steps: 512 characters against a text made to match most of them took a tenth to a hundredth.
 */
function conditionOf(term: SearchTerm): Prisma.Sql {
  const needle = toStored(needleOf(term));
  if (term.kind === 'word') return Prisma.sql`strpos(e.search_text, ${needle}) > 0`;
  const holds = Prisma.sql`position(convert_to(${needle}::text, 'UTF8') IN convert_to(e.search_text, 'UTF8')) > 0`;
  const exactly = tellingApart(term, needle);
  return exactly ? Prisma.sql`${holds} AND ${exactly}` : holds;
}
