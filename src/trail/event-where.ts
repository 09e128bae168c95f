import { Prisma } from '../database/clients';
import { toSnakeCase } from '../event/fields';
import { FILTERS, givenFilters } from '../event/filters';
import type { AuditEventFilter, TimeRange } from '../event/query';
import { recordIdFloor } from '../event/record-id';
import { expressionSql } from './expression-sql';
import { conditionOf } from './search-sql';
import { toStored } from './stored-text';

/** The conditions of a filter on `audit_event e`, all but the tenant's. */
export function whereOf(filter: AuditEventFilter): Prisma.Sql {
  const conditions = rangeConditions(filter);
  for (const name of givenFilters(filter)) {
    const [column, value] = [Prisma.raw(`e.${toSnakeCase(FILTERS[name].field)}`), filter[name]];
    conditions.push(Prisma.sql`${column} = ${typeof value === 'string' ? toStored(value) : value}`);
  }
  conditions.push(...filter.search.map(conditionOf));
  if (filter.expression) conditions.push(expressionSql(filter.expression));
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
