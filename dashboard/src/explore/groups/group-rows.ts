import type { Client } from 'urql';
import { FacetsDocument } from '../../../generated/operations';
import type { ExploreFilter } from '../explore-filter';
import type { FacetField } from '../facets/facet-field';
import { only, withoutField } from '../filter/edit';
import { joinParts, partsOf } from '../filter/parts';

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

/** The values of a first field that a second one is counted within. */
const OUTER_MAX = 10;
const ROWS_MAX = 50;

/** Counts by one or two fields. @param hasTimes whether groups say when they were first and last seen @throws CombinedError */
export async function loadGroups(
  client: Client,
  filter: ExploreFilter,
  [first, second]: readonly [FacetField, FacetField | null],
  hasTimes: boolean,
): Promise<Groups> {
  const outer = await facetOf(client, filter, {
    field: first,
    limit: second ? OUTER_MAX : ROWS_MAX,
    hasTimes: hasTimes && !second,
  });
  if (!second) return outer;
  const inner = await Promise.all(
    outer.rows.map(async ({ values: [value = null] }) => {
      const text = narrowed(filter.filter ?? '', first, value);
      const { rows } = await facetOf(
        client,
        { ...filter, filter: text },
        { field: second, limit: OUTER_MAX, hasTimes },
      );
      return rows.map((row) => ({ ...row, values: [value, ...row.values] }));
    }),
  );
  return { ...outer, rows: inner.flat().toSorted((a, b) => b.count - a.count) };
}

/** The filter and this value: all that was chosen of the field holds for it already. */
const narrowed = (text: string, field: FacetField, value: string | null): string =>
  joinParts([...partsOf(withoutField(text, field)), ...partsOf(only('', field, value))]);

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
