import { Prisma } from '../../database/clients';
import { type Expression, type FieldTerm, termsOf } from '../../event/expression/expression';
import { type Dimension, type HourSpan, KEYS } from '../counts/dimensions';
import { countedSegments } from '../counts/segments';
import { toStored } from '../rows/stored-text';
import type { Ask } from './ask';

/** With more such terms, nothing is asked: the hours of many values are most hours. */
const TERMS_MAX = 4;

/**
 * The hours in which events may pass an expression, as far as the counts by hour and value know. They know the events of
 * every hour whose columns hold, and nothing of other hours. Null: it may be any hour.
 */
export async function hoursThatMayHave(
  ask: Ask,
  tenantId: number,
  span: HourSpan,
  expression: Expression | null,
): Promise<ReadonlySet<number> | null> {
  const counted = (expression ? termsOf(expression) : []).flatMap((term) => {
    const dimension = term.kind === 'field' ? dimensionOf(term) : null;
    return dimension ? [{ term, dimension, value: toStored((term as FieldTerm).text) }] : [];
  });
  if (expression === null || counted.length === 0 || counted.length > TERMS_MAX) return null;
  const tenant = Prisma.sql`${tenantId}::int`;
  const pieces = { days: null, hours: [span], direct: [] };
  const parts = counted.map(({ dimension, value }, i) => {
    const asked = { filters: [{ dimension, value }], group: null, outcome: null };
    return Prisma.sql`SELECT ${i}::int AS term, string_agg(s.lo::text, ',') AS hours
      FROM (${countedSegments(asked, pieces, tenant)}) s WHERE s.n > 0`;
  });
  const hoursOf = new Map<Expression, ReadonlySet<number>>();
  for (const { term, hours } of await ask<{ term: number; hours: string | null }>(
    Prisma.join(parts, ' UNION ALL '),
  ))
    hoursOf.set(counted[term]?.term as FieldTerm, new Set(hours ? hours.split(',').map(Number) : []));
  return ofExpression(expression, hoursOf);
}

/** The dimension that counts the events of a term by the hour. */
const dimensionOf = ({ field, how, isFolded }: FieldTerm): Dimension | null =>
  how === 'equals' && !isFolded ? (KEYS.find((dimension) => dimension.field === field) ?? null) : null;

function ofExpression(
  expression: Expression,
  hoursOf: ReadonlyMap<Expression, ReadonlySet<number>>,
): ReadonlySet<number> | null {
  if (expression.kind !== 'and' && expression.kind !== 'or') return hoursOf.get(expression) ?? null;
  const parts = expression.of.map((part) => ofExpression(part, hoursOf));
  const known = parts.filter((part) => part !== null);
  if (expression.kind === 'or')
    return known.length < parts.length ? null : new Set(known.flatMap((part) => [...part]));
  const [first, ...others] = known;
  return first ? new Set([...first].filter((hour) => others.every((part) => part.has(hour)))) : null;
}
