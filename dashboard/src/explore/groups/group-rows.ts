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

/** Counts by one or two fields. @throws CombinedError */
export async function loadGroups(
  client: Client,
  filter: ExploreFilter,
  [first, second]: readonly [FacetField, FacetField | null],
): Promise<Groups> {
  const outer = await facetOf(client, filter, first, second ? OUTER_MAX : ROWS_MAX);
  if (!second) return outer;
  const inner = await Promise.all(
    outer.rows.map(async ({ values: [value = null] }) => {
      const text = narrowed(filter.filter ?? '', first, value);
      const { rows } = await facetOf(client, { ...filter, filter: text }, second, OUTER_MAX);
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
  field: FacetField,
  limit: number,
): Promise<Groups> {
  const { data, error } = await client
    .query(FacetsDocument, { ...filter, fields: [field], limit }, { requestPolicy: 'network-only' })
    .toPromise();
  if (error || !data) throw error ?? new Error('The service gave no answer.');
  const { totalCount, facets } = data.auditFacets;
  const rows = (facets[0]?.values ?? []).map(({ value, succeeded, failed }) => ({
    values: [value],
    count: succeeded + failed,
    failed,
  }));
  return { totalCount, rows, distinct: facets[0]?.distinct ?? null };
}
