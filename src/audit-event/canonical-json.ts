import type { JsonScalar } from './audit-record';

/** JSON of a flat object: names in order, no white space, numbers and escapes as JSON.stringify writes them. */
export function canonicalJson(values: Readonly<Record<string, JsonScalar>>): string {
  let members = '';
  for (const { name, written } of orderOf(Object.keys(values)))
    members += `${members === '' ? '' : ','}${written}${JSON.stringify(values[name])}`;
  return `{${members}}`;
}

interface Name {
  readonly name: string;
  readonly written: string;
}
const ORDERS_MAX = 1_000;
/** Names that came together before, in their order: sorting them anew takes longer than writing the values. */
const orders = new Map<string, readonly Name[]>();

function orderOf(names: readonly string[]): readonly Name[] {
  const key = JSON.stringify(names);
  const known = orders.get(key);
  if (known) return known;
  const order = names.toSorted().map((name) => ({ name, written: `${JSON.stringify(name)}:` }));
  if (orders.size < ORDERS_MAX) orders.set(key, order);
  return order;
}
