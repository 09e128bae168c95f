import type { Client } from 'urql';
import { FacetsDocument } from '../../../generated/operations';
import type { ExploreFilter } from '../explore-filter';
import type { FacetField } from '../facets/facet-field';
import { countGroups, narrowed } from './former';

/** Events that have the same values of the fields they are grouped by. */
export interface GroupRow {
  /** In the order of the fields; null: absent. */
  readonly values: readonly (string | null)[];
  readonly count: number;
  readonly failed: number;
  /** When its first and last event were; null: not asked for. */
  readonly firstTime: string | null;
  readonly lastTime: string | null;
}

export interface Groups {
  readonly totalCount: number;
  /** Largest first. */
  readonly rows: readonly GroupRow[];
  /** Values of the first field; null: too many events to count. */
  readonly distinct: number | null;
}

/** How many events groups had in another period, by `keyOf`; a missing group is unknown. */
export type Former = ReadonlyMap<string, number>;

/** The most values of the first field within which a second one is counted. */
export const OUTER_MAX = 10;
const ROWS_MAX = 50;

/** Counts by one or two fields, with when groups were first and last seen. @throws CombinedError */
export async function loadGroups(
  client: Client,
  filter: ExploreFilter,
  [first, second]: readonly [FacetField, FacetField | null],
): Promise<Groups> {
  const outer = await facetOf(client, filter, {
    field: first,
    limit: second ? OUTER_MAX : ROWS_MAX,
    hasTimes: !second,
  });
  if (!second) return outer;
  const inner: GroupRow[] = [];
  // One question after the other: the service answers one question of a key at a time, and lets others wait only briefly.
  for (const {
    values: [value = null],
  } of outer.rows) {
    const text = narrowed(filter.filter ?? '', first, value);
    const asked = { field: second, limit: OUTER_MAX, hasTimes: true };
    const { rows } = await facetOf(client, { ...filter, filter: text }, asked);
    inner.push(...rows.map((row) => ({ ...row, values: [value, ...row.values] })));
  }
  return { ...outer, rows: inner.toSorted((a, b) => b.count - a.count) };
}

/** How many events the same groups had in the range of a filter. @throws CombinedError */
export function loadFormer(
  client: Client,
  filter: ExploreFilter,
  fields: readonly [FacetField, FacetField | null],
  { rows }: Groups,
): Promise<Former> {
  const countBy = async (text: string, field: FacetField, limit: number) => {
    const found = await facetOf(client, { ...filter, filter: text }, { field, limit, hasTimes: false });
    return found.rows;
  };
  return countGroups(countBy, filter.filter ?? '', fields, rows);
}

async function facetOf(
  client: Client,
  filter: ExploreFilter,
  { field, ...asked }: { readonly field: FacetField; readonly limit: number; readonly hasTimes: boolean },
): Promise<Groups> {
  const { data, error } = await client
    .query(FacetsDocument, { ...filter, fields: [field], ...asked }, { requestPolicy: 'network-only' })
    .toPromise();
  if (error || !data) throw error ?? new Error('The service gave no answer.');
  const { totalCount, facets } = data.auditFacets;
  const rows = (facets[0]?.values ?? []).map(
    ({ value, succeeded, failed, firstTime = null, lastTime = null }) => ({
      values: [value],
      count: succeeded + failed,
      failed,
      firstTime,
      lastTime,
    }),
  );
  return { totalCount, rows, distinct: facets[0]?.distinct ?? null };
}
