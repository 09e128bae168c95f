import { Prisma } from '../../database/clients';
import { toSnakeCase } from '../../event/fields';
import type { SortField } from '../../event/parameters';
import type { AuditEventFilter } from '../../event/query';
import { toStored } from '../stored-text';

/** A counted column: its number in `audit_dim`, its column in `audit_count`, its column in events and deltas. */
export interface Dimension {
  readonly kind: number;
  readonly key: 'a' | 'd' | 'p';
  readonly column: string;
}

const dimension = (kind: number, key: Dimension['key'], field: string): Dimension => ({
  kind,
  key,
  column: toSnakeCase(field),
});
const ACTION = dimension(1, 'a', 'actionId');
const DATABASE = dimension(2, 'd', 'databaseName');
const PRINCIPAL = dimension(3, 'p', 'serverPrincipalName');
export const DIMENSIONS = [ACTION, DATABASE, PRINCIPAL] as const;

/** What is counted: the filtered dimensions, and by what the events are put in order before their time. */
export interface Counted {
  readonly filters: readonly { readonly dimension: Dimension; readonly value: string }[];
  readonly group: Dimension | 'outcome' | null;
  /** Which outcome alone is counted: every count has both. */
  readonly outcome: boolean | null;
}

const GROUPS: Readonly<Record<SortField, Counted['group']>> = {
  recordId: null,
  actionId: ACTION,
  databaseName: DATABASE,
  serverPrincipalName: PRINCIPAL,
  succeeded: 'outcome',
};

export { isCountable } from '../../event/query';

export function countedOf(filter: AuditEventFilter, sort: SortField): Counted {
  const given = [
    { dimension: ACTION, value: filter.actionId },
    { dimension: DATABASE, value: filter.databaseName },
    { dimension: PRINCIPAL, value: filter.principalName },
  ];
  const filters = given.flatMap(({ dimension, value }) =>
    value === null ? [] : [{ dimension, value: toStored(value) }],
  );
  const group = GROUPS[sort];
  // Ordering by a column that has one value left is ordering by time.
  const isFixed =
    group === 'outcome' ? filter.succeeded !== null : filters.some(({ dimension }) => dimension === group);
  return { filters, group: isFixed ? null : group, outcome: filter.succeeded };
}

/** The dimension events are grouped by, when it is one of `audit_dim`. */
export const groupDimension = ({ group }: Counted): Dimension | null =>
  group === null || group === 'outcome' ? null : group;

/** Counts by the hour exist for all events and for each single dimension. */
export const isHourly = (counted: Counted): boolean =>
  counted.filters.length + (groupDimension(counted) ? 1 : 0) <= 1;

/** Conditions on `audit_count c` that choose the grouping set, and in it the filtered values. */
export function onCounts(counted: Counted, tenant: Prisma.Sql): Prisma.Sql {
  const conditions = DIMENSIONS.map((dimension) => {
    const key = Prisma.raw(`c.${dimension.key}`);
    const filter = counted.filters.find((f) => f.dimension === dimension);
    if (filter) return Prisma.sql`${key} = (${dimIdOf(dimension, tenant, Prisma.sql`${filter.value}`)})`;
    return dimension === counted.group ? Prisma.sql`${key} > 0` : Prisma.sql`${key} = 0`;
  });
  return Prisma.join(conditions, ' AND ');
}

export const dimIdOf = (dimension: Dimension, tenant: Prisma.Sql, value: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT m.dim_id FROM audit_dim m
    WHERE m.tenant_id = ${tenant} AND m.kind = ${dimension.kind}::smallint AND m.value = ${value}`;

/** Conditions of the filters on rows that hold the values themselves: deltas and events. */
export function onValues(counted: Counted, alias: string): Prisma.Sql {
  const conditions = counted.filters.map(
    ({ dimension, value }) => Prisma.sql`${Prisma.raw(`${alias}.${dimension.column}`)} = ${value}`,
  );
  return conditions.length === 0 ? Prisma.sql`true` : Prisma.join(conditions, ' AND ');
}
