import { inQuotes } from '../../event/expression/value-text';
import { toSummaryFilter } from '../../event/query';
import { msOfRecordId } from '../../event/record-id';
import { LIMITS } from '../../limits';
import type { TenantSet } from '../../tenant-set';
import type { Group, Questions } from './questions';

/** The names of the server instances that have events before a time. */
export async function namesBefore(
  { ask, group }: { readonly ask: Pick<Questions, 'facets'>; readonly group: Group },
  tenants: TenantSet,
  endTime: string,
): Promise<ReadonlySet<string>> {
  const filter = toSummaryFilter({ filter: undefined, startTime: undefined, endTime });
  const asked = { fields: ['serverInstanceName'], limit: LIMITS.groupsCountedMax, contains: null } as const;
  const { totalCount, facets } = await ask.facets(tenants, filter, asked);
  const values = facets[0]?.values ?? [];
  const counted = values.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);
  // Of days that are not counted by instance yet, the facet may be left out.
  const names =
    counted === totalCount
      ? values.map(({ value }) => value)
      : (await group(['serverInstanceName'], { endTime })).map(({ values: [name] }) => name);
  return new Set(names.flatMap((name) => name || []));
}

/** The time of an instance's newest event before a time, in milliseconds since 1970; 0: there is none. */
export async function newestBefore(
  ask: Pick<Questions, 'page'>,
  tenants: TenantSet,
  name: string,
  endTime: string,
): Promise<number> {
  const { items } = await ask.page(tenants, {
    filter: toSummaryFilter({
      filter: `serverInstanceName:${inQuotes(name)}`,
      startTime: undefined,
      endTime,
    }),
    sort: 'recordId',
    descending: true,
    page: 1,
    pageSize: 1,
  });
  return items[0] ? msOfRecordId(items[0].recordId) : 0;
}
