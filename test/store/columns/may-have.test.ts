import { type Expression, equals } from '../../../src/event/expression/expression';
import { parseFilter } from '../../../src/event/expression/parse-filter';
import type { Ask } from '../../../src/store/columns/ask';
import { numberedTerms } from '../../../src/store/columns/evaluate';
import { hoursThatMayHave } from '../../../src/store/columns/may-have';
import { holdingOf } from '../../support/holding';

const SPAN = { from: 0, to: 100 };
/** Kinds: 1 actions, 6 objects, 12 class types. */
const VALUES = [
  { kind: 1, id: 1, value: 'SL' },
  { kind: 1, id: 2, value: 'CR' },
  { kind: 6, id: 1, value: 'Pay' },
];

function expressionOf(filter: string): Expression {
  const parsed = parseFilter(filter);
  if ('problem' in parsed) throw new Error(filter);
  return parsed.expression;
}

/** @param without the hours that lack the columns that are asked about. Counts know hours 3 and 7 of each value. */
async function asked(filter: string, without: string | null = '7,8') {
  const statements: ('columns' | 'counts')[] = [];
  const ask = (async ({ text }: { readonly text: string }) => {
    const isOfColumns = text.includes('AS field');
    statements.push(isOfColumns ? 'columns' : 'counts');
    const places = text.match(isOfColumns ? /AS field/g : /AS term/g) ?? [];
    return places.map((_, i) => (isOfColumns ? { field: i, hours: without } : { term: i, hours: '3,7' }));
  }) as unknown as Ask;
  const expression = expressionOf(filter);
  const holding = holdingOf(numberedTerms(expression), VALUES);
  const hours = await hoursThatMayHave(ask, 1, SPAN, expression, holding);
  return { hours: hours && [...hours].sort(), statements };
}

it.each([
  // A value that has no number is in no column.
  ['objectName:Nothing', [7, 8], ['columns']],
  ['objectName:Noth*', [7, 8], ['columns']],
  ['classType:(A OR SA) AND actionId:SL', [7], ['columns', 'counts']],
  ['objectName:Nothing AND actionId:SL', [7], ['columns', 'counts']],
  ['objectName:Nothing OR actionId:SL', [3, 7, 8], ['columns', 'counts']],
  // Nothing is known of a value that has a number, but no counts.
  ['objectName:Pay', null, []],
  ['objectName:Pa*', null, []],
  ['objectName:Nothing OR objectName:Pay', null, ['columns']],
  // Nor of what does not hold.
  ['NOT objectName:Nothing', null, []],
  ['objectName:*', null, []],
  // A value that is stated without being known: of a kind without numbers yet.
  ['classType:*', null, []],
  ['classType:* AND actionId:SL', [3, 7], ['counts']],
  ['actionId:SL', [3, 7], ['counts']],
] as const)('of %s, the hours are %j', async (filter, hours, statements) => {
  expect(await asked(filter)).toEqual({ hours, statements });
});

it('the counts are not asked for what changes nothing, or for many values', async () => {
  const never = 'classType:(A OR SA) AND actionId:(SL OR CR)';
  expect(await asked(never, null)).toEqual({ hours: [], statements: ['columns'] });
  expect(await asked(`(${never}) OR actionId:SL`, null)).toEqual({
    hours: [3, 7],
    statements: ['columns', 'counts'],
  });
  const many = Array.from({ length: 5 }, (_, i) => `serverPrincipalName:login${i}`).join(' OR ');
  const values = Array.from({ length: 5 }, (_, i) => ({ kind: 3, id: i, value: `login${i}` }));
  const ask = (() => Promise.reject(new Error('nothing is asked'))) as Ask;
  const expression = expressionOf(many);
  const holding = holdingOf(numberedTerms(expression), values);
  expect(await hoursThatMayHave(ask, 1, SPAN, expression, holding)).toBeNull();
});

it('counts know a value in its own letter case alone', async () => {
  const ask = (() => Promise.reject(new Error('nothing is asked'))) as Ask;
  const expression = equals('actionId', 'sl', true);
  const holding = holdingOf(numberedTerms(expression), VALUES);
  expect(await hoursThatMayHave(ask, 1, SPAN, expression, holding)).toBeNull();
});
