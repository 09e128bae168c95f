import fc from 'fast-check';
import { parseFilter } from '../../src/event/expression/parse-filter';
import { holds, type Term, textsOf, type WrittenFilter, withoutCase } from './brute-force';
import type { IngestedEvent } from './events';
import { ACTIONS, INSTANCES, NAMES, speakable, WORDS } from './texts';

/** Each expression is generated with its meaning, without any code of the service. */
type Part = WrittenFilter;

const FIELDS = {
  actionId: 'actionId',
  databaseName: 'databaseName',
  PrincipalName: 'serverPrincipalName',
  serverPrincipalName: 'serverPrincipalName',
  SERVERINSTANCENAME: 'serverInstanceName',
  schemaName: 'schemaName',
  objectName: 'objectName',
  databasePrincipalName: 'databasePrincipalName',
  applicationName: 'applicationName',
  clientIp: 'clientIp',
  hostName: 'hostName',
  sourceType: 'sourceType',
} as const;
const name = fc.constantFrom(...(Object.keys(FIELDS) as (keyof typeof FIELDS)[]));
const ownValue = (event: IngestedEvent, field: keyof typeof FIELDS) => event[FIELDS[field]] ?? '';

const someText = fc.oneof(
  fc.constantFrom(
    ...NAMES,
    ...ACTIONS,
    ...INSTANCES,
    ...WORDS,
    'DirectFile',
    'ip 3',
    'ip 1',
    'OR',
    'a:b',
    '-x',
    '*',
  ),
  speakable,
);

const quoted = (text: string, isSparing: boolean) =>
  `"${text.replaceAll(isSparing ? /"|\\(?=["\\]|$)/g : /["\\]/g, '\\$&')}"`;
/** Writes a text without quotation marks if that is possible. */
const written = (text: string, way: number) =>
  way === 0 && !/[\s()*\uFEFF]/.test(text) && !text.startsWith('"') ? text : quoted(text, way === 1);

interface Value {
  readonly text: string;
  readonly fits: (value: string, isFolded: boolean) => boolean;
}
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ text: '*', fits: (own: string) => own !== '' }) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(someText, fc.nat(2), fc.boolean(), fc.integer({ min: 1, max: 4 }))
      .map(([whole, way, isBeginning, length]) => {
        const text = isBeginning ? Array.from(whole).slice(0, length).join('') : whole;
        const fits = (own: string, isFolded: boolean) => {
          const [a, b] = isFolded ? [withoutCase(own), withoutCase(text)] : [own, text];
          return isBeginning ? a.startsWith(b) : a === b;
        };
        return { text: written(text, way) + (isBeginning ? '*' : ''), fits };
      }),
  },
);
const colon = fc.constantFrom(':' as const, ':' as const, '~' as const);

const single: fc.Arbitrary<Part> = fc.tuple(name, colon, value).map(([field, mark, { text, fits }]) => ({
  text: `${field}${mark}${text}`,
  holds: (event) => fits(ownValue(event, field), mark === '~'),
}));
/** Values of one field in parentheses. A value that would be read as an operator is in quotation marks. */
const group: fc.Arbitrary<Part> = fc
  .tuple(
    name,
    colon,
    fc.array(value, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(' OR ', ' AND ', ' '),
    fc.boolean(),
  )
  .map(([field, mark, values, operator, isNot]) => {
    const plain = values.map(({ text }) => (/^(-|OR$)/.test(text) ? `"${text}"` : text));
    return {
      text: `${field}${mark}(${isNot ? 'NOT ' : ''}${plain.join(operator)})`,
      holds: (event) => {
        const each = values.map(
          ({ fits }, i) => fits(ownValue(event, field), mark === '~') !== (isNot && i === 0),
        );
        return operator === ' OR ' ? each.some(Boolean) : each.every(Boolean);
      },
    };
  });
const statement: fc.Arbitrary<Part> = fc
  .tuple(speakable, fc.nat(2), fc.integer({ min: 1, max: 9 }))
  .map(([whole, start, length]) => {
    const text =
      Array.from(whole)
        .slice(start, start + length)
        .join('') || whole;
    const term: Term = { kind: 'phrase', text };
    return {
      text: `statement:${quoted(text, false)}`,
      holds: (event) => event.statement !== null && holds(term, [withoutCase(event.statement)]),
    };
  });
const word: fc.Arbitrary<Part> = fc
  .tuple(fc.constantFrom(...WORDS), fc.constantFrom('word' as const, 'prefix' as const, 'phrase' as const))
  .map(([text, kind]) => ({
    text: { word: text, prefix: `${text}*`, phrase: `"${text}"` }[kind],
    holds: (event) => holds({ kind, text }, textsOf(event)),
  }));
const outcome: fc.Arbitrary<Part> = fc.boolean().map((succeeded) => ({
  text: `succeeded:${succeeded}`,
  holds: (event) => event.succeeded === succeeded,
}));

const leaf = fc.oneof(
  { weight: 6, arbitrary: single },
  { weight: 2, arbitrary: group },
  { weight: 1, arbitrary: statement },
  { weight: 1, arbitrary: word },
  { weight: 1, arbitrary: outcome },
);

/** Leaves out expressions that exceed a bound of the language. */
const isWithinBounds = ({ text }: Part): boolean => {
  const parsed = parseFilter(text);
  return !('problem' in parsed && parsed.problem.includes('at most'));
};

/** Expressions of every form in the language. */
export const writtenFilters: fc.Arbitrary<WrittenFilter> = fc
  .letrec<{ any: Part; part: Part }>((tie) => ({
    part: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.tuple(tie('part'), fc.constantFrom('NOT ', '-', 'NOT -NOT ')).map(([part, mark]) => ({
        text: mark + part.text,
        holds: (event: IngestedEvent) => !part.holds(event),
      })),
      tie('any').map((part) => ({ ...part, text: `( ${part.text})` })),
    ),
    any: fc
      .array(fc.array(fc.tuple(tie('part'), fc.constantFrom(' AND ', ' ')), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 2,
      })
      .map((alternatives) => ({
        text: alternatives
          .map((parts) => parts.map(([part, joint], i) => (i === 0 ? '' : joint) + part.text).join(''))
          .join(' OR '),
        holds: (event: IngestedEvent) =>
          alternatives.some((parts) => parts.every(([part]) => part.holds(event))),
      })),
  }))
  .any.filter(isWithinBounds);
