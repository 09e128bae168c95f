/** The query string of a saved view. @param view as `viewOf` made it; none: the filter alone */
export function savedQuery(filter: string, view: string | null | undefined): string {
  const parts = new URLSearchParams(view ?? '');
  parts.delete('filter');
  if (filter !== '') parts.set('filter', filter);
  return parts.toString();
}
