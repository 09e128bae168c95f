import { filterOf } from '../../event/filters';
import type { AuditEventFilter } from '../../event/query';
import { fold } from '../../event/search';
import { fromStored } from '../../store/rows/stored-text';
import type { Facet, FacetField } from './explorer';

export function outcomes(row: Readonly<Record<string, unknown>>) {
  const succeeded = Number(row.ok ?? 0);
  return { succeeded, failed: Number(row.n ?? 0) - succeeded };
}

export function facetOf(
  field: FacetField,
  rows: readonly Readonly<Record<string, unknown>>[],
  filter: AuditEventFilter,
): Facet {
  const own = rows.filter((row) => row.facet === field);
  if (own.length === 0 && rows.length > 0) return { field, distinct: null, values: null };
  const fixed = fixedValue(field, filter);
  const values = own.map((row) => ({ value: fixed ?? textOrNull(String(row.v)), ...outcomes(row) }));
  return { field, distinct: Number(own[0]?.distinct_n ?? 0), values };
}

/** The values of a facet that contain a text. */
export function holding(facet: Facet, text: string, limit: number): Facet {
  const wanted = fold(text);
  if (facet.values === null) return facet;
  const values = facet.values.filter(({ value }) => value !== null && fold(value).includes(wanted));
  return { ...facet, distinct: values.length, values: values.slice(0, limit) };
}

function fixedValue(field: FacetField, filter: AuditEventFilter): string | null {
  const name = filterOf(field);
  const value = name ? filter[name] : null;
  return typeof value === 'string' ? value : null;
}

const textOrNull = (stored: string) => (stored === '' ? null : fromStored(stored));

export function outcomeFacet({ succeeded, failed }: ReturnType<typeof outcomes>, limit: number): Facet {
  const values = [
    { value: 'true', succeeded, failed: 0 },
    { value: 'false', succeeded: 0, failed },
  ].filter((value) => value.succeeded + value.failed > 0);
  values.sort((a, b) => b.succeeded + b.failed - (a.succeeded + a.failed));
  return { field: 'succeeded', distinct: values.length, values: values.slice(0, limit) };
}
